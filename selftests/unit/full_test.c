// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output that does not arrive. The program itself, with each form of output that needs no kernel module, writes onto a
 * device that is full, and onto a full disk: it must say so in one line, and fail. A command that 'ctrace help' lists has
 * a row here, or is one that needs the module: kernel/08_cli/full_output has a row for each command.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include "export_fixture.h"

#define WORDS	16
#define FREE	4096u		/* bytes that are left on the disk */

/* DIR is the recording, OUT the file to write, STACKS a file of folded stacks. */
struct row {
	const char *words;
	int status;		/* with room for the output */
};

static const struct row rows[] = {
	{ "report DIR", 0 },
	{ "report --json DIR", 0 },
	{ "report --relative --quiet-args DIR", 0 },
	{ "report --summary DIR", 0 },
	{ "report --summary --json DIR", 0 },
	{ "report --folded - DIR", 0 },
	{ "report --folded OUT DIR", 0 },
	{ "report --html - DIR", 0 },
	{ "report --html OUT DIR", 0 },
	{ "page --no-open -o - DIR", 0 },
	{ "page --no-open -o OUT DIR", 0 },
	{ "report --json /nowhere", 1 },
	{ "export --perfetto - DIR", 0 },
	{ "export --perfetto OUT DIR", 0 },
	{ "export --trace-dat - DIR", 0 },
	{ "export --trace-dat OUT DIR", 0 },
	{ "export --chrome - DIR", 0 },
	{ "export --chrome OUT DIR", 0 },
	{ "flame DIR -o -", 0 },
	{ "flame DIR -o OUT", 0 },
	{ "flame STACKS -o OUT", 0 },
	{ "flame STACKS --icicle -o -", 0 },
	{ "flame STACKS --folded -o -", 0 },
	{ "flame STACKS --folded -o OUT", 0 },
	{ "flame STACKS --pprof -o -", 0 },
	{ "flame STACKS --pprof -o OUT", 0 },
	{ "flame STACKS --speedscope -o -", 0 },
	{ "flame STACKS --speedscope -o OUT", 0 },
	{ "flame STACKS --diff STACKS -o OUT", 0 },
	{ "stats --input DIR", 0 },
	{ "stats --json --input DIR", 0 },
	{ "stats --interval 10ms --input DIR", 0 },
	{ "runqlat --input DIR", 0 },
	{ "runqlat --json --input DIR", 0 },
	{ "offcpu --input DIR", 0 },
	{ "offcpu --json --input DIR", 0 },
	{ "locks --input DIR", 0 },
	{ "locks --json --input DIR", 0 },
	{ "profile --input DIR", 0 },
	{ "profile --json --input DIR", 0 },
	{ "profile --folded - --input DIR", 0 },
	{ "profile --folded OUT --input DIR", 0 },
	{ "throttle --json --input DIR", 0 },
	{ "diff DIR DIR", 0 },
	{ "diff --json DIR DIR", 0 },
	{ "bio --input DIR", 0 },
	{ "bio --json --input DIR", 0 },
	{ "count --input DIR -e sched_wait", 0 },
	{ "hist --input DIR -e sched_wait duration", 0 },
	{ "hist --json --input DIR -e sched_wait duration", 0 },
	{ "agg --input DIR -e sched_wait=>count()", 0 },
	{ "version", 0 },
	{ "help", 0 },
	{ "", 2 },
};

/* They ask the module, or look at this machine. */
static const char *const live[] = {
	"trace", "record", "top", "blame", "why", "stuck", "files", "tcp", "snoop", "stackcount", "ps", "explain", "events", "probe",
	"doctor", "status", "watch",
};

/* --- a recording, and stacks ----------------------------------------------------------------- */

static char out[80], stacks[80], disk[80];

static void write_stacks(void)
{
	FILE *f = fopen(stacks, "we");

	if (!check(f != NULL))
		return;
	for (int i = 0; i < 3000; i++)
		fprintf(f, "web;nginx;main;serve_%d;read_%d %d\n", i % 500, i % 70, 1 + i % 40);
	fclose(f);
}

static void type(struct ctrace_schema *s, uint32_t id, const char *name, const struct ctrace_field *f, uint32_t n)
{
	const struct ctrace_event_type t = {
		.id = id, .name = name, .system = "x", .source = "x", .nfields = n, .fields = f,
	};

	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
}

static struct ctrace_schema *full_types(void)
{
	static const struct ctrace_field block[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "syscall", CTRACE_FK_INT, 0, 4 }, { "comm", CTRACE_FK_TEXT, 0, 16 },
	};
	static const struct ctrace_field throttled[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "cgroup_id", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field run[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, { "comm", CTRACE_FK_TEXT, 0, 16 } };
	static const struct ctrace_field io[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "queued", CTRACE_FK_UINT, 0, 8 },
		{ "throttled", CTRACE_FK_UINT, 0, 8 }, { "dev", CTRACE_FK_UINT, 0, 4 }, { "bytes", CTRACE_FK_UINT, 0, 4 },
		{ "error", CTRACE_FK_INT, 0, 4 }, { "rwbs", CTRACE_FK_UINT, CTRACE_FD_RWBS, 4 },
	};
	static const struct ctrace_field wait[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "prio", CTRACE_FK_INT, 0, 4 }, { "comm", CTRACE_FK_TEXT, 0, 16 },
		{ "reason", CTRACE_FK_UINT, 0, 4 },
	};
	static const struct ctrace_field lock[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "lock", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "kind", CTRACE_FK_UINT, 0, 4 },
		{ "ret", CTRACE_FK_INT, 0, 4 },
	};
	struct ctrace_schema *s = machine_types();

	type(s, CTRACE_ID_SCHED_WAIT, "sched_wait", wait, ARRAY_SIZE(wait));
	type(s, CTRACE_ID_SCHED_BLOCK, "sched_block", block, ARRAY_SIZE(block));
	type(s, CTRACE_ID_CPU_THROTTLED, "cpu_throttled", throttled, ARRAY_SIZE(throttled));
	type(s, CTRACE_ID_SCHED_RUN, "sched_run", run, ARRAY_SIZE(run));
	type(s, CTRACE_ID_BLOCK_IO, "block_io", io, ARRAY_SIZE(io));
	type(s, CTRACE_ID_LOCK_CONTENTION, "lock_contention", lock, ARRAY_SIZE(lock));
	return s;
}

static void put_wait(uint64_t time, uint32_t cpu)
{
	struct made m;

	make(&m, time, CTRACE_ID_SCHED_WAIT, 1, 101, 1);
	put_int(&m, 1 + draw(1u << 20), 8);
	put_int(&m, 120, 4);
	put_text(&m, "worker", 16);
	put_int(&m, 1, 4);
	add(cpu, &m);
	make(&m, time, CTRACE_ID_SCHED_BLOCK, 1, 101, 1);
	put_int(&m, 1 + draw(1u << 20), 8);
	put_int(&m, 0, 4);
	put_text(&m, "worker", 16);
	add(cpu, &m);
	make(&m, time, CTRACE_ID_CPU_THROTTLED, 2, 0, 0);
	put_int(&m, 1 + draw(1u << 20), 8);
	put_int(&m, 7, 8);
	add(cpu, &m);
	make(&m, time, CTRACE_ID_SCHED_RUN, 2, 103, 3);
	put_int(&m, 1 + draw(1u << 20), 8);
	put_text(&m, "worker", 16);
	add(cpu, &m);
	make(&m, time, CTRACE_ID_BLOCK_IO, 1, 101, 1);
	put_int(&m, 1 + draw(1u << 20), 8);
	put_int(&m, 1u << 20, 8);
	put_int(&m, draw(1u << 20), 8);
	put_int(&m, 8u << 20 | 17, 4);
	put_int(&m, 4096, 4);
	put_int(&m, 0, 4);
	put_int(&m, CTRACE_RWBS_READ, 4);
	add(cpu, &m);
	make(&m, time, CTRACE_ID_LOCK_CONTENTION, 1, 101, 1);
	put_int(&m, 1 + draw(1u << 20), 8);
	put_int(&m, 0, 8);
	put_int(&m, draw(64), 4);
	put_int(&m, 0, 4);
	add(cpu, &m);
}

static void record(void)
{
	uint64_t time = 1000000;

	begin_with(7, full_types());
	dump_tasks(time);
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t cpu = draw(CPUS), what = draw(8);

		time += 1 + draw(50000);
		if (what < 2 || !on[cpu].tid)
			do_switch(time, cpu);
		else if (what < 6)
			do_call(time, cpu);
		else if (what < 7)
			put_wait(time, cpu);
		else
			do_sample(time, cpu);
	}
	end(NULL);
	snprintf(out, sizeof(out), "%s.out", dir);
	snprintf(stacks, sizeof(stacks), "%s.folded", dir);
	write_stacks();
}

/* --- the program ------------------------------------------------------------------------------ */

static char said[1 << 16];	/* on standard error */

/* Runs ctrace with these words. to: its standard output; file: what stands for OUT. */
static int run(const char *words, int to, const char *file)
{
	char *copy = strdup(words), *save = NULL, *argv[WORDS + 2] = { (char *)"ctrace" };
	int argc = 1, err[2], status;
	ssize_t n = 0, got;
	pid_t pid;

	for (char *w = strtok_r(copy, " ", &save); w && argc <= WORDS; w = strtok_r(NULL, " ", &save))
		argv[argc++] = !strcmp(w, "DIR") ? dir : !strcmp(w, "OUT") ? (char *)file : !strcmp(w, "STACKS") ? stacks : w;
	check_eq(pipe2(err, O_CLOEXEC), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(to, STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		/* it must end */
		alarm(60);
		execv(CTRACE, argv);
		_exit(127);
	}
	close(err[1]);
	while ((got = read(err[0], said + n, sizeof(said) - 1 - (size_t)n)) > 0)
		n += got;
	said[n] = '\0';
	close(err[0]);
	waitpid(pid, &status, 0);
	free(copy);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static unsigned int lines_with(const char *text, const char *what)
{
	unsigned int n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

/* Leaves the output in the file `out`. Returns how long it is. */
static off_t with_room(const struct row *row)
{
	bool file = strstr(row->words, "OUT") != NULL;
	int fd = file ? open("/dev/null", O_WRONLY | O_CLOEXEC) : open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int status = run(row->words, fd, out);

	close(fd);
	if (!check_eq(status, row->status) || !check(size_of(out) > 0))
		printf("# 'ctrace %s' says: %s", row->words, said);
	return size_of(out);
}

static void must_say(const char *words, int status, const char *where)
{
	if (check(status != 0) & check_eq(lines_with(said, "No space left on device"), 1) &
	    check_eq(lines_with(said, "ctrace: cannot write"), 1))
		return;
	printf("# 'ctrace %s' onto %s: status %d, it says: %s\n", words, where, status, said);
}

/* --- cases ------------------------------------------------------------------------------------- */

static void each(void (*fn)(const struct row *row, off_t *size))
{
	static off_t sizes[ARRAY_SIZE(rows)];	/* of the output with room for it */
	struct row help = { 0 };
	char text[8192] = "", words[64], *save = NULL;
	ssize_t n;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		fn(&rows[i], &sizes[i]);
	fd = open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	check_eq(run("help", fd, out), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	close(fd);
	check(n > 0);
	for (char *l = strtok_r(text, "\n", &save); l && strcmp(l, "Options:"); l = strtok_r(NULL, "\n", &save)) {
		if (strncmp(l, "  ", 2) || !islower(l[2]))
			continue;
		snprintf(words, sizeof(words), "help %.*s", (int)strcspn(l + 2, " "), l + 2);
		help.words = words;
		fn(&help, NULL);
	}
}

static unsigned int commands_seen;

static bool is_help(const struct row *row)
{
	return !strncmp(row->words, "help ", strlen("help "));
}

static void is_known(const struct row *row, off_t *size)
{
	const char *name = row->words + strlen("help ");
	bool known = false;

	(void)size;
	if (!is_help(row))
		return;
	commands_seen++;
	for (size_t i = 0; i < ARRAY_SIZE(live); i++)
		known |= !strcmp(live[i], name);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		known |= !strncmp(rows[i].words, name, strlen(name)) && rows[i].words[strlen(name)] == ' ';
	if (!check(known))
		printf("# no row for the command '%s'\n", name);
}

static void every_command(void)
{
	each(is_known);
	check(commands_seen > ARRAY_SIZE(live));
}

static void onto_device(const struct row *row, off_t *size)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
	bool file = strstr(row->words, "OUT") != NULL;

	if (!is_help(row))
		*size = with_room(row);
	if (row->status == 1) {
		/* the error could not be said there: it is said where it can be */
		check_eq(run(row->words, full, out), 1);
		check_eq(lines_with(said, "ctrace: "), 2);
		check_eq(lines_with(said, "ctrace: cannot write the output: No space left on device"), 1);
	} else {
		must_say(row->words, run(row->words, file ? none : full, "/dev/full"), "a full device");
	}
	check(!access("/dev/full", F_OK));
	close(full);
	close(none);
}

static void full_device(void)
{
	each(onto_device);
}

static bool small_disk(void)
{
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return false;
	snprintf(disk, sizeof(disk), "%s.disk", dir);
	return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mkdir(disk, 0700) &&
	       !mount("none", disk, "tmpfs", 0, "size=64k");
}

static void fill_disk(off_t leave)
{
	char path[100], page[FREE] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/filler", disk);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (write(fd, page, sizeof(page)) == sizeof(page))
		;
	check_eq(errno, ENOSPC);
	check_eq(ftruncate(fd, size_of(path) - leave), 0);
	close(fd);
}

static void onto_disk(const struct row *row, off_t *size)
{
	bool file = strstr(row->words, "OUT") != NULL;
	char path[100];
	int fd, status;

	if (!size || !*size || row->status)
		return;
	/* the beginning of the output finds room, if it is long enough */
	fill_disk(*size > FREE ? FREE : 0);
	snprintf(path, sizeof(path), "%s/out", disk);
	fd = file ? open("/dev/null", O_WRONLY | O_CLOEXEC) : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	status = run(row->words, fd, path);
	must_say(row->words, status, "a full disk");
	close(fd);
	/* a picture or a page that is cut off is of no use */
	check_eq(file ? size_of(path) : -1, -1);
	unlink(path);
}

/* Temporary files are written there, and nothing of them is left. */
static void temporary_files(void)
{
	static const char *const words[] = { "flame DIR -o -", "export --trace-dat - DIR" };
	int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char where[160];
	DIR *d;

	fill_disk(0);
	setenv("TMPDIR", disk, 1);
	snprintf(where, sizeof(where), "ctrace: cannot write '%s': No space left on device", disk);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		must_say(words[i], run(words[i], none, out), "a full disk of temporary files");
		check_eq(lines_with(said, where), 1);
	}
	unsetenv("TMPDIR");
	d = opendir(disk);
	for (struct dirent *e; (e = readdir(d));)
		check(*e->d_name == '.' || !strcmp(e->d_name, "filler"));
	closedir(d);
	close(none);
}

static void full_disk(void)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!small_disk())
			_exit(4);
		each(onto_disk);
		temporary_files();
		fflush(stdout);
		_exit(ktap.failed);
	}
	waitpid(pid, &status, 0);
	snprintf(disk, sizeof(disk), "%s.disk", dir);
	rmdir(disk);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 4)
		ktap_skip("no mount namespace");
	else
		check_eq(status, 0);
}

/* Without the descriptors from..to. Returns the status. */
static int run_without(int from, int to, char *const argv[])
{
	int status;

	fflush(stdout);
	if (!fork()) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
			if (fd == from || fd == to)
				close(fd);
			else
				dup2(null, fd);
		}
		execv(CTRACE, argv);
		_exit(127);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* A file that is opened must not become standard output or error: what is said there would be in it. */
static void closed_output(void)
{
	char *const fold[] = { (char *)"ctrace", (char *)"report", (char *)"--folded", out, dir, NULL };
	char *const shown[] = { (char *)"ctrace", (char *)"report", dir, NULL };
	off_t size = with_room(&(struct row){ .words = "report --folded OUT DIR" });

	/* the recording would be opened as 0, and the output as 2 */
	check_eq(run_without(STDIN_FILENO, STDERR_FILENO, fold), 0);
	check_eq(size_of(out), size);
	check_eq(run_without(STDOUT_FILENO, STDOUT_FILENO, shown), 1);
}

static const struct ktap_case cases[] = {
	{ "every_command", every_command },
	{ "full_device", full_device },
	{ "full_disk", full_disk },
	{ "closed_output", closed_output },
};

int main(void)
{
	int status;

	record();
	status = ktap.failed | ktap_run(cases, ARRAY_SIZE(cases));
	unlink(out);
	unlink(stacks);
	remove_all();
	return status;
}
