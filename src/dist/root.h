/* Where a function is zero. */
#ifndef DLQ_DIST_ROOT_H
#define DLQ_DIST_ROOT_H

/* The x in [low, high], at whose ends f has different signs, by Brent's method to an absolute and a relative error;
   NAN: their signs are the same. Nothing is allocated, so that a law never fails for want of memory. */
double dlq_root(double (*f)(double x, void *params), void *params, double low, double high, double absolute,
                double relative);

#endif
