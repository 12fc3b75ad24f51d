// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block requests under way. ctrace knows those that a session follows (block_io). How many there are in each
 * disk the kernel counts, too (/sys/block/NAME/inflight): so it is known how many began before, though not
 * whose they are.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/table.h"
#include "count/view.h"
#include "names/disks.h"
#include "strace/paint.h"
#include "tools/stuck.h"

#define DISKS_MAX	4096u
#define LOOKS		3
#define BETWEEN		(20 * NSEC_PER_SEC / 1000)

struct stuck_disk {
	char name[64];
	uint64_t there, known;	/* requests in it: by the kernel's counter, and those that ctrace knows */
	uint64_t unknown;	/* how many there were more, at each of the looks */
};

/* --- what ctrace does not know ------------------------------------------------------- */

/* A disk that is made of others (device mapper, md) gets bios; they become requests of its disks. */
static bool has_requests(const char *name)
{
	char *path = xasprintf("/sys/block/%s/mq", name), *text = NULL;
	bool has = !access(path, F_OK);

	free(path);
	if (!has) {	/* before blk-mq: it has a scheduler */
		path = xasprintf("/sys/block/%s/queue/scheduler", name);
		text = read_file(path, NULL);
		has = text && strncmp(text, "none", 4) != 0;
		free(path);
		free(text);
	}
	return has;
}

static uint64_t in_flight(const char *name)
{
	char *path = xasprintf("/sys/block/%s/inflight", name), *text = read_file(path, NULL), *rest = text;
	uint64_t n = text ? strtoull(text, &rest, 10) : 0;

	n += text ? strtoull(rest, NULL, 10) : 0;
	free(path);
	free(text);
	return n;
}

static void list_disks(struct stuck_requests *q)
{
	DIR *d = opendir("/sys/block");
	struct dirent *e;

	while (d && (e = readdir(d)) && q->ndisks < DISKS_MAX) {
		struct stuck_disk *disk;

		if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof(disk->name) || !in_flight(e->d_name) ||
		    !has_requests(e->d_name))
			continue;
		q->disks = xrealloc(q->disks, (q->ndisks + 1) * sizeof(q->disks[0]));
		disk = &q->disks[q->ndisks++];
		*disk = (struct stuck_disk){ .unknown = UINT64_MAX };
		strcpy(disk->name, e->d_name);
	}
	if (d)
		closedir(d);
}

static int count(const struct ctrace_request_info *i, void *arg)
{
	struct stuck_requests *q = arg;
	struct sbuf name = { 0 };

	disk_put(&name, i->dev, true);
	for (size_t k = 0; k < q->ndisks && i->at == CTRACE_REQUEST_DISK; k++)
		q->disks[k].known += !strcmp(q->disks[k].name, name.s);
	sbuf_free(&name);
	return 0;
}

/*
 * Requests come and go while they are counted. So the kernel's counter is read before and after, and the
 * smallest difference of some looks is taken.
 */
static int look_at_disks(struct stuck_requests *q, struct ctrace *ct)
{
	const struct timespec rest = { .tv_nsec = BETWEEN };
	size_t n = 0;
	int err;

	list_disks(q);
	for (int i = 0; i < LOOKS && q->ndisks; i++) {
		if (i)
			nanosleep(&rest, NULL);
		for (size_t k = 0; k < q->ndisks; k++) {
			q->disks[k].there = in_flight(q->disks[k].name);
			q->disks[k].known = 0;
		}
		err = ctrace_request_each(ct, 0, count, q);
		if (err)
			return err;
		for (size_t k = 0; k < q->ndisks; k++) {
			struct stuck_disk *d = &q->disks[k];
			uint64_t after = in_flight(d->name), there = after < d->there ? after : d->there;
			uint64_t more = there > d->known ? there - d->known : 0;

			d->unknown = more < d->unknown ? more : d->unknown;
		}
	}
	for (size_t k = 0; k < q->ndisks; k++)
		if (q->disks[k].unknown)
			q->disks[n++] = q->disks[k];
	q->ndisks = n;
	return 0;
}

/* --- what it knows ---------------------------------------------------------------------- */

static int add(const struct ctrace_request_info *i, void *arg)
{
	struct stuck_requests *q = arg;

	if (i->ns < q->longer)
		return 0;
	if (!(q->n & (q->n - 1)))
		q->v = xrealloc(q->v, (q->n ? 2 * q->n : 1) * sizeof(q->v[0]));
	q->v[q->n++] = *i;
	return 0;
}

static int by_age(const void *a, const void *b)
{
	const struct ctrace_request_info *x = a, *y = b;

	return x->ns == y->ns ? 0 : x->ns < y->ns ? 1 : -1;
}

int stuck_requests_look(struct stuck_requests *q, struct run *r)
{
	int err = ctrace_request_each(r->ct, ctrace_session_id(r->session), add, q);

	if (q->n)
		qsort(q->v, q->n, sizeof(q->v[0]), by_age);
	return err ? err : look_at_disks(q, r->ct);
}

/* In the order of enum ctrace_request_at. */
static const char *place(uint32_t at)
{
	static const char *const words[] = { "?", "limit", "queue", "disk" };

	return words[at < ARRAY_SIZE(words) ? at : 0];
}

void stuck_requests_print(const struct stuck_requests *q, struct run *r, size_t n, bool after)
{
	static const char *const heads[] = {
		"CONTAINER", "AGE", "AT", "COMM/TID", "DISK", "T", "SECTOR", "BYTES",
	};
	struct table t;

	table_init(&t, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < q->n && i < n; i++) {
		const struct ctrace_request_info *x = &q->v[i];
		char *who = x->tid ? xasprintf("%s/%u", x->comm, x->tid) : xstrdup("-");
		struct sbuf disk = { 0 }, rwbs = { 0 };

		disk_put(&disk, x->dev, true);
		rwbs_put(&rwbs, x->rwbs);
		table_str(&t, ctable_shown(r->ctable, x->cid));
		table_ns(&t, x->ns);
		table_str(&t, place(x->at));
		table_str(&t, who);
		table_str(&t, disk.s);
		table_str(&t, rwbs.s ? rwbs.s : "");
		table_num(&t, x->sector);
		table_num(&t, x->bytes);
		table_end_row(&t);
		sbuf_free(&disk);
		sbuf_free(&rwbs);
		free(who);
	}
	if (q->n) {
		if (after)
			putchar('\n');
		table_print(&t, stdout);
	}
	table_free(&t);
}

void stuck_requests_json(const struct stuck_requests *q, struct run *r, struct json *j, size_t n)
{
	json_open(j, "requests", '[');
	for (size_t i = 0; i < q->n && i < n; i++) {
		const struct ctrace_request_info *x = &q->v[i];
		struct sbuf disk = { 0 }, rwbs = { 0 };

		disk_put(&disk, x->dev, true);
		rwbs_put(&rwbs, x->rwbs);
		json_open(j, NULL, '{');
		json_uint(j, "cid", x->cid);
		json_str(j, "container", ctable_label(r->ctable, x->cid));
		if (x->tid) {
			json_uint(j, "tid", x->tid);
			json_str(j, "comm", x->comm);
		}
		json_uint(j, "age", x->ns);
		json_str(j, "at", place(x->at));
		if (x->at == CTRACE_REQUEST_DISK)
			json_uint(j, "issued_age", x->issued_ns);
		json_str(j, "disk", disk.s);
		json_strn(j, "rwbs", rwbs.s ? rwbs.s : "", rwbs.len);
		json_uint(j, "sector", x->sector);
		json_uint(j, "bytes", x->bytes);
		json_close(j, '}');
		sbuf_free(&disk);
		sbuf_free(&rwbs);
	}
	json_close(j, ']');
	json_open(j, "unknown_requests", '[');
	for (size_t i = 0; i < q->ndisks; i++) {
		json_open(j, NULL, '{');
		json_str(j, "disk", q->disks[i].name);
		json_uint(j, "requests", q->disks[i].unknown);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void stuck_requests_account(const struct stuck_requests *q)
{
	for (size_t i = 0; i < q->ndisks; i++) {
		const struct stuck_disk *d = &q->disks[i];
		bool one = d->unknown == 1;

		fprintf(stderr,
			"ctrace: %s has %llu request%s in it that no session has followed (block_io) "
			"since %s began: whose %s, and how old, is not known\n",
			d->name, (unsigned long long)d->unknown, one ? "" : "s", one ? "it" : "they",
			one ? "it is" : "they are");
	}
}

void stuck_requests_free(struct stuck_requests *q)
{
	free(q->v);
	free(q->disks);
}
