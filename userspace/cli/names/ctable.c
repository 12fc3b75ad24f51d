// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "names/ctable.h"
#include "names/patterns.h"

/*
 * Runtimes write their state files at about the time a container starts. So an entry without a name is looked
 * up again while the container is younger than NAME_PATIENCE. The files are read at most once per
 * NAME_INTERVAL. For a container that was born since, they are read sooner, as it may not live that long; but
 * then READING_PART times as long as the last reading took must pass, so that births cost the reader a tenth
 * of its time at most. If there are so many files that reading them takes long, READING_LONG times as long
 * must pass, even for names that are still missing: that is a third of its time.
 */
#define NAME_PATIENCE	(3 * NSEC_PER_SEC)
#define NAME_INTERVAL	(NSEC_PER_SEC / 4)
#define READING_PART	9
#define READING_LONG	3
#define LIST_INTERVAL	(NSEC_PER_SEC / 100)	/* between lists, if records come before notices */
/* how often to ask for all containers, if there are no notices */
#define ASK_INTERVAL	(NSEC_PER_SEC / 4)

static const struct ctrace_container *find(void *arg, uint32_t cid);

static void warn(const char *text)
{
	struct sbuf b = { 0 };

	sbuf_clean(&b, text);
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
}

struct ctable *ctable_new(struct ctrace *ct)
{
	struct ctable *t = xcalloc(1, sizeof(*t));

	t->ct = ct;
	t->timer = -1;
	t->size = 64;
	t->v = xcalloc(t->size, sizeof(t->v[0]));
	if (ct) {
		t->names = names_new(NULL);
		t->names->find = find;
		t->names->arg = t;
		t->names->warn = warn;
		patterns_read(t->names);
	}
	return t;
}

static void free_entry(struct centry *e)
{
	free(e->name);
	free(e->label);
	free(e->shown);
	free(e->full);
	free(e->runtime);
	record_clear(&e->r);
	free(e);
}

void ctable_free(struct ctable *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->size; i++)
		if (t->v[i])
			free_entry(t->v[i]);
	free(t->v);
	names_free(t->names);
	labels_free(&t->labels);
	ctable_parts_free(t);
	free(t->fresh.v);
	free(t->met.v);
	if (t->timer >= 0)
		close(t->timer);
	free(t);
}

static struct centry **slot(const struct ctable *t, uint32_t cid)
{
	size_t i = (cid * 0x9e3779b1u) & (t->size - 1);

	while (t->v[i] && t->v[i]->c.cid != cid)
		i = (i + 1) & (t->size - 1);
	return &t->v[i];
}

static void resize(struct ctable *t, size_t size)
{
	struct centry **old = t->v;
	size_t n = t->size;

	t->size = size;
	t->v = xcalloc(t->size, sizeof(t->v[0]));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*slot(t, old[i]->c.cid) = old[i];
	free(old);
}

static struct centry *entry(struct ctable *t, uint32_t cid)
{
	struct centry **s = slot(t, cid);

	if (!*s) {
		if (2 * (t->n + 1) > t->size) {
			resize(t, 2 * t->size);
			s = slot(t, cid);
		}
		*s = xcalloc(1, sizeof(**s));
		(*s)->c.cid = cid;
		t->n++;
	}
	return *s;
}

static const struct ctrace_container *find(void *arg, uint32_t cid)
{
	struct centry *e = *slot(arg, cid);

	return e && e->known ? &e->c : NULL;
}

struct centry *ctable_find(const struct ctable *t, uint32_t cid)
{
	return *slot(t, cid);
}

bool ctable_alive(const struct centry *e)
{
	return e->known && !(e->c.flags & CTRACE_CONTAINER_F_DEAD);
}

/* Adds e's names and id to the counts of living containers' words, or takes them back. */
static void count(struct ctable *t, struct centry *e, bool lives)
{
	if (e->counted == lives || !e->name)
		return;
	e->counted = lives;
	labels_count(&t->labels, e->name, e->named, lives ? 1 : -1);
	if (e->full)
		labels_count(&t->labels, e->full, true, lives ? 1 : -1);
	/* an id longer than LABEL_ID is not the same word as its stand-in; a shorter one is */
	if (strlen(e->c.runtime_id) > LABEL_ID)
		labels_count(&t->labels, e->c.runtime_id, false, lives ? 1 : -1);
}

/* Could e's name mean another container, too? A stand-in gives way to a name, and not the other way round. */
static bool shared(const struct ctable *t, const struct centry *e)
{
	struct label_use u = labels_use(&t->labels, e->name);

	if (label_misleads(e->name, e->c.cid))
		return true;
	if (u.named > (e->counted && e->named))
		return true;
	if (e->named)
		return false;
	return u.all > e->counted || (e->c.runtime_id[0] &&
				      labels_use(&t->labels, e->c.runtime_id).all > e->counted);
}

/* The shortest form of label that means e and no other living container. */
static enum label_apart apart(const struct ctable *t, const struct centry *e)
{
	enum label_apart least = e->label ? e->apart : APART_BY_NAME;

	if (!t->names)
		return APART_BY_NAME;
	if (least == APART_BY_NAME && !shared(t, e))
		return APART_BY_NAME;
	if (least < APART_BY_CID && e->full && !label_misleads(e->full, e->c.cid) &&
	    labels_use(&t->labels, e->full).all <= e->counted)
		return APART_BY_NAMESPACE;
	return APART_BY_CID;
}

static void set_label(struct centry *e, char *label)
{
	struct sbuf b = { 0 };

	free(e->label);
	free(e->shown);
	e->label = label;
	sbuf_reset(&b);
	label_show(&b, e->label, e->c.cid);
	e->shown = xrealloc(b.s, b.len + 1);	/* there may be very many */
}

static void show(struct ctable *t, struct centry *e)
{
	enum label_apart by = apart(t, e);

	if (e->label && by == e->apart)
		return;
	e->apart = by;
	t->changed = true;
	set_label(e, by == APART_BY_CID ? xasprintf("%s#%u", e->name, e->c.cid) :
		  xstrdup(by == APART_BY_NAMESPACE ? e->full : e->name));
}

/* full is e's from now on */
static void set_name(struct ctable *t, struct centry *e, const char *name, char *full, const char *runtime,
		     bool named)
{
	bool same = !e->full == !full && (!full || !strcmp(e->full, full));

	if (e->name && !strcmp(e->name, name) && e->named == named && same) {
		free(full);
		return;
	}
	t->changed = true;
	count(t, e, false);
	free(e->name);
	free(e->full);
	free(e->label);
	free(e->runtime);
	e->name = xstrdup(name);
	e->full = full;
	e->label = NULL;
	e->runtime = xstrdup(e->c.runtime[0] ? e->c.runtime : runtime);
	e->named = named;
	e->apart = APART_BY_NAME;
	count(t, e, ctable_alive(e));
}

/* found: the entry that names e, or NULL */
static void set_facts(const struct ctable *t, struct centry *e, const struct name_entry *found)
{
	struct name_record old = e->r, new = { 0 };

	if (found)
		new = names_record(t->names, found, &e->c);
	record_copy(&e->r, &new);
	record_clear(&old);
	e->owner = found ? found->owner : NAME_OF_SYSTEM;
	e->whose = found ? found->whose : 0;
}

/* Is it time to read the files again for e? */
static bool may_read(const struct ctable *t, const struct centry *e, uint64_t now)
{
	uint64_t since = now - t->names_read, longer = READING_LONG * t->reading;

	return since > (longer > NAME_INTERVAL ? longer : NAME_INTERVAL) || (e->c.first_seen > t->names_read && since > READING_PART * t->reading);
}

/*
 * The files that named e have gone. Does it keep its name? Not if facts learned since make the name doubtful.
 */
static bool keeps_name(const struct ctable *t, const struct centry *e)
{
	const struct name_entry was = { .owner = e->owner, .whose = e->whose };

	return e->filed && names_doubt(t->names, &was, &e->c) == NAME_BELIEVED;
}

static void name_it(struct ctable *t, struct centry *e)
{
	const struct name_entry *found = NULL;
	const struct ctrace_container *parent;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool by_path;
	char *name;

	e->tried = now;
	if (t->names && e->known && e->c.cid != CTRACE_CID_HOST) {
		found = names_lookup(t->names, &e->c);
		parent = found || !e->c.parent ? NULL : find(t, e->c.parent);
		if (parent && names_inside(t->names, parent))
			found = names_lookup(t->names, &e->c);
		/* crun only knows a podman container's id: podman may have written its name by now */
		if ((!found || found->rank == NAME_RUNTIME) && may_read(t, e, now)) {
			names_refresh(t->names);
			t->names_read = now;
			t->reading = clock_ns(CLOCK_MONOTONIC) - now;
			found = names_lookup(t->names, &e->c);
		}
		if ((!found || found->rank == NAME_RUNTIME) && keeps_name(t, e))
			return;
		set_facts(t, e, found);
		if (found && e->c.runtime_id[0] && !strcmp(found->name, e->c.runtime_id))
			found = NULL;
	}
	e->filed = found;
	if (found) {
		set_name(t, e, found->name, record_name(&found->r, true), found->runtime, true);
		return;
	}
	name = label_stand_in(&e->c, e->known, &by_path);
	set_name(t, e, name, NULL, "", e->c.cid == CTRACE_CID_HOST ||
		 (by_path && t->names && names_system_made(t->names, &e->c)));
	free(name);
}

static void put(struct cids *l, uint32_t cid)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->v = xrealloc(l->v, l->room * sizeof(l->v[0]));
	}
	l->v[l->n++] = cid;
}

static int take(const struct ctrace_container *from, void *arg)
{
	struct ctrace_container with = *from, *c = &with;
	struct ctable *t = arg;
	struct centry *e = entry(t, c->cid);
	bool again, other;

	if (t->names)
		patterns_apply(t->names, c);
	/* the kernel knows more of it now (namespace, cgroup): its name may be found */
	other = strcmp(e->c.runtime_id, c->runtime_id) || strcmp(e->c.path, c->path);
	again = e->known && (other || e->c.pidns != c->pidns || e->c.parent != c->parent);

	if (!e->known || again || e->c.gone != c->gone || e->c.flags != c->flags)
		t->changed = true;
	count(t, e, false);
	e->c = *c;
	e->round = t->round;
	/* its name is new or may have become wrong: look it up */
	if (!e->known || again)
		e->tried = 0;
	e->filed &= !other;
	if (!e->fresh && (!e->name || !e->tried)) {
		e->fresh = true;
		put(&t->fresh, c->cid);
	}
	if (t->meets && !e->known)
		put(&t->met, c->cid);
	e->known = true;
	count(t, e, ctable_alive(e));
	return 0;
}

int ctable_list(struct ctable *t)
{
	t->listed = clock_ns(CLOCK_MONOTONIC);
	t->round++;
	return ctrace_container_each(t->ct, take, t);
}

static void dies(struct ctable *t, struct centry *e)
{
	count(t, e, false);
	e->c.flags |= CTRACE_CONTAINER_F_DEAD;
}

static int noticed(const struct ctrace_container *c, bool born, void *arg)
{
	struct ctable *t = arg;

	take(c, t);
	if (!born)
		dies(t, entry(t, c->cid));
	return 0;
}

int ctable_subscribe(struct ctable *t)
{
	const struct itimerspec every = {
		.it_value.tv_nsec = ASK_INTERVAL, .it_interval.tv_nsec = ASK_INTERVAL,
	};
	int fd = ctrace_container_subscribe(t->ct, noticed, t);

	if (fd != -EPERM)
		return fd;
	/* with CAP_PERFMON alone, listing containers is allowed, but not listening to notices */
	t->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (t->timer < 0 || timerfd_settime(t->timer, 0, &every, NULL))
		return -errno;
	return t->timer;
}

/* Notices were lost, or we may not have any. A container that is not in the list has died since. */
static int list_again(struct ctable *t)
{
	int err = ctable_list(t);
	struct centry *e;

	for (size_t i = 0; !err && (e = ctable_next(t, &i));)
		if (e->known && e->round != t->round && e->c.cid != CTRACE_CID_HOST)
			dies(t, e);
	return err;
}

/* Names all new containers: two may share a name, and the files of a dead one go soon. */
static void name_new_ones(struct ctable *t)
{
	while (t->fresh.n) {
		struct centry *e = *slot(t, t->fresh.v[--t->fresh.n]);

		if (e)
			e->fresh = false;
		if (e && e->known && (!e->name || !e->tried))
			name_it(t, e);
	}
}

int ctable_dispatch(struct ctable *t)
{
	uint64_t rings;
	int err;

	if (t->timer >= 0) {
		while (read(t->timer, &rings, sizeof(rings)) > 0)
			;
		err = list_again(t);
	} else {
		do
			err = ctrace_container_dispatch(t->ct);
		while (err > 0);
		if (err == -ENOBUFS) {
			t->lost++;
			err = list_again(t);
		}
	}
	name_new_ones(t);
	return err;
}

struct centry *ctable_get(struct ctable *t, uint32_t cid)
{
	struct centry *e = entry(t, cid);
	uint64_t now;

	if (!e->name || (t->names && !(e->named && e->tried))) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (!e->known && t->ct && cid != CTRACE_CID_UNKNOWN &&
		    now - t->listed > (e->name ? NAME_INTERVAL : LIST_INTERVAL))
			ctable_list(t);
		/* No name was found, but the container is young: its runtime may write the name yet. */
		if (!e->name || !e->tried ||
		    (e->known && now - e->tried > NAME_INTERVAL && now - e->c.first_seen < NAME_PATIENCE))
			name_it(t, e);
	}
	if (t->names)
		name_new_ones(t);
	show(t, e);
	return e;
}

void ctable_add(struct ctable *t, const struct ctrace_container *c, const char *label,
		const char *runtime, bool named)
{
	struct centry *e = entry(t, c->cid);

	take(c, t);
	if (!label)
		return;
	set_name(t, e, label, NULL, runtime, named);
	e->tried = clock_ns(CLOCK_MONOTONIC);
	show(t, e);
}

void ctable_add_read(struct ctable *t, const struct centry *from)
{
	struct centry *e = entry(t, from->c.cid);

	take(&from->c, t);
	record_clear(&e->r);
	record_copy(&e->r, &from->r);
	set_name(t, e, from->name, record_name(&e->r, true), from->runtime, from->named);
	set_label(e, xstrdup(from->label));
	e->proven = from->proven;
	e->owner = from->owner;
	e->whose = from->whose;
}

bool ctable_runtime_proven(const struct ctable *t, const struct centry *e)
{
	return e->named || e->proven || (t->names && names_system_made(t->names, &e->c));
}

void ctable_tidy(struct ctable *t)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	size_t n = 0;

	if (now - t->tidied < CTABLE_TIDY)
		return;
	t->tidied = now;
	for (size_t i = 0; i < t->size; i++) {
		struct centry *e = t->v[i];

		if (!e || e->told != TOLD_DEATH || ctable_alive(e) || now - e->c.gone < CTABLE_TIDY)
			continue;
		free_entry(e);
		t->v[i] = NULL;
		n++;
	}
	t->n -= n;
	if (n)
		resize(t, t->size);
}

struct centry *ctable_next(struct ctable *t, size_t *i)
{
	while (*i < t->size)
		if (t->v[(*i)++])
			return t->v[*i - 1];
	return NULL;
}
