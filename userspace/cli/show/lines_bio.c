// SPDX-License-Identifier: GPL-2.0-only
/* The form of ctrace bio --lines: biosnoop's columns. */
#include "names/disks.h"
#include "show/lines.h"

static bool get_since(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	*n = l->rec->time > l->first ? (int64_t)(l->rec->time - l->first) : 0;
	return true;
}

/* The name of the issuer: for write-back, a kernel thread. */
static bool get_comm(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return line_text(l, b, "comm");
}

static bool get_by(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "tid", n);
}

static bool get_disk(struct line *l, struct sbuf *b, int64_t *n)
{
	if (!line_number(l, "dev", n))
		return false;
	disk_put(b, (uint32_t)*n, l->live);
	return true;
}

static bool get_rwbs(struct line *l, struct sbuf *b, int64_t *n)
{
	const struct ctrace_value *v = line_field(l, "rwbs");

	(void)n;
	if (!v)
		return false;
	rwbs_put(b, v->u);
	return true;
}

static bool get_sector(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "sector", n);
}

static bool get_bytes(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "bytes", n);
}

static bool get_queued(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "queued", n);
}

static bool get_throttled(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "throttled", n);
}

static bool get_error(struct line *l, struct sbuf *b, int64_t *n)
{
	return line_number(l, "error", n) && line_errno(b, *n);
}

static const struct lines_column columns[] = {
	{ "TIME(s)", "since_first", -11, LINES_MICROSECONDS, get_since },
	{ "COMM", "comm", -15, LINES_TEXT, get_comm },
	{ "PID", "by_tid", -7, LINES_NUMBER, get_by },
	{ "DISK", "disk", -9, LINES_TEXT, get_disk },
	{ "T", "rwbs", -3, LINES_TEXT, get_rwbs },
	{ "SECTOR", "sector", -11, LINES_NUMBER, get_sector },
	{ "BYTES", "bytes", -8, LINES_NUMBER, get_bytes },
	{ "QUE(ms)", "queued", 8, LINES_MS, get_queued },
	{ "THR(ms)", "throttled", 8, LINES_MS, get_throttled },
	{ "LAT(ms)", "duration", 8, LINES_MS, line_get_duration },
	{ "ERR", "errno", 0, LINES_TEXT, get_error },
	{ NULL, NULL, 0, 0, NULL }
};

const struct lines_form lines_bio = {
	.word = "bio --lines", .events = "block_io", .failed = "error != 0", .spans = true, .named = true,
	.columns = columns,
};
