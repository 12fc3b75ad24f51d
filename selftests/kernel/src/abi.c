// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi_older, abi_newer: the library, built with another ABI than the module's, prints what it says about
 * that. The second line is what it says to a caller that continues all the same.
 * abi_older VERSION: asks for a new session with that ABI, by a socket without the library.
 */
#include <stdlib.h>
#include <ctrace/libctrace.h>
#include "genl.h"

static int without_library(uint8_t version)
{
	static struct genl g;
	static struct msg m;
	uint32_t at;
	int err = genl_open(&g);

	if (err)
		return err;
	msg_new(&m, g.family, CTRACE_CMD_SESSION_NEW, NLM_F_ACK);
	((struct genlmsghdr *)NLMSG_DATA(&m.h))->version = version;
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_nest_end(&m, at);
	err = genl_call(&g, &m, NULL, NULL);
	printf("%s\n", err ? g.text : "taken");
	return err;
}

int main(int argc, char **argv)
{
	struct ctrace_session *s;
	struct ctrace *ct;
	int err;

	if (argc > 1)
		return without_library(atoi(argv[1])) != 0;
	err = ctrace_open(&ct);
	printf("%s\n", err ? ctrace_errmsg(ct) : "taken");
	err = ctrace_session_new(ct, NULL, &s);
	printf("%s\n", err ? ctrace_errmsg(ct) : "taken");
	ctrace_close(ct);
	return err != 0;
}
