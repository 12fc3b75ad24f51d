// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stores in a container's own file system: docker in docker. They name only containers that were made in
 * that container. The container's root may put links there: names.c follows none.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "names/names.h"

#define INSIDE_MAX	256	/* containers whose file systems are read */

/* The root directory of the container's init; -1 if that has ended, and the number may be another's. */
static int root_of(const struct name_inside *i)
{
	char *p = xasprintf("/proc/%u/root", i->pid);
	int fd = open(p, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	free(p);
	p = xasprintf("/proc/%u/ns/pid", i->pid);
	if (fd >= 0 && (stat(p, &st) || st.st_ino != i->pidns)) {
		close(fd);
		fd = -1;
	}
	free(p);
	return fd;
}

/* In the process that reads such stores. */
void names_of_inside(struct names *n, const struct name_inside *i)
{
	char *root = n->root;

	n->in = root_of(i);
	if (n->in < 0)
		return;
	n->root = xasprintf("/proc/%u/root", i->pid);
	n->owner = NAME_OF_CONTAINER;
	n->whose = i->cid;
	names_docker_root(n, "/var/lib/docker");
	names_read_storage(n, "/var/lib/containers/storage");
	names_read_storage(n, "/run/containers/storage");
	names_system_runtimes(n);
	close(n->in);
	n->in = -1;
	free(n->root);
	n->root = root;
}

static void read_inside(struct names *n, const struct name_inside *i)
{
	char *request = xasprintf("in %u %u %u", i->cid, i->pid, i->pidns);

	names_ask(n, NAME_OF_CONTAINER, i->cid, request);
	free(request);
}

bool names_inside(struct names *n, const struct ctrace_container *c)
{
	struct name_inside *i = NULL;

	if (!c->init_pid || !c->pidns)
		return false;
	for (size_t k = 0; k < n->ninside && !i; k++)
		if (n->inside[k].cid == c->cid)
			i = &n->inside[k];
	if (i)
		return false;
	if (n->ninside == INSIDE_MAX) {
		memmove(n->inside, n->inside + 1, (INSIDE_MAX - 1) * sizeof(*i));
		n->ninside--;
	}
	n->inside = xrealloc(n->inside, (n->ninside + 1) * sizeof(*i));
	n->inside[n->ninside] = (struct name_inside){ c->cid, c->init_pid, c->pidns };
	read_inside(n, &n->inside[n->ninside++]);
	return true;
}

void names_from_inside(struct names *n)
{
	for (size_t i = 0; i < n->ninside; i++)
		read_inside(n, &n->inside[i]);
}
