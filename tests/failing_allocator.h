/* An allocator of which one call fails: for a test program that is linked with --wrap for these functions, and of which
   one source includes this. The linker puts the wrappers between the library and the C library's allocator. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_long countdown; /* allocations until one fails; 0: none does */
static atomic_bool failed;

static bool fails(void)
{
    if (atomic_load(&countdown) == 0 || atomic_fetch_sub(&countdown, 1) != 1)
        return false;
    atomic_store(&failed, true);
    return true;
}

/* The linker demands these names. NOLINTBEGIN(bugprone-reserved-identifier) */
#define WRAP(type, name, parameters, arguments)                                                                        \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        return fails() ? NULL : __real_##name arguments;                                                               \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, (void *old, size_t size), (old, size))
WRAP(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(char *, strndup, (const char *text, size_t size), (text, size))
/* NOLINTEND(bugprone-reserved-identifier) */
