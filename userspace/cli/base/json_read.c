// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/json_read.h"

#define PIECE	65536
#define KEY_MAX	64	/* of the object itself; no key of ours is longer */

struct reading {
	int fd;
	int err;		/* -errno of a read that failed */
	char buf[PIECE];
	size_t len, pos;
	struct json_tokener *t;
};

static int begin(struct reading *r, const char *path)
{
	struct stat st;
	int err = 0;

	r->err = 0;
	r->len = r->pos = 0;
	/* O_NONBLOCK: a FIFO in place of the file must not block us */
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r->fd < 0)
		return -errno;
	if (fstat(r->fd, &st) || !S_ISREG(st.st_mode))
		err = -EINVAL;
	r->t = err ? NULL : json_tokener_new();
	if (!err && !r->t)
		err = -ENOMEM;
	if (err)
		close(r->fd);
	return err;
}

static void end(struct reading *r)
{
	json_tokener_free(r->t);
	close(r->fd);
}

/* Is there a byte at pos? Reads on if need be. */
static bool more(struct reading *r)
{
	ssize_t n;

	if (r->pos < r->len)
		return true;
	do
		n = read(r->fd, r->buf, sizeof(r->buf));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		r->err = -errno;
	r->pos = 0;
	r->len = n > 0 ? (size_t)n : 0;
	return r->len;
}

/* The next byte that is not a blank; it is not consumed. -1: there is none. */
static int look(struct reading *r)
{
	while (more(r)) {
		if (!isspace((unsigned char)r->buf[r->pos]))
			return (unsigned char)r->buf[r->pos];
		r->pos++;
	}
	return -1;
}

static bool take(struct reading *r, char c)
{
	if (look(r) != c)
		return false;
	r->pos++;
	return true;
}

/* The value that begins here: an object, a list, a text or another. False: there is none. */
static bool value(struct reading *r, struct json_object **v)
{
	enum json_tokener_error err = json_tokener_continue;

	*v = NULL;
	json_tokener_reset(r->t);
	while (err == json_tokener_continue && more(r)) {
		*v = json_tokener_parse_ex(r->t, r->buf + r->pos, (int)(r->len - r->pos));
		err = json_tokener_get_error(r->t);
		/* the end of a number is known only from the byte after it */
		r->pos = err == json_tokener_continue ? r->len : r->pos + (size_t)r->t->char_offset;
	}
	return err == json_tokener_success;
}

static bool members(struct reading *r, void (*fn)(void *arg, const char *key, struct json_object *value), void *arg)
{
	struct json_object *v;
	char key[KEY_MAX];
	bool list;

	do {
		if (look(r) != '"' || !value(r, &v))
			return false;
		strncpy(key, json_object_get_string(v), sizeof(key) - 1);
		key[sizeof(key) - 1] = '\0';
		json_object_put(v);
		if (!take(r, ':'))
			return false;
		list = take(r, '[');
		if (list && take(r, ']'))
			continue;
		do {
			if (!value(r, &v))
				return false;
			fn(arg, key, v);
			json_object_put(v);
		} while (list && take(r, ','));
		if (list && !take(r, ']'))
			return false;
	} while (take(r, ','));
	return take(r, '}');
}

int json_read_each(const char *path, void (*fn)(void *arg, const char *key, struct json_object *value), void *arg)
{
	struct reading *r = malloc(sizeof(*r));
	int err = r ? begin(r, path) : -ENOMEM;
	bool ok;

	if (err) {
		free(r);
		return err;
	}
	ok = take(r, '{') && (take(r, '}') || members(r, fn, arg));
	err = ok ? 0 : r->err ? r->err : -EBADMSG;
	end(r);
	free(r);
	return err;
}

struct json_object *json_read(const char *path, int *err)
{
	struct reading *r = malloc(sizeof(*r));
	struct json_object *v = NULL;

	*err = r ? begin(r, path) : -ENOMEM;
	if (*err) {
		free(r);
		return NULL;
	}
	if (look(r) != '{' || !value(r, &v))
		*err = r->err ? r->err : -EBADMSG;
	end(r);
	free(r);
	return v;
}
