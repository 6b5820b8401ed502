/* Objects that live until a command has ended. */
#include "command.h"

struct dlq_kept {
    struct dlq_kept *next;
    void *object;
    void (*release)(void *object);
};

enum dlq_status dlq_keep(const struct dlq_invocation *invocation, void *object, void (*release)(void *object))
{
    struct dlq_kept *kept = dlq_arena_take(&invocation->call->arena, 1, sizeof *kept);
    if (kept == NULL) {
        release(object);
        return dlq_error_memory(invocation->error, invocation->call->arena.doing);
    }
    *kept = (struct dlq_kept){invocation->call->kept, object, release};
    invocation->call->kept = kept;
    return DLQ_OK;
}

void dlq_call_end(struct dlq_call *call)
{
    for (const struct dlq_kept *kept = call->kept; kept != NULL; kept = kept->next)
        kept->release(kept->object);
    dlq_arena_end(&call->arena);
}
