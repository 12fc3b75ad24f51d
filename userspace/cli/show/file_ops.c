// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>
#include "base/util.h"
#include "show/file_ops.h"

static const struct {
	const char *op, *calls;
} ops[] = {
	{ "read", FILE_OPS_READ }, { "write", FILE_OPS_WRITE }, { "copy", FILE_OPS_COPY }, { "open", FILE_OPS_OPEN },
	{ "fsync", FILE_OPS_SYNC }, { "stat", FILE_OPS_STAT }, { "list", FILE_OPS_LIST },
	{ "rename", "rename,renameat,renameat2" }, { "unlink", "unlink,unlinkat,rmdir" }, { "mkdir", "mkdir,mkdirat" },
	{ "link", "link,linkat,symlink,symlinkat" }, { "truncate", FILE_OPS_SIZE },
};

static bool has(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, word, n) && (!p[n] || p[n] == ','))
			return true;
	return false;
}

const char *file_op(const char *call)
{
	const char *name = strncmp(call, "compat_", 7) ? call : call + 7;

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (has(ops[i].calls, name))
			return ops[i].op;
	return name;
}

const char *file_op_io_uring(uint64_t opcode)
{
	static const char *const of[] = {
		[1] = "read", [4] = "read", [22] = "read", [49] = "read", [60] = "read",
		[2] = "write", [5] = "write", [23] = "write", [61] = "write", [18] = "open", [28] = "open",
		[3] = "fsync", [8] = "fsync", [21] = "stat", [35] = "rename", [36] = "unlink", [37] = "mkdir",
		[38] = "link", [39] = "link", [17] = "truncate", [55] = "truncate",
	};

	return opcode < ARRAY_SIZE(of) ? of[opcode] : NULL;
}

bool file_op_moves(const char *op)
{
	return !strcmp(op, "read") || !strcmp(op, "write") || !strcmp(op, "copy");
}
