#include "command.h"
#include "terminal.h"

#include <gsl/gsl_errno.h>

int main(int argc, char *argv[])
{
    /* The library checks statuses; by default GSL would abort. */
    gsl_set_error_handler_off();
    dlq_streams_reserve();
    return dlq_command_main(argc, argv);
}
