/* Where the charts of a command on logs go, and how they look. */
#ifndef DLQ_CLI_LOG_CHARTS_H
#define DLQ_CLI_LOG_CHARTS_H

#include "command.h"
#include "dlqueue/model.h"

/* [plot] of --set, with its defaults; every other setting is an error. *model owns the texts. */
enum dlq_status dlq_log_charts_read(struct dlq_session *session, struct dlq_model **model,
                                    struct dlq_plot_options *plot);

#endif
