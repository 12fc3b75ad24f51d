/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a file that has one JSON object, a piece at a time: a recording's lists may be too long to hold in
 * memory. The file's length has no limit, as its writer has none, but reading ends at the first byte that is
 * not JSON, so a file with holes costs nothing.
 */
#ifndef CTRACE_JSON_READ_H
#define CTRACE_JSON_READ_H

struct json_object;

/*
 * Calls fn for each member of the object; if its value is a list, for each element of that, in order. The
 * value is freed after the call. 0, or -errno. -EBADMSG: it is not such an object; fn was called for the
 * members before the fault.
 */
int json_read_each(const char *path, void (*fn)(void *arg, const char *key, struct json_object *value), void *arg);
/* Reads all at once. NULL: *err is as above. json_object_put() frees it. */
struct json_object *json_read(const char *path, int *err);

#endif
