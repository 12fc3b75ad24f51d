// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports of a recording: what was recorded is counted in the file that was written, by a reader that knows the format from
 * its own description: numbers of fields are as in perfetto_trace.proto. Torn and spoilt recordings give
 * files that
 * are whole.
 */
#include <json-c/json.h>
#include <math.h>
#include "export_fixture.h"
#include "text_look.h"
#include "read_proto.h"

static char file[80];

static int export_it(const struct export_writer *w, const char *target)
{
	char *words[] = { (char *)target };
	struct export_opts o = { .dir = dir, .out = file, .targets = words, .ntargets = 1 };

	snprintf(file, sizeof(file), "%s.out", dir);
	message[0] = '\0';
	return export_run(w, &o);
}

static void remove_both(void)
{
	if (!getenv("KEEP"))
		unlink(file);
	remove_all();
}

static struct span load(void)
{
	static uint8_t *bytes;
	FILE *f = fopen(file, "re");
	struct stat st;
	size_t n = 0;

	if (!check(f != NULL))
		return (struct span){ 0 };
	fstat(fileno(f), &st);
	bytes = realloc(bytes, (size_t)st.st_size + 1);
	n = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	return (struct span){ bytes, bytes + n };
}

/* --- what is in the file --------------------------------------------------------------------- */

#define TRACKS	400

static struct track {
	uint64_t uuid, parent;
	int32_t tid;
	char name[64];
	uint64_t begun, ended, last;
	double sum;		/* of a counter, each value until the next */
	double value;
} tracks[TRACKS];
static size_t ntracks;
static struct {
	uint64_t packets, calls[CIDS + 1], failed[CIDS + 1], ios[CIDS + 1], switches, ran[CIDS + 1], samples, lost, stackless;
	char process[TASKS + 1][64];
	int32_t nspid[TASKS + 1];
} seen;
static struct {
	int32_t tid;
	uint64_t since;
} cpus[CPUS];
static uint64_t stacks_known;

static struct track *track_of(uint64_t uuid)
{
	for (size_t i = 0; i < ntracks; i++)
		if (tracks[i].uuid == uuid)
			return &tracks[i];
	check(false);
	return NULL;
}

static void copy(char *to, size_t size, struct span s)
{
	snprintf(to, size, "%.*s", (int)(s.end - s.p), s.p ? (const char *)s.p : "");
}

static void see_descriptor(struct span m)
{
	uint64_t uuid = get(m, 1).v;
	struct field thread = get(m, 4);
	struct track *t;

	for (size_t i = 0; i < ntracks; i++)
		if (tracks[i].uuid == uuid)
			return;
	if (!check(ntracks < TRACKS))
		return;
	t = &tracks[ntracks++];
	*t = (struct track){ .uuid = uuid, .parent = get(m, 5).v, .value = -1 };
	copy(t->name, sizeof(t->name), get(m, 2).s);
	if (thread.s.p) {
		t->tid = (int32_t)get(thread.s, 2).v;
		check_eq(get(thread.s, 1).v, pid_of(t->tid));
	}
	check(!t->parent || track_of(t->parent));
}

/* The container of a track: by its thread's process, or by the group that it is in. */
static uint32_t container_of(const struct track *t)
{
	const char *name = t->tid ? seen.process[pid_of(t->tid) - 100] : t->parent ? track_of(t->parent)->name : t->name;
	uint32_t cid = 0;

	check(sscanf(name, "c%u", &cid) == 1 || !strcmp(name, "host"));
	return cid;
}

static int64_t detail(struct span event, const char *name)
{
	struct field f;

	while (next(&event, &f))
		if (f.number == 4 && is_text(get(f.s, 10).s, name))
			return (int64_t)get(f.s, 4).v;
	return 0;
}

static void see_counter(struct track *t, struct span m, uint64_t time)
{
	double v;
	uint64_t bits = get(m, 44).v;

	memcpy(&v, &bits, 8);
	if (t->value >= 0)
		t->sum += t->value * (double)(time - t->last);
	t->value = v;
	t->last = time;
}

static void see_event(struct span m, uint64_t time)
{
	struct track *t = track_of(get(m, 11).v);
	uint64_t type = get(m, 9).v;
	uint32_t cid;

	if (!t || !check(time))
		return;
	cid = container_of(t);
	if (type == 4) {
		see_counter(t, m, time);
		return;
	}
	check(time >= t->last);
	t->last = time;
	if (type == 3)
		return;
	t->begun += type == 1;
	t->ended += type == 2;
	/* what is on one track does not overlap */
	check(t->begun - t->ended <= 1);
	if (type == 1 && t->tid) {
		check(is_text(get(m, 23).s, "read") || is_text(get(m, 23).s, "openat"));
		check(get(m, 4).s.p != NULL);
		seen.calls[cid]++;
	}
	if (t->tid)
		seen.failed[cid] += detail(m, "ret") < 0;
	if (type == 1 && !strcmp(t->name, "block_io"))
		seen.ios[cid]++;
	if (type == 1 && !strcmp(t->name, "lost"))
		seen.lost++;
}

static void see_switch(uint32_t cpu, uint64_t time, struct span m)
{
	int32_t prev = (int32_t)get(m, 2).v, next_tid = (int32_t)get(m, 6).v;

	check_eq(prev, cpus[cpu].tid);
	check(time >= cpus[cpu].since);
	if (prev)
		seen.ran[cid_of(prev)] += time - cpus[cpu].since;
	cpus[cpu].tid = next_tid;
	cpus[cpu].since = time;
	seen.switches++;
}

static void see_bundle(struct span m)
{
	uint64_t cpu = get(m, 1).v;
	struct field f, e;

	if (!check(cpu < CPUS))
		return;
	while (next(&m, &f)) {
		if (f.number != 2)
			continue;
		e = get(f.s, 4);
		if (e.s.p)
			see_switch((uint32_t)cpu, get(f.s, 1).v, e.s);
	}
}

static void see_processes(struct span m)
{
	struct field f;

	while (next(&m, &f)) {
		int32_t pid = (int32_t)get(f.s, 1).v;

		if (f.number != 1 || !check(pid > 100 && pid <= 100 + TASKS))
			continue;
		copy(seen.process[pid - 100], sizeof(seen.process[0]), get(f.s, 3).s);
		seen.nspid[pid - 100] = (int32_t)get(f.s, 6).v;
	}
}

static void see_interned(struct span m)
{
	struct field f;

	while (next(&m, &f))
		if (f.number == 7)
			stacks_known = get(f.s, 1).v;
}

static void see_sample(struct span m)
{
	uint64_t stack = get(m, 4).v;

	check(cid_of((int32_t)get(m, 3).v) > 0);
	check(stack <= stacks_known);
	seen.samples++;
	seen.stackless += !stack;
}

static void see_packet(struct span m)
{
	uint64_t time = get(m, 8).v;
	struct span packet = m;
	struct field f;

	check_eq(get(m, 10).v, 1);
	while (next(&packet, &f)) {
		switch (f.number) {
		case 1:
			see_bundle(f.s);
			break;
		case 2:
			see_processes(f.s);
			break;
		case 11:
			see_event(f.s, time);
			break;
		case 12:
			see_interned(f.s);
			break;
		case 60:
			see_descriptor(f.s);
			break;
		case 66:
			see_sample(f.s);
			break;
		}
	}
	seen.packets++;
}

static void look(void)
{
	struct span m = load();
	struct field f;

	memset(&seen, 0, sizeof(seen));
	memset(cpus, 0, sizeof(cpus));
	ntracks = 0;
	stacks_known = 0;
	while (next(&m, &f)) {
		check_eq(f.number, 1);
		see_packet(f.s);
	}
}

/* --- cases ------------------------------------------------------------------------------------ */

static double counted(const char *name, uint32_t cid)
{
	for (size_t i = 0; i < ntracks; i++)
		if (!strcmp(tracks[i].name, name) && tracks[i].parent && container_of(&tracks[i]) == cid)
			return tracks[i].sum / 100;
	return 0;
}

static void perfetto(void)
{
	for (uint64_t s = 1; s <= 3; s++) {
		run_machine(s);
		check_eq(export_it(&export_perfetto, "all"), CLI_OK);
		look();
		for (uint32_t i = 0; i < CPUS; i++)	/* who had it at the end still has it */
			must.ran[cid_of(on[i].tid)] += on[i].tid ? must.last - on[i].since : 0;
		for (uint32_t cid = 1; cid <= CIDS; cid++) {
			check_eq(seen.calls[cid], must.calls[cid]);
			check_eq(seen.failed[cid], must.failed[cid]);
			check_eq(seen.ios[cid], must.ios[cid]);
			check_eq(seen.ran[cid], must.ran[cid]);
			check(fabs(counted("CPU", cid) - (double)must.ran[cid]) < 1000);
		}
		check_eq(seen.samples, must.samples);
		check_eq(seen.stackless, 0);
		check(!strcmp(seen.process[1], "c1 \u00b7 worker"));
		check_eq(seen.nspid[3], 3);
		remove_both();
	}
}

static void one_container(void)
{
	run_machine(4);
	check_eq(export_it(&export_perfetto, "c2"), CLI_OK);
	look();
	check_eq(seen.calls[2], must.calls[2]);
	for (uint32_t cid = 1; cid <= CIDS; cid++)
		check(cid == 2 || seen.calls[cid] + seen.ran[cid] + seen.ios[cid] == 0);
	remove_both();
}

static void losses(void)
{
	run_machine(5);
	remove_both();
	memset(in_call, 0, sizeof(in_call));
	begin_with(6, machine_types());
	dump_tasks(1000);
	lost = 17;
	end(NULL);
	check_eq(export_it(&export_perfetto, "all"), CLI_OK);
	look();
	check_eq(seen.lost, 1);
	remove_both();
}

static void torn(void)
{
	struct stat st;
	char path[128];

	run_machine(7);
	snprintf(path, sizeof(path), "%s/shared_1", dir);
	check_eq(stat(path, &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size -= 1 + (off_t)draw(20000)) {
		check_eq(truncate(path, size), 0);
		check_eq(export_it(&export_chrome, "all"), size ? CLI_FAIL : CLI_OK);
		check_eq(export_it(&export_trace_dat, "all"), size ? CLI_FAIL : CLI_OK);
		check_eq(export_it(&export_perfetto, "all"), size ? CLI_FAIL : CLI_OK);
		check(!size || strstr(message, "shared_1 ends within a packet"));
		look();
		check(seen.packets > 100);
	}
	remove_both();
}

/* Any bytes may be in a file: the address sanitizer watches, and what is written is well formed. */
static void spoilt(void)
{
	char path[128], byte;
	struct json_object *o;
	struct span m;
	struct field f;
	FILE *out;

	for (uint64_t s = 0; s < 20; s++) {
		run_machine(10 + s);
		snprintf(path, sizeof(path), "%s/shared_%u", dir, draw(CPUS));
		out = fopen(path, "r+");
		for (uint32_t i = 0; i < 40; i++) {
			/* mostly heads of records, and lengths of strings in them */
			fseek(out, draw(5) ? 80 + 8 * draw(6000) + 8 + draw(6) : draw(90), SEEK_SET);
			byte = (char)draw(256);
			fwrite(&byte, 1, 1, out);
		}
		fclose(out);
		export_it(&export_perfetto, "all");
		m = load();
		while (next(&m, &f))
			check_eq(f.number, 1);
		export_it(&export_trace_dat, "all");
		export_it(&export_chrome, "all");
		o = json_object_from_file(file);
		check(o != NULL);
		json_object_put(o);
		remove_both();
	}
}

/* --- the other forms ---------------------------------------------------------------------------- */

static void chrome(void)
{
	struct json_object *o, *list, *e;
	uint64_t calls = 0, ended = 0, ios = 0, marks = 0;

	run_machine(8);
	check_eq(export_it(&export_chrome, "all"), CLI_OK);
	o = json_object_from_file(file);
	list = o ? names_get(o, "traceEvents") : NULL;
	if (!check(list != NULL))
		return;
	for (size_t i = 0; i < (size_t)json_object_array_length(list); i++) {
		const char *ph, *cat;

		e = json_object_array_get_idx(list, i);
		ph = names_str(e, "ph");
		cat = names_str(e, "cat") ?: "";
		calls += !strcmp(cat, "syscalls") && *ph != 'E';
		ended += !strcmp(cat, "syscalls") && *ph == 'E';
		ios += !strcmp(cat, "block");
		marks += *ph == 'i';
	}
	check_eq(calls, must.calls[1] + must.calls[2] + must.calls[3] + must.calls[4]);
	check_eq(ios, must.ios[1] + must.ios[2] + must.ios[3] + must.ios[4]);
	check_eq(marks, must.samples);
	check(ended > 0 && ended < calls);
	json_object_put(o);
	remove_both();
}

static uint64_t lines_with(const char *word)
{
	char *cmd = xasprintf("trace-cmd report '%s' 2>&1 | grep -c ' %s'", file, word), text[32] = "";
	FILE *p = popen(cmd, "r");

	if (p) {
		check(fgets(text, sizeof(text), p) != NULL);
		pclose(p);
	}
	free(cmd);
	return strtoull(text, NULL, 10);
}

/* As many as were recorded, by trace-cmd's own count. */
static void trace_dat(void)
{
	if (system("trace-cmd --version > /dev/null 2>&1") == 127 * 256) {
		printf("# no trace-cmd\n");
		return;
	}
	for (uint64_t s = 9; s <= 10; s++) {
		run_machine(s);
		check_eq(export_it(&export_trace_dat, "all"), CLI_OK);
		check_eq(lines_with("sched_switch: "), must.switches);
		check_eq(lines_with("cpu_sample: "), must.samples);
		check_eq(lines_with("block_io: "), must.ios[1] + must.ios[2] + must.ios[3] + must.ios[4]);
		check_eq(lines_with("syscall_entry_[a-z]*: ") + lines_with("syscall_read: ") + lines_with("syscall_openat: "),
			 must.calls[1] + must.calls[2] + must.calls[3] + must.calls[4]);
		check(lines_with("syscall_entry_read: *c2 read(3, 0x7f00, 100)") > 0);
		remove_both();
	}
}

/* --- halves of calls -------------------------------------------------------------------------- */

static char *load_text(void)
{
	struct span m = load();
	char *text = xstrndup((const char *)m.p, (size_t)(m.end - m.p));

	check_eq(strlen(text), m.end - m.p);
	return text;
}

/* A call whose return was lost, and the return of another one whose entry was: nothing is known of either. */
static void halves(void)
{
	struct made m;
	char *text;

	begin_with(23, machine_types());
	memset(on, 0, sizeof(on));
	memset(in_call, 0, sizeof(in_call));
	make_read(&m, 1000000, 1, 101);
	add(0, &m);
	make_exit(&m, 2000000, 257, 1, 101, 3);
	add(0, &m);
	make_read(&m, 3000000, 1, 101);
	add(0, &m);
	make_exit(&m, 4000000, 0, 1, 101, 3);
	add(0, &m);
	end(NULL);
	check_eq(export_it(&export_chrome, "all"), CLI_OK);
	text = load_text();
	/* as many ends as beginnings, each of read() */
	check_eq(times(text, "\"ph\":\"B\""), 2);
	check_eq(times(text, "\"ph\":\"E\""), 2);
	check_eq(times(text, "\"openat\""), 0);
	free(text);
	remove_both();
}

static void refused(void)
{
	struct export_opts o = { .dir = dir, .out = "/no/such/dir/x", .targets = NULL };

	run_machine(40);
	check_eq(export_run(&export_perfetto, &o), CLI_FAIL);
	check(strstr(message, "/no/such/dir/x") != NULL);
	o.out = "/dev/full";
	check_eq(export_run(&export_perfetto, &o), CLI_FAIL);
	check(strstr(message, "No space left") != NULL);
	check_eq(export_it(&export_perfetto, "nobody"), CLI_FAIL);
	check(access(file, F_OK) != 0);
	remove_both();
}

static const struct ktap_case cases[] = {
	{ "perfetto", perfetto }, { "one_container", one_container }, { "losses", losses }, { "chrome", chrome },
	{ "trace_dat", trace_dat }, { "halves", halves }, { "torn", torn }, { "spoilt", spoilt }, { "refused", refused },
};
KTAP_MAIN(cases)
