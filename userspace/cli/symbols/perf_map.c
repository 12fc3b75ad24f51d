// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that a process compiled itself: the file /tmp/perf-PID.map in its root has a line "START SIZE
 * NAME" for each, with numbers in hexadecimal; PID is its number in its own pid namespace. A process may
 * write anything about itself, but other users may not: the file counts only if its owner is the process's
 * user.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/foreign.h"
#include "symbols/symbols_far.h"

#define LOOK_AGAIN	(NSEC_PER_SEC / 2)	/* look after this time whether it has changed */
#define FILE_MAX	(32 << 20)		/* bytes; of a longer file the end, which is newer */
#define NAME_MAX_SHOWN	1024			/* bytes of a name; the rest is left out */

/* Reads a task's status from /proc. False: it is gone. */
static bool ask(int32_t tid, struct perf_map_of *of)
{
	char *path = xasprintf("/proc/%d/status", tid), *text = read_file(path, NULL), *line, *end;
	bool is = false;

	free(path);
	line = text ? strstr(text, "\nTgid:\t") : NULL;
	of->pid = line ? atoi(line + 7) : 0;
	line = text ? strstr(text, "\nUid:\t") : NULL;
	line = line ? strchr(line + 6, '\t') : NULL;
	of->uid = line ? (uint32_t)strtoul(line, NULL, 10) : 0;
	/* a number for each namespace, from Linux 4.1 on */
	line = line ? strstr(line, "\nNStgid:\t") : NULL;
	if (line) {
		of->inner = (int32_t)strtol(line + 9, &end, 10);
		while (*end == '\t')
			of->inner = (int32_t)strtol(end, &end, 10);
		is = of->pid > 0 && of->inner > 0;
	}
	free(text);
	return is;
}

int32_t perf_map_process(int32_t tid)
{
	struct perf_map_of of;

	return ask(tid, &of) ? of.pid : 0;
}

static void add_line(struct symtab *t, const char *line, size_t n)
{
	char *end, *last;
	uint64_t start = strtoull(line, &end, 16), size;

	if (end == line || *end != ' ')
		return;
	size = strtoull(end, &last, 16);
	if (last == end || *last != ' ' || !size || start + size < start)
		return;
	end = last + 1;
	n -= (size_t)(end - line);
	if (n)
		symtab_add(t, start, size, end, n < NAME_MAX_SHOWN ? n : NAME_MAX_SHOWN, NULL, 0);
}

/*
 * From the last line to the first: of two functions in one place, the table shows the one that was added
 * first.
 */
static void add_lines(struct symtab *t, char *text, size_t n)
{
	char *newline;

	while ((newline = memrchr(text, '\n', n))) {
		size_t len = n - (size_t)(newline + 1 - text);

		/* what follows is a NUL */
		add_line(t, newline + 1, strnlen(newline + 1, len));
		n = (size_t)(newline - text);
		*newline = '\0';
	}
	add_line(t, text, strnlen(text, n));
}

static void read_map(struct symtab *t, int fd, const struct stat *st)
{
	size_t n = st->st_size < FILE_MAX ? (size_t)st->st_size : FILE_MAX, got = 0;
	char *text = malloc(n + 1), *whole;
	ssize_t k;

	if (!text)
		return;
	while (got < n && (k = pread(fd, text + got, n - got, st->st_size - (off_t)n + (off_t)got)) > 0)
		got += (size_t)k;
	text[got] = '\0';
	whole = st->st_size > FILE_MAX ? memchr(text, '\n', got) : text;
	if (whole)
		add_lines(t, whole, got - (size_t)(whole - text));
	symtab_sort(t);
	free(text);
}

bool perf_map_read(const struct perf_map_of *of, struct perf_map_file *f, struct symtab *t)
{
	struct perf_map_file is;
	struct held_root h;
	struct root root;
	bool read = false;
	struct stat st;
	char path[40];
	int held = root_hold(&h, &root, of->pid), fd = -1;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", of->inner);
	if (held >= 0) {
		root_look(&root, path);
		fd = foreign_open_in_root(root.at, path, &st);
		close(held);
	}
	if (fd < 0)
		return false;
	is = (struct perf_map_file){ st.st_ino, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec };
	if (st.st_uid == of->uid && (is.ino != f->ino || is.size != f->size || is.sec != f->sec || is.nsec != f->nsec)) {
		*f = is;
		read_map(t, fd, &st);
		read = true;
	}
	foreign_close(fd);
	return read;
}

bool perf_map_look(struct perf_map *p, struct symbols_far *far, int32_t tid)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct perf_map_of of;
	enum reading how;
	struct symtab t;

	if (p->never || (p->looked && now - p->looked < LOOK_AGAIN))
		return false;
	p->looked = now;
	/* the map of a process that has gone is kept */
	if (!ask(tid, &of))
		return false;
	how = symbols_far_map(far, &of, &p->file, &t);
	p->never = how == READING_NEVER;
	if (how != READING_DONE)
		return false;
	symtab_free(&p->t);
	p->t = t;
	return true;
}

void perf_map_free(struct perf_map *p)
{
	symtab_free(&p->t);
	memset(p, 0, sizeof(*p));
}

size_t perf_map_bytes(const struct perf_map *p)
{
	return p->t.cap * sizeof(p->t.v[0]) + p->t.text.cap;
}
