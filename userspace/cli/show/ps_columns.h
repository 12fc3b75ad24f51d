/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of ctrace ps. */
#ifndef CTRACE_PS_COLUMNS_H
#define CTRACE_PS_COLUMNS_H

#include "base/table.h"
#include "names/ctable.h"
#include "names/processes.h"
#include "names/cgroup_files.h"

#define PS_COLUMNS_DEFAULT	"cid,name,runtime,init,procs,age,parent,cgroup"
#define PS_COLUMNS_WIDE	"cid,name,runtime,init,procs,cpu,mem,age,namespace,pod,parent,id,image,labels,cgroup"

struct ps_column;

struct ps_columns {
	const struct ps_column *v[TABLE_COLUMNS];
	size_t n;
	const struct processes *running;	/* of all these, if a column needs it */
	const struct cgroup_files *files;
	uint64_t now;			/* CLOCK_MONOTONIC, ns: for ages */
};

/* A line: a container, or a pod, which has containers below it. */
struct row {
	struct centry *e;	/* of a pod: its first container */
	unsigned int depth;
	bool pod;
};

/*
 * Reads a list of names, separated by commas, in letters of any case. CLI_OK, or the exit status after a
 * message that lists all columns.
 */
int ps_columns_parse(struct ps_columns *c, const char *list);
/* The i-th column that there is, from 0; NULL past the end. */
const char *ps_column_name(size_t i);
void ps_columns_init_table(const struct ps_columns *c, struct table *t);
void ps_columns_put(const struct ps_columns *c, struct table *t, const struct row *r);

#endif
