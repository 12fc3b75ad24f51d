// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child of the watch makes a dump whole: why.json, blame.json and report.html of the recording, which are
 * what `ctrace why`, `blame` and `report --html` print of it; then reason.json; then all of it is on the
 * disk, and the directory gets its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/json_read.h"
#include "watch/watch.h"

#define GLANCE_US	10000u
#define OUTPUT_MAX	((rlim_t)256 << 20)	/* bytes of a report */

/* Runs our own program with its output to a file. Returns its status as wait() gives it, or -errno. */
static int run_tool(char **argv, const char *out, uint64_t time)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + time;
	const struct rlimit most = { OUTPUT_MAX, OUTPUT_MAX };
	int fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), null, status;
	pid_t pid;

	if (fd < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		status = -errno;
		close(fd);
		return status;
	}
	if (!pid) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(null, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		setrlimit(RLIMIT_FSIZE, &most);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(fd);
	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (clock_ns(CLOCK_MONOTONIC) > end) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -ETIME;
		}
		usleep(GLANCE_US);
	}
	return status;
}

/* Puts the event into why's own object: its verdict is about time, and an end is none. */
static void add_event(const char *path, const struct finish *f)
{
	struct json_object *o, *event = json_object_new_object();
	const char *text;
	FILE *file;
	int err;

	o = json_read(path, &err);
	if (!o || !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		o = json_object_new_object();
	}
	json_object_object_add(event, "what", json_object_new_string(f->what));
	json_object_object_add(event, "reason", json_object_new_string(f->word));
	json_object_object_add(o, "event", event);
	text = json_object_to_json_string_ext(o, WATCH_JSON_PLAIN);
	file = fopen(path, "we");
	if (file) {
		fprintf(file, "%s\n", text);
		fclose(file);
	}
	json_object_put(o);
}

static void put_result(struct json *j, const char *key, int status)
{
	char *text = !status ? xstrdup("written") :
		     status == -ETIME ? xstrdup("left out: it took too long") :
		     status < 0 ? xasprintf("left out: %s", strerror(-status)) :
		     WIFSIGNALED(status) ? xasprintf("left out: ended by signal %d", WTERMSIG(status)) :
		     xasprintf("left out: status %d", WEXITSTATUS(status));

	json_str(j, key, text);
	free(text);
}

static void reports(const struct finish *f, struct json *j)
{
	char *of = xasprintf("%s/recording", f->new), *cid = xasprintf("cid:%u", f->cid);
	char *target = f->cid == CID_EVERY ? NULL : cid;
	/* whole ms: it must not be longer than the recording */
	char *last = xasprintf("%llums", (unsigned long long)f->window / 1000000);
	struct { const char *file; char *argv[10]; } tools[] = {
		{ "why.json", { "ctrace", "why", "--json", "--last", last, "--input", of, target } },
		{ "blame.json", { "ctrace", "blame", "--json", "--last", last, "--input", of, target } },
		{ "report.html", { "ctrace", "report", "--html", "-", of } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		char *out = xasprintf("%s/%s", f->new, tools[i].file);
		/* why is about one container */
		int status = !i && !target ? 0 : run_tool(tools[i].argv, out, f->report_time);

		/* half a report says less than none */
		if (status)
			unlink(out);
		if (i || target)
			put_result(j, tools[i].file, status);
		if (!i)
			add_event(out, f);
		free(out);
	}
	free(of);
	free(cid);
	free(last);
}

static int write_file(const char *dir, const char *name, const struct sbuf *b)
{
	char *path = xasprintf("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), err = fd < 0 ? -errno : 0;
	ssize_t n = fd < 0 ? 0 : write(fd, b->s, b->len);

	if (!err && n != (ssize_t)b->len)
		err = n < 0 ? -errno : -ENOSPC;
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

void finish_run(const struct finish *f)
{
	char *to = xasprintf("%s/%s", f->dir, f->id);
	struct sbuf b = f->head;
	struct json j = { .out = &b, .comma = true };
	int err, fd;

	/* what is being explained has a right to the CPUs before the explanation */
	setpriority(PRIO_PROCESS, 0, 10);
	json_open(&j, "reports", '{');
	if (f->recording)
		reports(f, &j);
	json_close(&j, '}');
	json_close(&j, '}');
	json_line(&j);
	err = write_file(f->new, STORE_REASON, &b);
	if (!err)
		err = store_sync_tree(f->new);
	if (!err && rename(f->new, to))
		err = -errno;
	fd = err ? -1 : open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
	_exit(err == -ENOSPC || err == -EDQUOT ? ENOSPC : err ? 1 : 0);
}
