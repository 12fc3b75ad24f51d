/* SPDX-License-Identifier: GPL-2.0-only */
/* views.h: what the tests of views share. */
#ifndef VIEWS_H
#define VIEWS_H

#include "dev.h"
#include "box.h"
#include <grp.h>
#include <sys/wait.h>

static inline int to_nobody(void)
{
	return setgroups(0, NULL) || setgid(65534) || setuid(65534);
}

/* Starts a container and waits until it has a number, which is returned. */
static inline uint32_t start(struct box *b, const char *word, int (*fn)(void *), long arg)
{
	char name[65], path[100];
	uint32_t cid = 0;

	box_hex(name, word, getpid());
	snprintf(path, sizeof(path), "/box/%s", name);
	if (box_start(b, path, CLONE_NEWPID, fn, (void *)arg))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	box_settle(b);
	for (int i = 0; i < 100 && !cid; i++) {
		cid = dev_cid_of(b->pid);
		if (!cid)
			usleep(50000);
	}
	if (!cid)
		ksft_exit_fail_msg("container %s has no cid\n", word);
	return cid;
}

#endif
