/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes JSON. Commas and escapes are done here; the caller opens and closes objects and arrays in
 * pairs. Bytes that are not UTF-8 become U+FFFD, since JSON cannot express them. Characters that utf8_next()
 * hides become \uXXXX.
 */
#ifndef CTRACE_JSON_H
#define CTRACE_JSON_H

#include "base/util.h"

struct json {
	struct sbuf *out;
	bool comma;		/* something was written at this level */
};

/* key is NULL inside an array and at the top. bracket: '{' or '[' to open, '}' or ']' to close. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_str(struct json *j, const char *key, const char *s);
void json_strn(struct json *j, const char *key, const char *s, size_t n);
void json_uint(struct json *j, const char *key, uint64_t v);
void json_int(struct json *j, const char *key, int64_t v);
void json_real(struct json *j, const char *key, double v);	/* with two decimals */
void json_flag(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
/* Ends the line after a top-level object: writes a newline, and is ready for the next object. */
void json_line(struct json *j);

#endif
