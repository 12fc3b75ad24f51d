// SPDX-License-Identifier: GPL-2.0-only
/* tplist: prints the names of all tracepoints, as the module lists them, one a line. */
#include "genl.h"

static int one(const struct nlmsghdr *h, void *arg)
{
	size_t len;
	const char *name = msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_NAME, &len);

	(void)arg;
	if (!name || !len || name[len - 1])
		return -EPROTO;
	puts(name);
	return 0;
}

int main(void)
{
	struct genl g;
	struct msg m;
	int err = genl_open(&g);

	if (!err) {
		msg_new(&m, g.family, CTRACE_CMD_TRACEPOINT_GET, NLM_F_DUMP);
		err = genl_call(&g, &m, one, NULL);
	}
	if (err)
		fprintf(stderr, "tplist: %s %s\n", strerror(err < 0 ? -err : err), g.text);
	return err ? 1 : 0;
}
