// SPDX-License-Identifier: GPL-2.0-only
/*
 * Views of recordings: random events go through the writer into a directory and are counted from there; a plain count over
 * the same events says what must come out. Calls come as whole ones, and as entries and exits.
 */
#include "recorded_fixture.h"

/* --- what must come out ----------------------------------------------------------------- */

static uint32_t bucket(uint64_t v)
{
	uint32_t b = 0;

	while (ctrace_table_bucket_top(b) < v)
		b++;
	return b;
}

/* Of the waits of row r: container and comm; log2 of the prio's low bits is not asked for. */
static bool is_of(const struct event *e, const struct ctrace_look *l, const struct ctrace_look_row *r)
{
	const char *comm;
	size_t n;

	comm = ctrace_row_text(l, r, 0, &n);
	return e->cid == r->cid && strlen(e->comm) == n && !memcmp(e->comm, comm, n) &&
	       (int64_t)r->key[3] == e->prio / 2;
}

static uint32_t expected_rows;

static void check_waits(const struct view *v, const struct view_table *t, const struct ctrace_look *l)
{
	const struct ctrace_look_row *r;
	uint64_t all = 0;

	(void)v, (void)t;
	for (size_t k = 0; (r = ctrace_look_row(l, k)); k++) {
		uint64_t n = 0, sum = 0, max = 0, h[CTRACE_TABLE_BUCKETS] = { 0 };
		int64_t min = INT64_MAX, prios = 0;

		for (uint32_t i = 0; i < EVENTS; i++) {
			const struct event *e = &events[i];

			if (!is_of(e, l, r))
				continue;
			n++;
			sum += e->duration;
			max = e->duration > max ? e->duration : max;
			min = e->prio < min ? e->prio : min;
			prios += e->prio;
			h[bucket(e->duration)]++;
		}
		if (r->cid == CTRACE_CID_ALL)
			continue;
		check(n > 0 && !r->other);
		check_eq(r->values[0], n);
		check_eq(r->values[1], sum);
		check_eq(r->values[2], min);
		check_eq(r->values[3], max);
		check_eq(r->values[4], prios);
		check_eq(r->values[5], n);
		check(!memcmp(&r->values[6], h, sizeof(h)));
		all += n;
	}
	check_eq(all, EVENTS);
}

static void draw_owner(struct event *e, uint32_t i)
{
	*e = (struct event){
		.time = 1000000 + 10 * (uint64_t)i, .cid = 1 + draw(4), .cpu = draw(CPUS), .tid = 100 + (int32_t)draw(8),
	};
}

static void record_waits(uint64_t s, const char *asked)
{
	struct made m;

	begin(s);
	for (uint32_t i = 0; i < EVENTS; i++) {
		draw_owner(&events[i], i);
		draw_wait(&events[i]);
		make_wait(&m, &events[i]);
		add(events[i].cpu, &m);
	}
	lost = 17;
	end(asked);
}

static void same_rows(void)
{
	for (uint64_t s = 1; s <= 3; s++) {
		record_waits(s, NULL);
		look_at = check_waits;
		check_eq(count_it("sched_wait", "count(), sum(duration), min(prio), max(duration), avg(prio), hist(duration) by comm, prio/2",
				  "all", NULL, 0), CLI_OK);
		look_at = NULL;
		check_eq(periods, 1);
		check_eq(lost, 17);
		remove_all();
	}
}

/* Tables that are far too small: nothing is lost, but where it belongs. */
static void crowded(void)
{
	record_waits(4, NULL);
	check_eq(count_it("sched_wait", "count() by duration, tid", "all", NULL, 1), CLI_OK);
	check_eq(total, EVENTS);
	check(rows_seen < 3 * (1 + 64) + 1);
	remove_all();
}

static uint64_t those(bool (*which)(const struct event *e))
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < EVENTS; i++)
		n += which(&events[i]);
	return n;
}

static bool in_c2(const struct event *e)
{
	return e->cid == 2;
}

static bool long_ones(const struct event *e)
{
	return e->duration > 1000 && e->prio < 0;
}

static bool of_103(const struct event *e)
{
	return e->tid == 103;
}

static void chosen(void)
{
	record_waits(5, NULL);
	check_eq(count_it("sched_wait", "count()", "c2", NULL, 0), CLI_OK);
	check_eq(total, those(in_c2));
	check_eq(count_it("sched_wait", "count()", "not:c2", NULL, 0), CLI_OK);
	check_eq(total, EVENTS - those(in_c2));
	check_eq(count_it("sched_wait if duration > 1000 && prio < 0", "count()", "all", NULL, 0), CLI_OK);
	check_eq(total, those(long_ones));
	check_eq(count_it("sched_wait", "count()", "all", "$tid == 103", 0), CLI_OK);
	check_eq(total, those(of_103));
	remove_all();
}

/* What cannot be answered is refused, with what was recorded. */
static void refused(void)
{
	record_waits(6, "{\"events\":[{\"name\":\"sched_wait\"},{\"name\":\"call:read\",\"if\":\"ret > 0\"}]}");
	check_eq(count_it("sched_wait", "count()", "all", NULL, 0), CLI_OK);
	check_eq(count_it("sched_switch", "count()", "all", NULL, 0), CLI_FAIL);
	check(strstr(message, "sched_switch") != NULL);
	check_eq(count_it("openat", "count()", "all", NULL, 0), CLI_FAIL);
	check(strstr(message, "only these were recorded: sched_wait, call:read if ret > 0") != NULL);
	check_eq(count_it("read", "count()", "all", NULL, 0), CLI_OK);
	check_eq(count_it("sched_wait", "count() by uid", "all", NULL, 0), CLI_FAIL);
	check(strstr(message, "user") != NULL);
	check_eq(count_it("sched_wait", "count() by stack", "all", NULL, 0), CLI_FAIL);
	check(strstr(message, "record --stack") != NULL);
	check_eq(count_it("sched_wait", "count() by nothing", "all", NULL, 0), CLI_FAIL);
	check(strstr(message, "nothing") != NULL);
	remove_all();
}

/* --- calls ------------------------------------------------------------------------------- */

static void check_calls(const struct view *v, const struct view_table *t, const struct ctrace_look *l)
{
	const struct ctrace_look_row *r;

	(void)v, (void)t;
	for (size_t k = 0; (r = ctrace_look_row(l, k)); k++) {
		uint64_t n = 0, sum = 0;

		for (uint32_t i = 0; i < EVENTS; i++) {
			const struct event *e = &events[i];

			if (e->cid != r->cid || e->id != r->key[1] || (e->ret < 0 ? -e->ret : 0) != (int64_t)r->key[2])
				continue;
			n++;
			sum += e->duration;
		}
		if (r->cid == CTRACE_CID_ALL)
			continue;
		check_eq(r->values[0], n);
		check_eq(r->values[1], sum);
		expected_rows++;
	}
	check_eq(total, EVENTS);
}

static bool passwd(const struct event *e)
{
	return e->id == CALL(257) && e->prio;
}

/* Each task makes one call after the other: each of the eight tasks' turns comes in turn. */
static void record_calls(uint64_t s, bool whole)
{
	struct made m;

	begin(s);
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct event *e = &events[i];

		draw_owner(e, i + 100);
		e->tid = 100 + (int32_t)(i % 8);
		e->cid = 1 + (uint32_t)e->tid % 4;
		e->cpu = (uint32_t)e->tid % CPUS;
		e->id = draw(2) ? CALL(0) : CALL(257);
		e->prio = (int32_t)draw(2);
		e->ret = draw(3) ? draw(100) : -(int64_t)(1 + draw(3));
		e->duration = 1 + draw(70);
		if (whole) {
			make_whole(&m, e);
			add(e->cpu, &m);
		}
	}
	/* entries and exits in order of time */
	for (uint64_t time = 1000000; !whole && time < 1000000 + 10 * (EVENTS + 101); time++) {
		uint32_t last = (uint32_t)((time - 1000000) / 10), i;

		for (i = last > 100 ? last - 100 : 0; i < EVENTS && i <= last - 92 + 100; i++) {
			const struct event *e = &events[i];

			if (e->time - e->duration == time && e->id == CALL(0))
				make_read(&m, time, e->cid, e->tid);
			else if (e->time - e->duration == time)
				make_openat(&m, time, e->cid, e->tid, e->prio ? "/etc/passwd" : "/x", 0);
			else if (e->time == time)
				make_exit(&m, time, e->id - CALL(0), e->cid, e->tid, e->ret);
			else
				continue;
			add(e->cpu, &m);
		}
	}
	end(NULL);
}

static void calls(void)
{
	for (int whole = 0; whole < 2; whole++) {
		record_calls(7, whole);
		expected_rows = 0;
		look_at = check_calls;
		check_eq(count_it("calls", "count(), sum(duration) by syscall, errno", "all", NULL, 0), CLI_OK);
		look_at = NULL;
		check_eq(expected_rows, 4 * 2 * 4);
		check_eq(count_it("openat if filename == \"/etc/passwd\"", "count()", "all", NULL, 0), CLI_OK);
		check_eq(total, those(passwd));
		remove_all();
	}
}

/* --- names of tasks, and torn files --------------------------------------------------------- */

static void check_names(const struct view *v, const struct view_table *t, const struct ctrace_look *l)
{
	const struct ctrace_look_row *r;
	size_t n;

	(void)v, (void)t;
	for (size_t k = 0; (r = ctrace_look_row(l, k)); k++) {
		const char *comm = ctrace_row_text(l, r, 0, &n);

		if (r->cid == CTRACE_CID_ALL)
			continue;
		check_eq(n, strlen("task-100"));
		check(!strncmp(comm, "task-10", 7));
		check_eq((int64_t)r->key[3], comm[7] - '0' < 4 ? 100 : 104);
	}
}

/* The dump of existing tasks comes after the first events. */
static void tasks(void)
{
	struct made m;

	begin(8);
	for (uint32_t i = 0; i < EVENTS; i++) {
		draw_owner(&events[i], i);
		draw_wait(&events[i]);
		make_wait(&m, &events[i]);
		add(0, &m);
		for (int32_t tid = 100; i == 20 && tid < 108; tid++) {
			char name[16] = "task-10";

			name[7] = (char)('0' + tid - 100);
			make(&m, events[i].time, CTRACE_ID_STATEDUMP_PROCESS_STATE, 1, tid, 1);
			put_int(&m, (uint64_t)tid, 4);
			put_int(&m, tid < 104 ? 100 : 104, 4);
			put_name(&m, name);
			add(0, &m);
		}
	}
	end(NULL);
	look_at = check_names;
	check_eq(count_it("sched_wait", "count() by $comm, $pid", "all", NULL, 0), CLI_OK);
	look_at = NULL;
	check_eq(total, EVENTS);
	check_eq(count_it("sched_wait", "count()", "all", "$comm ~ \"task-10[0-3]\" && $pid == 100", 0), CLI_OK);
	check(total > EVENTS / 4 && total < EVENTS * 3 / 4);
	remove_all();
}

static void torn(void)
{
	struct stat st;
	char path[128];

	record_waits(9, NULL);
	snprintf(path, sizeof(path), "%s/shared_1", dir);
	check_eq(stat(path, &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size -= 1 + (off_t)draw(9000)) {
		check_eq(truncate(path, size), 0);
		message[0] = '\0';
		check_eq(count_it("sched_wait", "count()", "all", NULL, 0), size ? CLI_FAIL : CLI_OK);
		check(!size || strstr(message, "shared_1 ends within a packet"));
		check(total > EVENTS / 2 && total < EVENTS);
	}
	remove_all();
}

/* Any bytes may be in a file: the address sanitizer watches. */
static void spoilt(void)
{
	char path[128], byte;
	FILE *f;

	for (uint64_t s = 0; s < 20; s++) {
		record_calls(10 + s, s % 2);
		snprintf(path, sizeof(path), "%s/shared_%u", dir, draw(CPUS));
		f = fopen(path, "r+");
		for (uint32_t i = 0; i < 40; i++) {
			/* mostly heads of records, and lengths of strings in them */
			fseek(f, draw(5) ? 80 + 8 * draw(2000) + 8 + draw(6) : draw(90), SEEK_SET);
			byte = (char)draw(256);
			fwrite(&byte, 1, 1, f);
		}
		fclose(f);
		count_it("calls", "count(), sum(duration) by syscall, errno", "all", NULL, 0);
		check(total <= EVENTS);
		count_it("openat if filename ~ \"/e*\"", "count(), max(mode) by filename, $comm", "all", NULL, 0);
		remove_all();
	}
}

static const struct ktap_case cases[] = {
	{ "same_rows", same_rows }, { "crowded", crowded }, { "chosen", chosen }, { "refused", refused },
	{ "calls", calls }, { "tasks", tasks }, { "torn", torn },
	{ "spoilt", spoilt },
};
KTAP_MAIN(cases)
