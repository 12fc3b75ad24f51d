// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/util.h"

static void no_memory(void)
{
	fputs("ctrace: out of memory\n", stderr);
	exit(1);
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		no_memory();
	return p;
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		no_memory();
	return p;
}

char *xstrndup(const char *s, size_t n)
{
	char *p = strndup(s, n);

	if (!p)
		no_memory();
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (n < 0)
		no_memory();
	return p;
}

uint64_t clock_ns(int clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static int parse_time(const char *s, bool zero, uint64_t *ns)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
		{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
	};
	char *end;
	double v;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return -EINVAL;
	errno = 0;
	v = strtod(s, &end);
	if (errno || end == s || !isfinite(v))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		v *= units[i].ns;
		if ((v < 1 && !(zero && v == 0)) || v > 1e18)
			return -EINVAL;
		*ns = (uint64_t)v;
		return 0;
	}
	return -EINVAL;
}

int parse_duration(const char *s, uint64_t *ns)
{
	return parse_time(s, false, ns);
}

int parse_duration_or_0(const char *s, uint64_t *ns)
{
	return parse_time(s, true, ns);
}

int parse_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	unsigned long long v;
	unsigned int shift = 0;
	const char *u;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno)
		return -EINVAL;
	if (*end) {
		u = strchr(units, toupper((unsigned char)*end));
		if (!u)
			return -EINVAL;
		shift = 10 * (unsigned int)(u - units + 1);
		end++;
		if (!strcmp(end, "iB") || !strcmp(end, "B") || !strcmp(end, "b"))
			end += strlen(end);
	}
	if (*end || v > (UINT64_MAX >> shift))
		return -EINVAL;
	*bytes = (uint64_t)v << shift;
	return 0;
}

int parse_u32(const char *s, uint32_t *v)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno || *end || n > UINT32_MAX)
		return -EINVAL;
	*v = (uint32_t)n;
	return 0;
}

int parse_user(const char *s, uint32_t *uid)
{
	const struct passwd *p;

	if (!parse_u32(s, uid))
		return 0;
	p = getpwnam(s);
	if (!p)
		return -ENOENT;
	*uid = p->pw_uid;
	return 0;
}

char *read_fd(int fd, size_t limit, size_t *len)
{
	size_t n = 0, cap = 0;
	char *buf = NULL;
	struct stat st;
	ssize_t r;
	int err;

	if (fd < 0)
		return NULL;
	err = EFBIG;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		err = EINVAL;
		goto fail;
	}
	do {
		if (cap - n < 2) {
			cap = cap ? 2 * cap : 4096;
			buf = xrealloc(buf, cap);
		}
		r = read(fd, buf + n, cap - n - 1);
		if (r < 0 && errno != EINTR) {
			err = errno;
			goto fail;
		}
		if (r > 0)
			n += (size_t)r;
		if (n > limit)
			goto fail;
	} while (r);
	close(fd);
	buf[n] = '\0';
	if (len)
		*len = n;
	return buf;
fail:
	free(buf);
	close(fd);
	errno = err;
	return NULL;
}

char *read_upto(const char *path, size_t limit, size_t *len)
{
	/* O_NONBLOCK: a FIFO in place of the file must not block us. */
	return read_fd(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), limit, len);
}

char *read_file(const char *path, size_t *len)
{
	return read_upto(path, READ_MAX, len);
}

unsigned int edit_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned int row[3][66];

	if (la > 64 || lb > 64)
		return 64;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		cur[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int d = up[j - 1] + (a[i - 1] != b[j - 1]);

			if (up[j] + 1 < d)
				d = up[j] + 1;
			if (cur[j - 1] + 1 < d)
				d = cur[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < d)
				d = up2[j - 2] + 1;
			cur[j] = d;
		}
	}
	return row[la % 3][lb];
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	unsigned int d = edit_distance(n->word, candidate), i, limit;
	size_t lw = strlen(n->word);

	/* A candidate that begins with the word is near, however long its rest is. */
	if (lw >= 2 && !strncmp(n->word, candidate, lw))
		d = 1;
	limit = lw < 4 ? 1 : lw < 8 ? 2 : 3;
	if (d > limit)
		return;
	for (i = 0; i < n->n; i++)
		if (!strcmp(n->best[i], candidate))
			return;
	for (i = n->n; i > 0 && n->dist[i - 1] > d; i--)
		;
	if (i == NEAREST_MAX)
		return;
	if (n->n == NEAREST_MAX)
		free(n->best[--n->n]);
	memmove(&n->best[i + 1], &n->best[i], (n->n - i) * sizeof(n->best[0]));
	memmove(&n->dist[i + 1], &n->dist[i], (n->n - i) * sizeof(n->dist[0]));
	n->best[i] = xstrdup(candidate);
	n->dist[i] = d;
	n->n++;
}

void nearest_print(struct nearest *n, struct sbuf *b)
{
	for (unsigned int i = 0; i < n->n; i++) {
		sbuf_puts(b, i == 0 ? " (did you mean '" : i + 1 == n->n ? "' or '" : "', '");
		sbuf_clean(b, n->best[i]);
		free(n->best[i]);
	}
	if (n->n)
		sbuf_puts(b, "'?)");
	n->n = 0;
}

bool path_below(const char *path, size_t len, const char *of)
{
	size_t n = strlen(of);

	return n && len >= n && !strncmp(path, of, n) && (len == n || path[n] == '/');
}

bool is_program(const char *word)
{
	const char *p = getenv("PATH");
	bool found = false;

	if (strchr(word, '/'))
		return !access(word, X_OK);
	while (p && *p && *word && !found) {
		size_t len = strcspn(p, ":");
		char *file = xasprintf("%.*s/%s", (int)len, p, word);

		found = !access(file, X_OK);
		free(file);
		p += len + (p[len] == ':');
	}
	return found;
}
