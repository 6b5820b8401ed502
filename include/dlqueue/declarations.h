/* C declarations that C++ programs can use, too. */
#pragma once

#ifdef __cplusplus
#define DLQ_DECLARATIONS_BEGIN extern "C" {
#define DLQ_DECLARATIONS_END }
#else
#define DLQ_DECLARATIONS_BEGIN
#define DLQ_DECLARATIONS_END
#endif
