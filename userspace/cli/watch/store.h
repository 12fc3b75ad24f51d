/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of dumps:
 *
 *	DIR/TIME-CONTAINER-REASON/	a dump; this name is its id
 *	DIR/.new-TIME-...		one that is being written, or was, when the watch ended
 *	DIR/.state.json			the account, and when the watch lived last
 *	DIR/.lock			locked while a watch runs
 *
 * Only root may look into it: a recording has what containers did.
 */
#ifndef CTRACE_WATCH_STORE_H
#define CTRACE_WATCH_STORE_H

#include "watch/account.h"

#define STORE_NEW	".new-"
#define STORE_REASON	"reason.json"

struct dump_entry {
	char *id;
	uint64_t bytes;		/* on disk */
	int64_t time;		/* CLOCK_REALTIME, s: when it was whole, by its directory */
};

struct dumps {
	struct dump_entry *v;	/* oldest first */
	size_t n;
	uint64_t bytes;
};

/*
 * Appends at most WATCH_NAME_MAX bytes of a name that others chose: letters, digits, '.', '_' and '-' stay,
 * the rest becomes '_', and so does a '.' or '-' at its beginning. "": "_".
 */
void store_clean(struct sbuf *b, const char *name);
/* An id: one word of such letters, with no '/', not hidden. */
bool store_is_id(const char *id);

/* Makes the directory, with its parents, mode 0700. 0 or -errno. */
int store_make(const char *dir);
/*
 * Takes its lock, which is the descriptor's. -EWOULDBLOCK: another watch runs. Else -errno, or the
 * descriptor, which stays open.
 */
int store_lock(const char *dir);
/* Removes what an earlier watch had begun. Returns how many. */
uint64_t store_remove_unfinished(const char *dir);
/* 0, or -errno: it cannot be read. An empty list if there is no directory. */
int store_list(const char *dir, struct dumps *d);
void store_list_free(struct dumps *d);
/* Removes one dump, in whole: it is renamed first, so no half of one is ever seen. 0 or -errno. */
int store_remove(const char *dir, const char *id);
/*
 * Removes old ones, and the oldest while all take more than quota. now: CLOCK_REALTIME, s. keep 0: for ever
 */
void store_trim(const char *dir, uint64_t quota, uint64_t keep_s, int64_t now, struct account *a);
/* The same, for tests: which of the list to remove, as a number from its beginning. */
size_t store_excess(const struct dumps *d, uint64_t quota, uint64_t keep_s, int64_t now, size_t *old);
/* Bytes that may still be written there. 0 or -errno. */
int store_free(const char *dir, uint64_t *bytes);
/* The id that the word means: itself, the beginning of one id, or "last". NULL after a message. */
char *store_find(const char *dir, const char *word);
/* Removes a directory and all in it; goes through no link. 0 or -errno. */
int store_remove_tree(const char *path);
/* fsync() of all in it, and of itself. 0 or -errno. */
int store_sync_tree(const char *path);

/* --- .state.json --- */

/* Loads the account, and adds what the time since the last look at this boot says. */
void store_load_state(const char *dir, struct account *a);
/* 0 or -errno. sync: wait until it is on the disk */
int store_save_state(const char *dir, const struct account *a, bool sync);

#endif
