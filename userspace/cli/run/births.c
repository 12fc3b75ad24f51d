// SPDX-License-Identifier: GPL-2.0-only
/* ctrace ps --follow: births and deaths of containers, in order of time. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/output.h"
#include "names/ctable.h"
#include "run/births.h"

/*
 * A runtime may write a container's name after its birth: a line waits this long for it, and all that follow
 * it.
 */
#define NAME_WAIT	(6 * NSEC_PER_SEC / 10)
#define LOOK_MS		100	/* how often to look for a name */

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/* From here on the signals come only during ppoll(), with the mask *during. */
static void catch_signals(sigset_t *during)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal }, old;
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		/* under nohup, SIGHUP stays ignored */
		if (signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &sa, NULL);
		sigaddset(&block, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &block, during);
}

/* A birth or death to report. */
struct news {
	struct centry *e;
	uint64_t time;		/* CLOCK_MONOTONIC, ns */
	bool death;
};

static int by_time(const void *a, const void *b)
{
	const struct news *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->e->c.cid != y->e->c.cid)
		return x->e->c.cid < y->e->c.cid ? -1 : 1;
	return x->death - y->death;
}

static void tell(struct ctable *t, const struct news *n)
{
	uint64_t realtime = n->time + clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	const struct centry *e = ctable_get(t, n->e->c.cid);
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	if (cli_json) {
		json_open(&j, NULL, '{');
		json_str(&j, "event", n->death ? "died" : "born");
		json_uint(&j, "time", n->time);
		json_uint(&j, "realtime", realtime);
		ctable_json(&j, t, e);
		json_close(&j, '}');
	} else {
		sbuf_clock(&b, realtime);
		sbuf_printf(&b, "  %s  %5u  %s  %s  ", n->death ? "died" : "born", e->c.cid, e->shown,
			    e->runtime[0] ? e->runtime : "-");
		sbuf_clean(&b, e->c.path[0] ? e->c.path : "-");
	}
	puts(b.s);
	sbuf_free(&b);
}

/* Tells what is new, as far as names are known. Returns whether something waits for its name. */
static bool tell_news(struct ctable *t)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct news *v = xcalloc(2 * t->n + 1, sizeof(v[0]));
	bool waits = false;
	struct centry *e;
	size_t n = 0;

	for (size_t i = 0; (e = ctable_next(t, &i));) {
		bool dead = e->c.flags & CTRACE_CONTAINER_F_DEAD;

		if (!e->known || e->c.cid == CTRACE_CID_HOST)
			continue;
		/*
		 * it was reported and forgotten: the kernel listed it again, because records of it still
		 * exist
		 */
		if (!e->told && e->c.gone && now - e->c.gone > CTABLE_TIDY)
			e->told = TOLD_DEATH;
		if (!e->told)
			v[n++] = (struct news){ e, e->c.first_seen, false };
		if (dead && e->told < TOLD_DEATH)
			v[n++] = (struct news){ e, e->c.gone ? e->c.gone : now, true };
	}
	qsort(v, n, sizeof(v[0]), by_time);
	for (size_t i = 0; i < n && !waits; i++) {
		e = ctable_get(t, v[i].e->c.cid);
		waits = !v[i].death && !e->named && ctable_alive(e) && now < e->c.first_seen + NAME_WAIT;
		if (waits)
			break;
		tell(t, &v[i]);
		e->told = v[i].death ? TOLD_DEATH : TOLD_BIRTH;
	}
	free(v);
	return waits;
}

/* Containers that exist already are not reported. */
static void skip_old(struct ctable *t)
{
	struct centry *e;

	for (size_t i = 0; (e = ctable_next(t, &i));)
		e->told = ctable_alive(e) ? TOLD_BIRTH : TOLD_DEATH;
}

static void tell_lost(void)
{
	if (cli_json)
		puts("{\"event\":\"lost\"}");
	else
		fputs("ctrace: notices were lost: containers that lived for a moment may be missing\n", stderr);
}

static int follow(struct ctrace *ct, struct ctable *t, int fd, const sigset_t *during)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000l };
	struct pollfd p[] = { { .fd = fd, .events = POLLIN }, { .fd = STDOUT_FILENO } };
	unsigned int lost = t->lost;
	bool waits = false;
	int err;

	while (!stopped) {
		if (ppoll(p, ARRAY_SIZE(p), waits ? &look : NULL, during) < 0) {
			if (errno == EINTR)
				continue;
			return cli_error("cannot wait for containers: %s", strerror(errno));
		}
		if (p[1].revents)
			return CLI_OK;
		if (p[0].revents && ctable_dispatch(t) < 0)
			return cli_error("%s", ctrace_errmsg(ct));
		waits = tell_news(t);
		if (t->lost != lost)
			tell_lost();
		lost = t->lost;
		err = output_flush(stdout);
		if (err)
			return err == -EPIPE ? CLI_OK : CLI_FAIL;
		ctable_tidy(t);
	}
	return CLI_OK;
}

int births_follow(struct ctrace *ct)
{
	struct ctable *t = ctable_new(ct);
	sigset_t during;
	int fd, status;

	catch_signals(&during);
	/* subscribe first, then list: no birth is missed in between */
	fd = ctable_subscribe(t);
	if (fd < 0 || ctable_list(t)) {
		status = cli_error("%s", ctrace_errmsg(ct));
	} else {
		if (t->timer >= 0)
			fputs("ctrace: without CAP_SYS_ADMIN, containers that live for less than 0.25 s may be missing\n", stderr);
		skip_old(t);
		status = follow(ct, t, fd, &during);
	}
	ctable_free(t);
	return status;
}
