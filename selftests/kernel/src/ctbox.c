// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctbox [-n NAME] [-g CGROUP] [-H] [-C] [-i FILE] -- COMMAND...: runs COMMAND in a container of
 * its own, made here: a cgroup and a pid namespace. It is cheap, for tests that are not about
 * a runtime.
 *
 *	-n NAME		the cgroup is /box/ and 64 hex digits made from NAME
 *	-g CGROUP	the cgroup is CGROUP
 *	-N		no cgroup of its own: a pid namespace alone
 *	-H		no pid namespace of its own: the host's
 *	-C		a cgroup namespace too, as runtimes make
 *	-i FILE		write the host pid of its init there, once it may be used
 *	-w FD		COMMAND waits until a byte or the end of file comes on FD
 *
 * Exits with COMMAND's status.
 */
#include "box.h"
#include <getopt.h>

static char **command;
static int new_cgroup_ns, wait_fd = -1;

static int run(void *arg)
{
	char c;

	(void)arg;
	/* Every runtime gives a container mounts of its own before its program runs. */
	if (unshare(CLONE_NEWNS | (new_cgroup_ns ? CLONE_NEWCGROUP : 0))) {
		perror("ctbox: unshare");
		return 98;
	}
	if (wait_fd >= 0 && read(wait_fd, &c, 1) < 0)
		return 98;
	execvp(command[0], command);
	perror(command[0]);
	return 127;
}

int main(int argc, char **argv)
{
	char path[300] = "", hex[65];
	const char *init_file = NULL;
	uint64_t flags = CLONE_NEWPID;
	int o, no_cgroup = 0, st, err;
	struct box b;

	while ((o = getopt(argc, argv, "+n:g:NHCi:w:")) != -1) {
		switch (o) {
		case 'n':
			box_hex(hex, optarg, 0);
			snprintf(path, sizeof(path), "/box/%s", hex);
			break;
		case 'g':
			snprintf(path, sizeof(path), "%s", optarg);
			break;
		case 'N':
			no_cgroup = 1;
			break;
		case 'H':
			flags = 0;
			break;
		case 'C':
			new_cgroup_ns = 1;
			break;
		case 'i':
			init_file = optarg;
			break;
		case 'w':
			wait_fd = atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	command = argv + optind;
	if (!*command || (!path[0] && !no_cgroup))
		return 2;
	if (no_cgroup)
		box_mounts = 0;
	else if (box_init(BOX_MOUNTS))
		return 97;
	err = box_start(&b, path, flags, run, NULL);
	if (err) {
		fprintf(stderr, "ctbox: %s: %s\n", path, strerror(-err));
		return 97;
	}
	if (init_file) {
		char tmp[300];
		FILE *f;

		box_settle(&b);
		snprintf(tmp, sizeof(tmp), "%s.tmp", init_file);
		f = fopen(tmp, "w");
		if (f) {
			fprintf(f, "%d\n", b.pid);
			fclose(f);
			rename(tmp, init_file);
		}
	}
	box_go(&b);
	st = box_end(&b);
	return st;
}
