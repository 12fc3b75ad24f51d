// SPDX-License-Identifier: GPL-2.0-only
/*
 * How members of the group ctrace trace without being root. The packages install a copy of the command that
 * only the group may run, with CAP_PERFMON as its file's capability. A caller without the right to trace, who
 * may run the copy, is served by it: they need not know of it. What the copy starts (`ctrace trace -- make`)
 * has no capability, as the kernel gives a file's capability to nobody else.
 */

#include <limits.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/group.h"
#include "base/util.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

static const char copy[] = "/usr/libexec/ctrace/ctrace";	/* debian/rules, ctrace.spec */

static bool may_trace(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return true;	/* the kernel's answer to tracing will be clearer */
	return data[0].effective & 1u << CAP_SYS_ADMIN || data[1].effective & 1u << (CAP_PERFMON - 32);
}

void group_exec(char **argv)
{
	char self[PATH_MAX];
	ssize_t n;

	if (may_trace() || access(copy, X_OK))
		return;
	/*
	 * Under no_new_privs, or without the capability in its file, the copy gets here, too: it continues as
	 * it is.
	 */
	n = readlink("/proc/self/exe", self, sizeof(self));
	if (n < 0 || (n == (ssize_t)strlen(copy) && !memcmp(self, copy, n)))
		return;
	execv(copy, argv);	/* EPERM if the bounding set lacks the capability: continue without it */
}

char *group_next_step(char *message)
{
	const struct passwd *who;
	char *longer;

	/* as the module says it (module/api/may.c) */
	if (!strstr(message, "needs CAP_SYS_ADMIN") || may_trace())
		return message;
	who = getpwuid(getuid());
	if (access(copy, F_OK) || !who)
		longer = xasprintf("%s: try it with sudo", message);
	else
		longer = xasprintf("%s: try it with sudo, or once 'sudo adduser %s ctrace', and log in again",
				   message, who->pw_name);
	free(message);
	return longer;
}
