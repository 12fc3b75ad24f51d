// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores in users' homes and in containers' file systems are read by a separate process (base/far.h), because
 * a file system there may not answer. That process runs the same sources, and sends us the entries that they
 * add.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/far.h"
#include "names/names.h"

#define ENTRIES_MAX	4096			/* of one store */
#define STORE_MAX	((size_t)4 << 20)	/* bytes received of one store */
#define STORES_MAX	((size_t)64 << 20)	/* of all */
#define LABELS_MAX	16384			/* bytes of a container's labels, as JSON */
#define WORD_MAX	255			/* bytes of a name, and of each other word but these: */
#define PATH_LONG	4096
#define MEMORY_MAX	((size_t)512 << 20)	/* bytes that reading a store may take */
#define QUIET		(2 * NSEC_PER_SEC)
#define LONGEST		(10 * NSEC_PER_SEC)
#define RETRY		(60 * NSEC_PER_SEC)	/* a store that did not answer is read again later */

/* A store, by the request for it. */
struct names_store {
	char *request;
	bool answered;		/* at least once */
	uint64_t again;		/* CLOCK_MONOTONIC, ns: not before that */
};

/* --- entries as bytes ------------------------------------------------------------------- */

/* An entry is this struct, then each word with its NUL: '+' and the text; or "-" for NULL. */
struct told {
	uint32_t pid, rank, loose;
};

static void put_word(struct sbuf *b, const char *s, size_t most)
{
	size_t n = s ? strnlen(s, most) : 0;

	/* do not cut a character */
	while (s && s[n] && n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	sbuf_putc(b, s ? '+' : '-');
	sbuf_put(b, s ? s : "", n);
	sbuf_putc(b, '\0');
}

void names_tell(struct names *n, const struct name_entry *e)
{
	const struct told t = { e->pid, e->rank, e->loose };
	const char *labels = e->r.labels ? json_object_to_json_string(e->r.labels) : NULL;
	const char *const words[] = { e->id, e->name, e->runtime, e->r.ns, e->r.pod, e->r.pod_uid, e->r.container, e->r.image,
				      e->r.restarts, e->unit };
	struct sbuf b = { 0 };

	if (n->told++ >= ENTRIES_MAX)
		return;
	sbuf_put(&b, (const char *)&t, sizeof(t));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		put_word(&b, words[i], WORD_MAX);
	put_word(&b, e->cgroup, PATH_LONG);
	put_word(&b, e->file, PATH_LONG);
	put_word(&b, labels && strlen(labels) <= LABELS_MAX ? labels : NULL, LABELS_MAX);
	far_tell(n->teller, b.s, b.len);
	sbuf_free(&b);
}

static void take(void *arg, const char *told, size_t n)
{
	const char *at = told + sizeof(struct told), *end = told + n;
	struct name_entry e = { .id = NULL };
	char *labels = NULL, **const words[] = {
		&e.id, &e.name, &e.runtime, &e.r.ns, &e.r.pod, &e.r.pod_uid, &e.r.container, &e.r.image, &e.r.restarts, &e.unit,
		&e.cgroup, &e.file, &labels,
	};
	struct names *names = arg;
	struct told t;

	if (n < sizeof(t))
		return;
	memcpy(&t, told, sizeof(t));
	/* a NUL follows the last byte */
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (at >= end || (*at != '+' && *at != '-'))
			return;
		*words[i] = *at == '+' ? (char *)at + 1 : NULL;
		at += strlen(at) + 1;
	}
	if (!e.id || !e.name || !*e.name || !e.file)
		return;
	e.pid = t.pid;
	e.rank = t.rank <= NAME_GIVEN ? t.rank : NAME_RUNTIME;
	e.loose = t.loose;
	e.r.labels = labels ? json_tokener_parse(labels) : NULL;
	names->far_bytes += n;
	names_keep(names, &e);
	json_object_put(e.r.labels);
}

/* --- requests -------------------------------------------------------------------------- */

/* In the process. */
static void serve(struct far *f, void *arg, const char *request)
{
	struct names *n = arg;
	const char *path = strchr(request, ' ');
	struct name_inside i;
	unsigned int uid;

	n->teller = f;
	n->told = 0;
	path = path ? strchr(path + 1, ' ') : NULL;
	if (sscanf(request, "home %u ", &uid) == 1 && path) {
		names_of(n, uid);
		names_of_home(n, path + 1);
	} else if (sscanf(request, "run %u ", &uid) == 1 && path) {
		names_of(n, uid);
		names_of_managers_run(n, path + 1);
		names_of_runtimes_run(n, path + 1);
	} else if (sscanf(request, "in %u %u %u", &i.cid, &i.pid, &i.pidns) == 3) {
		names_of_inside(n, &i);
	}
	names_of(n, 0);
}

/*
 * Finds a store. They are asked for in the same order each time, so the search begins after the last one
 * found.
 */
static struct names_store *store(struct names *n, const char *request)
{
	for (size_t i = 0; i < n->nstores; i++, n->store_at++) {
		n->store_at %= n->nstores;
		if (!strcmp(n->stores[n->store_at].request, request))
			return &n->stores[n->store_at++];
	}
	n->stores = xrealloc(n->stores, (n->nstores + 1) * sizeof(n->stores[0]));
	n->stores[n->nstores] = (struct names_store){ .request = xstrdup(request) };
	return &n->stores[n->nstores++];
}

static void warn(struct names *n, const char *path, const char *what)
{
	char *text = xasprintf("%s%s", path, what);

	names_warn(n, text);
	free(text);
}

void names_ask(struct names *n, enum name_owner owner, uint32_t whose, const char *request)
{
	size_t left = n->far_bytes < STORES_MAX ? STORES_MAX - n->far_bytes : 0;
	struct names_store *s = store(n, request);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now < s->again)
		return;
	if (!n->far)
		n->far = far_new(serve, n, (struct far_limits){ MEMORY_MAX, QUIET, LONGEST, false });
	n->owner = owner;
	n->whose = whose;
	switch (far_ask(n->far, request, left < STORE_MAX ? left : STORE_MAX, s->answered, take, n)) {
	case FAR_DONE:
		s->answered = true;
		break;
	case FAR_LATE:
	case FAR_AGAIN:
		s->again = now + RETRY;
		warn(n, far_place(n->far), " did not answer: containers that are named there may be shown by their ids");
		break;
	case FAR_DIED:
		s->again = now + RETRY;
		warn(n, far_place(n->far), " is not read: it needs more memory than it may take, or names too much");
		break;
	case FAR_NONE:
		names_warn(n, "some users' and containers' files are not read, because no process can be made for that: containers "
			      "that are named there are shown by their ids");
		break;
	case FAR_NOT:
		warn(n, "", "some users' and containers' files are not read, because others did not answer: "
		     "containers that are named there are shown by their ids");
		break;
	}
	names_of(n, 0);
}

void names_far_free(struct names *n)
{
	far_free(n->far);
	for (size_t i = 0; i < n->nstores; i++)
		free(n->stores[i].request);
	free(n->stores);
}
