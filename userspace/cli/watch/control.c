// SPDX-License-Identifier: GPL-2.0-only
/*
 * /run/ctrace/watch.sock: one request and one answer for each connection, each a packet. Only root may open
 * it, and the kernel says who did.
 */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "watch/watch.h"

#define REQUEST_MAX	256u

static struct sockaddr_un address(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	memcpy(a.sun_path, WATCH_SOCKET, sizeof(WATCH_SOCKET));
	return a;
}

/* A connection to a watch that runs, or -errno. */
static int connect_to(void)
{
	struct sockaddr_un a = address();
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int control_listen(struct watch *w)
{
	struct sockaddr_un a = address();
	char *dir = xstrndup(WATCH_SOCKET, strlen(WATCH_SOCKET) - strlen("/watch.sock"));
	int fd = connect_to(), err = 0;
	mode_t mask;

	for (size_t i = 0; i < CLIENTS_MAX; i++)
		w->clients[i].fd = -1;
	if (fd >= 0) {
		close(fd);
		free(dir);
		return cli_error("another watch runs: 'ctrace watch status' shows it");
	}
	mkdir(dir, 0755);
	free(dir);
	unlink(WATCH_SOCKET);
	w->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	if (w->listen_fd < 0 || bind(w->listen_fd, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(w->listen_fd, 4))
		err = errno;
	umask(mask);
	return err ? cli_error("cannot listen on " WATCH_SOCKET ": %s", strerror(err)) : CLI_OK;
}

void control_accept(struct watch *w)
{
	struct ucred who = { 0 };
	socklen_t len = sizeof(who);
	int fd = accept4(w->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) || (who.uid && who.uid != geteuid())) {
		close(fd);
		return;
	}
	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		if (w->clients[i].fd < 0) {
			w->clients[i].fd = fd;
			return;
		}
	}
	control_error(fd, "too many ask at once: try again");
}

void control_answer(int fd, const struct sbuf *json)
{
	if (fd < 0)
		return;
	/* who asked and does not read gets nothing */
	if (send(fd, json->s, json->len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		fprintf(stderr, "ctrace: an answer was not sent: %s\n", strerror(errno));
	close(fd);
}

void control_error(int fd, const char *why)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	if (fd < 0)
		return;
	json_open(&j, NULL, '{');
	json_str(&j, "error", why);
	json_close(&j, '}');
	json_line(&j);
	control_answer(fd, &b);
	sbuf_free(&b);
}

static void answer_status(struct watch *w, int fd)
{
	const struct watch_config *c = w->engine->config;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	json_open(&j, NULL, '{');
	json_int(&j, "pid", getpid());
	json_str(&j, "config", c->path);
	json_str(&j, "directory", c->dir);
	json_uint(&j, "session", ctrace_session_id(w->engine->run.session));
	json_uint(&j, "recording_ns", now - w->engine->began);
	json_uint(&j, "memory", c->memory);
	json_uint(&j, "seconds_ns", c->seconds);
	json_uint(&j, "triggers", c->ntriggers);
	json_uint(&j, "pending", w->npending);
	json_uint(&j, "writing", jobs_writing(w));
	account_put(&j, "account", &w->account, NULL);
	json_close(&j, '}');
	json_line(&j);
	control_answer(fd, &b);
	sbuf_free(&b);
}

static void asked_dump(struct watch *w, int fd, const char *word)
{
	uint32_t cid;
	const struct centry *e;

	if (!strcmp(word, "all")) {
		cid = CID_EVERY;
	} else if (parse_u32(word, &cid)) {
		control_error(fd, "not a container's number");
		return;
	}
	e = cid == CID_EVERY ? NULL : ctable_find(w->ctable, cid);
	if (cid != CID_EVERY && (!e || !e->known || cid == CTRACE_CID_HOST)) {
		control_error(fd, "there is no such container");
		return;
	}
	watch_trigger(w, &w->asked, cid, clock_ns(CLOCK_MONOTONIC), xstrdup("asked"),
		      xstrdup("'ctrace watch dump' asked for it"), NULL, fd);
}

void control_read(struct watch *w, size_t i)
{
	char text[REQUEST_MAX + 1];
	int fd = w->clients[i].fd;
	ssize_t n = recv(fd, text, REQUEST_MAX, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* from here on it is the answer's */
	w->clients[i].fd = -1;
	if (n <= 0) {
		close(fd);
		return;
	}
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!strcmp(text, "status"))
		answer_status(w, fd);
	else if (!strncmp(text, "dump ", 5))
		asked_dump(w, fd, text + 5);
	else
		control_error(fd, "not a request that this version knows");
}

void control_close(struct watch *w)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (w->clients[i].fd >= 0)
			close(w->clients[i].fd);
	if (w->listen_fd < 0)
		return;
	close(w->listen_fd);
	unlink(WATCH_SOCKET);
}

char *control_ask(const char *line, int timeout_ms, int *err)
{
	struct pollfd p = { .fd = connect_to(), .events = POLLIN };
	char *text;
	ssize_t n;

	*err = p.fd < 0 ? p.fd : 0;
	if (*err)
		return NULL;
	if (send(p.fd, line, strlen(line), MSG_NOSIGNAL) < 0) {
		*err = -errno;
		close(p.fd);
		return NULL;
	}
	n = poll(&p, 1, timeout_ms);
	*err = n < 0 ? -errno : !n ? -ETIME : 0;
	text = xcalloc(1, CONTROL_MAX + 1);
	n = *err ? 0 : recv(p.fd, text, CONTROL_MAX, 0);
	close(p.fd);
	if (n > 0)
		return text;
	/* it closed the connection: it may be another user's */
	*err = *err ? *err : n < 0 ? -errno : -EPIPE;
	free(text);
	return NULL;
}
