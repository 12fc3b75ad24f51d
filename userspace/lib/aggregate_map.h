/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Tables in memory that is no reader's mapping: for tests, and for the command's views of recordings. Not
 * installed.
 */
#ifndef CTRACE_LIB_AGGREGATE_MAP_H
#define CTRACE_LIB_AGGREGATE_MAP_H

#include <stdint.h>

struct ctrace_aggregate;

/*
 * Opens the table at offset `table` of the caller's memory, which has tables_size bytes of tables at
 * tables_off.
 */
int ctrace_aggregate_open_map(const void *map, uint64_t tables_off, uint64_t tables_size, uint64_t table,
			      struct ctrace_aggregate **out);

#endif /* CTRACE_LIB_AGGREGATE_MAP_H */
