/* libFuzzer's own name for the begin of a target. */
#include "target.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    target_begin();
    return 0;
}
