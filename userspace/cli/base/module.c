// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says why the kernel module is not loaded. The kernel loads it on first use, but does
 * not say why that failed; modprobe does.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/module.h"
#include "base/util.h"

/* Does the line end with the text of one of these errors? 0: no error. */
static bool says(const char *line, int a, int b, int c)
{
	const char *end = strrchr(line, ':');
	const int errs[] = { a, b, c };

	for (size_t i = 0; end && i < ARRAY_SIZE(errs); i++)
		if (errs[i] && !strcmp(end + 1 + strspn(end + 1, " "), strerror(errs[i])))
			return true;
	return false;
}

/* The last line that is not empty, at whose end modprobe gives the error's text. */
static char *last_line(const char *said)
{
	size_t len = strlen(said);
	const char *from;

	while (len && (said[len - 1] == '\n' || said[len - 1] == ' '))
		len--;
	for (from = said + len; from > said && from[-1] != '\n'; from--)
		;
	return xstrndup(from, said + len - from);
}

char *module_why(const char *said, bool may, bool disabled)
{
	char *line = last_line(said), *why;
	const char *reason = strrchr(line, ':');
	struct utsname u;

	reason = reason ? reason + 1 + strspn(reason + 1, " ") : line;
	if (!*line)
		why = xstrdup("the kernel module is not loaded: run 'modprobe ctrace'");
	else if (strstr(line, "not found"))
		why = xasprintf("the kernel module is not installed for this kernel (%s): run 'make install-dkms' in ctrace's source (see README.md)",
				uname(&u) ? "?" : u.release);
	else if (disabled)
		why = xasprintf("the kernel refused the module (%s): module loading is switched off until the next boot (kernel.modules_disabled): load ctrace before it is switched off",
				reason);
	else if (says(line, EPERM, 0, 0) && !may)
		why = xasprintf("the kernel refused the module (%s): this root may not load modules: run 'modprobe ctrace' on the host, outside all containers",
				reason);
	else if (says(line, EPERM, ENOKEY, EKEYREJECTED))
		why = xasprintf("the kernel refused the module (%s): under Secure Boot or lockdown it loads only modules signed with a key that it trusts: enrol DKMS's key ('mokutil --import /var/lib/dkms/mok.pub', then reboot), or switch Secure Boot or lockdown off",
				reason);
	else if (says(line, ENOEXEC, 0, 0))
		why = xasprintf("the kernel refused the module (%s): it was built for another kernel: build it for this one ('make install-dkms' in ctrace's source, see README.md)",
				reason);
	/* modprobe's words for ENOENT of either kind */
	else if (!strncmp(reason, "Unknown symbol", 14))
		why = xasprintf("the kernel module does not load (%s): its file is gone, or was built for another kernel: install it again ('make install-dkms' in ctrace's source, see README.md)",
				reason);
	else
		why = xasprintf("the kernel module does not load (%s): 'dmesg' may say why", reason);
	free(line);
	return why;
}

/* The program that the kernel itself would run; NULL if it is set to run none, or cannot. */
static char *modprobe(void)
{
	char *path = read_file("/proc/sys/kernel/modprobe", NULL);

	if (path)
		path[strcspn(path, "\n")] = '\0';
	if (path && access(path, X_OK)) {
		free(path);
		path = NULL;
	}
	return path;
}

static void child(const char *program, int said)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	setenv("LC_ALL", "C", 1);
	/* -b: a module that the administrator has blacklisted is not loaded */
	execl(program, program, "-b", "ctrace", (char *)NULL);
	_exit(127);
}

char *module_load(void)
{
	char *program = modprobe(), *disabled, *why;
	char said[1024] = "";
	size_t len = 0;
	int out[2];
	ssize_t got;
	pid_t pid;

	if (access("/proc/modules", F_OK)) {
		free(program);
		return xstrdup("this kernel cannot load modules (it lacks CONFIG_MODULES): boot one that can");
	}
	if (!program || pipe2(out, O_CLOEXEC)) {
		free(program);
		return module_why("", true, false);
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(program, out[1]);
	free(program);
	close(out[1]);
	while (pid > 0 && len < sizeof(said) - 1) {
		got = read(out[0], said + len, sizeof(said) - 1 - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		len += got;
	}
	close(out[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!access("/sys/module/ctrace", F_OK))
		return NULL;
	disabled = read_file("/proc/sys/kernel/modules_disabled", NULL);
	why = module_why(said, prctl(PR_CAPBSET_READ, CAP_SYS_MODULE, 0, 0, 0) != 0,
			 disabled && *disabled == '1');
	free(disabled);
	return why;
}
