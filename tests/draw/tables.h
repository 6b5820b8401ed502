/* Tables that a test owns. */
#pragma once

#include "draw/table.h"
#include "harness.h"

POINTER_FREED(dlq_table)
#define OWN_TABLE __attribute__((cleanup(dlq_table_pointer_free))) struct dlq_table
