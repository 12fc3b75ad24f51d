// SPDX-License-Identifier: GPL-2.0-only
/*
 * checker [-l] -w LOG -- COMMAND...: records everything while COMMAND runs. Then judges by LOG
 * (maker.c describes its lines) whether each event has the right container:
 *
 *  - the marked calls of a pair are all there, all with one cid, and that is not the host's;
 *  - no other pair has that cid;
 *  - every other event of a pair's tasks, by host tid and time, has that cid too;
 *  - the worker's own calls (number 0) have the host's cid.
 *
 * -l: a line of LOG is only "NUMBER MARKS", for containers made by a runtime.
 */
#include "box.h"
#include <getopt.h>
#include <poll.h>
#include <kselftest.h>
#include <ctrace/libctrace.h>

#define PAIRS 100000

struct event {
	uint64_t time;
	uint32_t cid;
	int32_t tid;
	uint32_t id;
	uint32_t mark;		/* the number of a marked call, else 0 */
	bool born;		/* a task's first event: its return from clone() */
};

static struct event *events;
static size_t nevents, room;
static struct {
	uint32_t cid;
	uint32_t entries, exits;
	uint32_t wrong;		/* marks with another cid than the first mark's */
	uint32_t other;		/* the last such cid */
} seen[PAIRS];
static uint32_t *owner;		/* by cid: its pair + 1 */
static size_t nowner;
static int complaints;

/* Prints the first few mistakes in full. */
#define COMPLAIN(...) do { if (complaints++ < 20) ksft_print_msg(__VA_ARGS__); } while (0)

static const struct ctrace_event_type *mark, *clones[2];

static void take(const struct ctrace_record *r)
{
	struct ctrace_value v[8];

	if (nevents == room) {
		room = room ? room * 2 : 1 << 16;
		events = realloc(events, room * sizeof(*events));
		if (!events)
			ksft_exit_fail_msg("no memory\n");
	}
	events[nevents++] = (struct event){ .time = r->time, .cid = r->cid, .tid = r->tid, .id = r->id };
	for (int i = 0; i < 2; i++)
		if (clones[i] && r->id == clones[i]->id && ctrace_decode(clones[i], r, v, 8) == 1)
			events[nevents - 1].born = !v[0].u;
	if (r->id != mark->id || ctrace_decode(mark, r, v, 8) < 2)
		return;
	if ((uint32_t)v[0].u != BOX_MARK || (uint32_t)v[1].u >= PAIRS)
		return;
	events[nevents - 1].mark = v[1].u;
	typeof(seen[0]) *s = &seen[(uint32_t)v[1].u];

	if (!s->entries++)
		s->cid = r->cid;
	else if (s->cid != r->cid) {
		s->wrong++;
		s->other = r->cid;
	}
}

static int by_tid(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* Finds the first event of tid at or after time. */
static size_t find(int32_t tid, uint64_t time)
{
	struct event key = { .tid = tid, .time = time };
	size_t lo = 0, hi = nevents;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (by_tid(&events[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void claim(uint32_t pair, uint32_t cid, int *doubles)
{
	if (cid >= nowner) {
		size_t n = (cid + 1024) * 2;

		owner = realloc(owner, n * sizeof(*owner));
		memset(owner + nowner, 0, (n - nowner) * sizeof(*owner));
		nowner = n;
	}
	if (owner[cid]) {
		(*doubles)++;
		COMPLAIN("pairs %u and %u share cid %u\n", owner[cid] - 1, pair, cid);
	}
	owner[cid] = pair + 1;
}

/*
 * Between begin and end, a task with a pair's tid belongs to the pair if it made a marked call of the pair:
 * all tasks named in the log did. Otherwise another task had the tid, before or after. Before 4.15 the
 * kernel may reuse a number at once: a search for a free number continues from where the search began.
 */
static size_t one_task(size_t from, uint64_t end, unsigned int pair, bool *its)
{
	size_t i = from;

	*its = false;
	do
		*its |= events[i++].mark == pair;
	while (i < nevents && events[i].tid == events[from].tid && events[i].time <= end && !events[i].born);
	return i;
}

static void judge(const char *log, bool brief)
{
	int pairs = 0, host = 0, wrong = 0, miscounted = 0, doubles = 0, stray = 0, hosted = 0;
	long of_tasks = 0;
	char line[512], kind[64] = "runtime", tids[256] = "";
	FILE *f = fopen(log, "re");

	if (!f)
		ksft_exit_fail_msg("%s: %s\n", log, strerror(errno));
	qsort(events, nevents, sizeof(*events), by_tid);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long begin = 0, end = 0;
		unsigned int n, marks;

		if (brief ? sscanf(line, "%u %u", &n, &marks) != 2 :
		    sscanf(line, "%u %63s %llu %llu %u %255s", &n, kind, &begin, &end, &marks, tids) != 6)
			ksft_exit_fail_msg("%s: %s", log, line);
		if (!n) {
			host++;
		} else {
			pairs++;
			if (!seen[n].cid || seen[n].cid >= CTRACE_CID_UNKNOWN) {
				hosted++;
				COMPLAIN("pair %u (%s): cid %u\n", n, kind, seen[n].cid);
			} else {
				claim(n, seen[n].cid, &doubles);
			}
			if (seen[n].entries != marks) {
				miscounted++;
				COMPLAIN("pair %u (%s): made %u marked calls, seen %u\n", n, kind, marks,
					 seen[n].entries);
			}
		}
		if (seen[n].wrong) {
			wrong++;
			COMPLAIN("pair %u (%s): cid %u, but %u marked calls with %u\n", n, kind, seen[n].cid,
				 seen[n].wrong, seen[n].other);
		}
		for (char *t = strtok(tids, ","); t; t = strtok(NULL, ",")) {
			int tid = atoi(t);
			size_t i = find(tid, begin), next;

			for (bool its; i < nevents && events[i].tid == tid && events[i].time <= end; i = next) {
				next = one_task(i, end, n, &its);
				of_tasks += its ? next - i : 0;
				for (; its && i < next; i++) {
					if (events[i].cid == seen[n].cid)
						continue;
					stray++;
					COMPLAIN("pair %u (%s): task %d has cid %u, its event %u %llu ns after begin has %u\n",
						 n, kind, tid, seen[n].cid, events[i].id,
						 (unsigned long long)(events[i].time - begin), events[i].cid);
				}
			}
		}
	}
	fclose(f);
	ksft_print_msg("%d pairs, %zu events, %ld of them by tid\n", pairs, nevents, of_tasks);
	ksft_test_result(pairs > 0 && !miscounted, "%d pairs: every marked call seen, but for %d pairs\n",
			 pairs, miscounted);
	ksft_test_result(!hosted, "%d pairs without a container of their own\n", hosted);
	ksft_test_result(!wrong, "%d pairs with marked calls of more than one container\n", wrong);
	ksft_test_result(!doubles, "%d pairs with another's cid\n", doubles);
	if (brief)
		return;
	ksft_test_result(!stray && of_tasks, "%ld events of their tasks: %d with a wrong cid\n", of_tasks, stray);
	ksft_test_result(host && !seen[0].cid && seen[0].entries, "%u marked calls of the %d workers: the host's\n",
			 seen[0].entries, host);
}

static const char * const probes[] = {
	"syscalls", "sched_process_fork", "sched_process_exec", "sched_process_exit", "sched_wakeup",
};

int main(int argc, char **argv)
{
	struct ctrace_session_opts so = { .sz = sizeof(so), .arena_size = 384 << 20, .ring_size = 256 << 10,
					  .name = "checker" };
	const struct ctrace_record *rec;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	struct ctrace_losses l;
	struct ctrace_schema *schema;
	struct ctrace_info info, before;
	struct ctrace *ct;
	const char *log = NULL;
	bool brief = false;
	int o, err, st = 0, more, done = 0;
	struct pollfd pfd;
	pid_t pid;

	while ((o = getopt(argc, argv, "+lw:r:")) != -1) {
		if (o == 'l')
			brief = true;
		else if (o == 'w')
			log = optarg;
		else if (o == 'r')
			so.ring_size = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	if (!log || !argv[optind])
		return 2;
	ksft_print_header();
	ksft_set_plan(brief ? 7 : 9);
	if (ctrace_open(&ct) || ctrace_schema_get(ct, &schema) || ctrace_info(ct, &before, sizeof(before)))
		ksft_exit_fail_msg("%s\n", ctrace_errmsg(ct));
	mark = ctrace_schema_by_name(schema, "syscall_entry_getpriority");
	clones[0] = ctrace_schema_by_name(schema, "syscall_exit_clone");
	clones[1] = ctrace_schema_by_name(schema, "syscall_exit_clone3");
	if (!mark || !clones[0])
		ksft_exit_fail_msg("no event type syscall_entry_getpriority or syscall_exit_clone\n");
	err = ctrace_session_new(ct, &so, &s);
	for (size_t i = 0; !err && i < sizeof(probes) / sizeof(*probes); i++)
		err = ctrace_probe_add(s, probes[i], NULL, NULL, NULL);
	if (err || ctrace_target_add(s, NULL, NULL) || ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		ksft_exit_fail_msg("session: %s\n", ctrace_errmsg(ct));
	pid = fork();
	if (!pid) {
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	pfd = (struct pollfd){ .fd = ctrace_reader_fd(r), .events = POLLIN };
	do {
		poll(&pfd, 1, 100);
		if (!done && waitpid(pid, &st, WNOHANG) == pid) {
			done = 1;
			ctrace_session_stop(s);
		}
		for (more = 0; (err = ctrace_reader_next(r, &rec)) == 1; more = 1)
			take(rec);
	} while (err >= 0 && (!done || more));
	ctrace_reader_losses(r, &l, sizeof(l));
	ctrace_info(ct, &info, sizeof(info));
	ksft_test_result(done && !st, "%s ended with %#x\n", argv[optind], st);
	ksft_test_result(!l.overrun && !l.full && !l.nested && info.unknown == before.unknown,
			 "nothing lost: %llu seen, %llu overrun, %llu full, %llu nested, %llu unknown\n",
			 (unsigned long long)l.seen, (unsigned long long)l.overrun, (unsigned long long)l.full,
			 (unsigned long long)l.nested, (unsigned long long)(info.unknown - before.unknown));
	judge(log, brief);
	ksft_test_result(l.seen == nevents, "the reader says %llu records, and gave %zu\n",
			 (unsigned long long)l.seen, nevents);
	ctrace_reader_close(r);
	ctrace_session_free(s);
	ctrace_close(ct);
	ksft_finished();
}
