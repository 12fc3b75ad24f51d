// SPDX-License-Identifier: GPL-2.0-only
/*
 * What libsystemd's sd_notify() and sd_journal_sendv() do. Both protocols are documented as stable, and
 * each is a datagram; with the library, the command would be linked with it on each machine, for these
 * hundred lines.
 */
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "watch/watch.h"

#define JOURNAL	"/run/systemd/journal/socket"

/* path: '@' begins an abstract one. 0 or -errno. */
static int send_to(const char *path, const char *text, size_t len)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strlen(path);
	int fd, err = 0;

	if (!n || n >= sizeof(to.sun_path))
		return -EINVAL;
	memcpy(to.sun_path, path, n);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* a journal that does not read must not hold the watch up */
	if (sendto(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) < 0)
		err = -errno;
	close(fd);
	return err;
}

void notify_systemd(const char *fmt, ...)
{
	const char *to = getenv("NOTIFY_SOCKET");
	va_list ap;
	char *text;
	int n;

	if (!to || (*to != '/' && *to != '@'))
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	send_to(to, text, (size_t)n);
	free(text);
}

uint64_t notify_watchdog(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	char *end;
	unsigned long long v = usec ? strtoull(usec, &end, 10) : 0;

	if (!v || *end || (pid && strtol(pid, NULL, 10) != getpid()))
		return 0;
	return v * 1000 / 2;
}

bool notify_journal(const struct journal_field *f)
{
	struct sbuf b = { 0 };
	int err;

	for (; f->key; f++) {
		uint64_t len = htole64(strlen(f->value));

		sbuf_puts(&b, f->key);
		if (!strchr(f->value, '\n')) {
			sbuf_putc(&b, '=');
		} else {
			/* such a value has its length in front */
			sbuf_putc(&b, '\n');
			sbuf_put(&b, (const char *)&len, sizeof(len));
		}
		sbuf_puts(&b, f->value);
		sbuf_putc(&b, '\n');
	}
	err = send_to(JOURNAL, b.s, b.len);
	sbuf_free(&b);
	return !err;
}
