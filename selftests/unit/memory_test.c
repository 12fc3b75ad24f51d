// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that arguments point to, as text: strace is the witness. This program makes the calls of a table
 * below strace, which makes them return without being executed. Each line must be the table's, and ours. Then
 * cut and hostile memory.
 */
#include <errno.h>
#include <json-c/json.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "built_call.h"
#include "ktap.h"
#include "memory_calls.h"
#include "strace.h"

/* --- our side ------------------------------------------------------------------ */

static size_t gather(unsigned char *to, size_t max, const struct iovec *v, size_t n, size_t limit)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = v[i].iov_len < limit ? v[i].iov_len : limit;

		len = len < max - at ? len : max - at;
		memcpy(to + at, v[i].iov_base, len);
		at += len;
		limit -= len;
	}
	return at;
}

/* cut: no more bytes of each than that */
static void build(struct built *b, const struct call_case *c, bool compat, bool plain, size_t cut)
{
	uint64_t args[NARGS];
	unsigned char all_pieces[256];
	struct iovec v[4];
	struct msghdr h;
	size_t n;

	for (int i = 0; i < NARGS; i++)
		args[i] = c->mem[i].s ? (uintptr_t)c->mem[i].s : c->args[i];
	begin(b, args, c->ret);
	for (int i = 0; i < NARGS; i++) {
		size_t limit = strstr(c->name, "read") || strstr(c->name, "recv") ? (size_t)c->ret : SIZE_MAX;

		if (!c->mem[i].s)
			continue;
		n = c->mem[i].n < cut ? c->mem[i].n : cut;
		add_about(b, i, ABOUT_DATA, c->mem[i].s, n);
		if ((strstr(c->name, "readv") || strstr(c->name, "writev") || strstr(c->name, "vmsplice")) &&
		    i == 1) {
			memcpy(v, c->mem[i].s, c->mem[i].n);
			n = gather(all_pieces, sizeof(all_pieces), v, c->mem[i].n / sizeof(v[0]), limit);
			add_about(b, i, ABOUT_PIECES, all_pieces, n < cut ? n : cut);
		}
		if ((!strcmp(c->name, "sendmsg") || !strcmp(c->name, "recvmsg")) && i == 1) {
			memcpy(&h, c->mem[i].s, sizeof(h));
			add_about(b, i, ABOUT_ADDR, h.msg_name, h.msg_namelen < cut ? h.msg_namelen : cut);
			n = h.msg_iovlen * sizeof(struct iovec);
			add_about(b, i, ABOUT_IOV, h.msg_iov, n < cut ? n : cut);
			n = gather(all_pieces, sizeof(all_pieces), h.msg_iov, h.msg_iovlen, limit);
			add_about(b, i, ABOUT_PIECES, all_pieces, n < cut ? n : cut);
		}
	}
	finish_call(b, c->name, compat, plain);
}

static void put_line(struct sbuf *to, const struct built *b)
{
	const struct call_form *form;

	sbuf_printf(to, "%s(", b->c.p->call.name);
	form = syscall_put_args(to, &b->c, &b->c);
	sbuf_puts(to, ") ");
	syscall_put_result(to, form, &b->c, &b->c, (int64_t)b->v[1].u);
}

static void our_text(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases_of_calls); i++) {
		struct sbuf line = { 0 };
		struct built b;

		build(&b, &cases_of_calls[i], false, false, SIZE_MAX);
		put_line(&line, &b);
		check_str(line.s, cases_of_calls[i].want);
		sbuf_free(&line);
		end(&b);
	}
}

/* --- strace -------------------------------------------------------------------- */

/* Waits for its tracer, then makes the calls that shall return ret. */
static void make_calls(const volatile int *go, int64_t ret)
{
	while (!*go)
		sched_yield();
	for (size_t i = 0; i < ARRAY_SIZE(cases_of_calls); i++) {
		const struct call_case *c = &cases_of_calls[i];
		int nr = seccomp_syscall_resolve_name(c->name);
		uint64_t a[NARGS];

		for (int k = 0; k < NARGS; k++)
			a[k] = c->mem[k].s ? (uintptr_t)c->mem[k].s : c->args[k];
		if (nr >= 0 && c->ret == ret)
			syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	syscall(SYS_exit_group, 0);
}

static bool traced_by(pid_t pid)
{
	char path[48], line[256];
	bool traced_now = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		traced_now |= !strncmp(line, "TracerPid:", 10) && atoi(line + 10);
	if (f)
		fclose(f);
	return traced_now;
}

/* Compares the calls that return ret. Returns how many there were. */
static unsigned int witness_of(int64_t ret, volatile int *go)
{
	char log[] = "/tmp/ctrace-memory-XXXXXX", pid_text[16], *line = NULL;
	struct sbuf calls = { 0 }, inject = { 0 }, trace = { 0 };
	unsigned int n = 0;
	pid_t child, tracer;
	size_t i, room_of = 0;
	FILE *f;

	*go = 0;
	sbuf_reset(&calls);
	for (i = 0; i < ARRAY_SIZE(cases_of_calls); i++)
		if (cases_of_calls[i].ret == ret && seccomp_syscall_resolve_name(cases_of_calls[i].name) >= 0)
			sbuf_printf(&calls, "%s%s", calls.len ? "," : "", cases_of_calls[i].name);
	sbuf_printf(&inject, "inject=%s:retval=%lld", calls.s, (long long)ret);
	sbuf_printf(&trace, "trace=%s", calls.s);
	close(mkstemp(log));
	child = fork();
	if (!child) {
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		make_calls(go, ret);
	}
	snprintf(pid_text, sizeof(pid_text), "%d", child);
	tracer = fork();
	if (!tracer) {
		setenv("TZ", "UTC", 1);
		execlp("strace", "strace", "-qq", "-e", "signal=none", "-o", log, "-e", trace.s, "-e", inject.s, "-p",
		  pid_text,
		       NULL);
		_exit(1);
	}
	for (i = 0; i < 10000 && !traced_by(child) && !waitpid(tracer, NULL, WNOHANG); i++)
		usleep(1000);
	if (!check(traced_by(child)))
		kill(child, SIGKILL);
	*go = 1;
	waitpid(child, NULL, 0);
	waitpid(tracer, NULL, 0);
	f = fopen(log, "r");
	for (i = 0; f && i < ARRAY_SIZE(cases_of_calls); i++) {
		const struct call_case *c = &cases_of_calls[i];
		char *s, *eq;

		if (c->ret != ret || seccomp_syscall_resolve_name(c->name) < 0)
			continue;
		if (!check(getline(&line, &room_of, f) > 0))
			break;
		s = strstr(line, " (INJECTED)");
		if (s)
			memmove(s, s + 11, strlen(s + 11) + 1);
		line[strcspn(line, "\n")] = '\0';
		/* it fills up with blanks */
		eq = strstr(line, ") ");
		while (eq && strstr(eq + 1, ") "))
			eq = strstr(eq + 1, ") ");
		for (s = line; (s = strstr(s, ")  ")); )
			memmove(s + 1, s + 2, strlen(s + 2) + 1);
		check_str(c->want, line);
		n++;
	}
	if (f)
		fclose(f);
	unlink(log);
	free(line);
	sbuf_free(&calls);
	sbuf_free(&inject);
	sbuf_free(&trace);
	return n;
}

static void witness(void)
{
	volatile int *go = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int n = 0;

	if (!has_strace()) {
		ktap_skip("there is no strace 6.1");
		return;
	}
	for (int64_t ret = 0; ret < 64; ret++)
		for (size_t i = 0; i < ARRAY_SIZE(cases_of_calls); i++)
			if (cases_of_calls[i].ret == ret) {
				n += witness_of(ret, go);
				break;
			}
	check(n > 90 || n == ARRAY_SIZE(cases_of_calls));
	munmap((void *)go, 4096);
}

/* --- calls that change what they were given -------------------------------------- */

#define CHANGED	4	/* arguments */

struct changed {
	const char *name;
	uint64_t args[NARGS];
	struct { int arg; const void *was, *now; size_t n; } mem[CHANGED];	/* was NULL: it was not kept */
	int64_t ret;
	const char *want;
};

static void changed_calls(void)
{
	static const uint64_t asked[2] = { 0x18, 1 }, found[2] = { 0x10, 1 }, nothing[2];
	static const struct timeval tv_asked = { 3, 4 }, tv_left = { 2, 9 };
	static const struct timespec ts_asked = { 3, 4 }, ts_left = { 2, 9 };
	static const struct pollfd poll_asked = { 3, POLLIN, 0 }, poll_found = { 3, POLLIN, POLLIN };
	static const uint64_t from = 5, to = 9;
	static const struct changed changes[] = {
		{ "select", { 65 }, { { 1, asked, found, 16 }, { 2, asked, nothing, 16 }, { 4, &tv_asked, &tv_left, 16 } }, 2,
		  "select(65, [3 4 64], [3 4 64], NULL, {tv_sec=3, tv_usec=4}) = 2 (in [4 64], left {tv_sec=2, tv_usec=9})" },
		{ "pselect6", { 65 }, { { 2, asked, found, 16 }, { 3, asked, asked, 16 } }, 3,
		  "pselect6(65, NULL, [3 4 64], [3 4 64], NULL, NULL) = 3 (out [4 64], except [3])" },
		{ "select", { 65 }, { { 1, asked, nothing, 16 }, { 4, &tv_asked, &tv_left, 16 } }, 0,
		  "select(65, [3 4 64], NULL, NULL, {tv_sec=3, tv_usec=4}) = 0 (Timeout)" },
		{ "select", { 65 }, { { 1, NULL, found, 16 }, { 4, NULL, &tv_left, 16 } }, 2,
		  "select(65, 0x1000, NULL, NULL, 0x1000) = 2 (in [4 64], left {tv_sec=2, tv_usec=9})" },
		{ "select", { 65 }, { { 1, NULL, asked, 16 } }, -EBADF,
		  "select(65, [3 4 64], NULL, NULL, NULL) = -1 EBADF (Bad file descriptor)" },
		{ "ppoll", { 0, 1, 0, 0, 8 }, { { 0, &poll_asked, &poll_found, 8 }, { 2, &ts_asked, &ts_left, 16 } }, 1,
		  "ppoll([{fd=3, events=POLLIN}], 1, {tv_sec=3, tv_nsec=4}, NULL, 8) = 1 "
		  "([{fd=3, revents=POLLIN}], left {tv_sec=2, tv_nsec=9})" },
		{ "sendfile", { 3, 4, 0, 4 }, { { 2, &from, &to, 8 } }, 4, "sendfile(3, 4, [5] => [9], 4) = 4" },
		{ "sendfile", { 3, 4, 0, 4 }, { { 2, &from, &from, 8 } }, 0, "sendfile(3, 4, [5], 4) = 0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct changed *c = &changes[i];
		uint64_t args[NARGS];
		struct sbuf line = { 0 };
		struct built b;

		memcpy(args, c->args, sizeof(args));
		for (int k = 0; k < CHANGED && c->mem[k].n; k++)
			args[c->mem[k].arg] = 0x1000;
		begin(&b, args, c->ret);
		for (int k = 0; k < CHANGED && c->mem[k].n; k++) {
			add_about(&b, c->mem[k].arg, ABOUT_DATA, c->mem[k].now, c->mem[k].n);
			if (c->mem[k].arg)	/* poll()'s array has places of its own for what was found */
				add_about(&b, c->mem[k].arg, ABOUT_WAS, c->mem[k].was, c->mem[k].was ? c->mem[k].n : 0);
		}
		finish_call(&b, c->name, false, false);
		put_line(&line, &b);
		check_str(line.s, c->want);
		sbuf_free(&line);
		end(&b);
	}
}

/* --- JSON ---------------------------------------------------------------------- */

/* The members "a_data" and so on, as the records' lines have them. */
static void put_json(struct sbuf *to, const struct built *b)
{
	const struct call_form *form = syscall_form(b->c.p, b->v, b->n);
	struct json j = { .out = to };
	struct memory m;

	sbuf_reset(to);
	json_open(&j, NULL, '{');
	for (uint32_t i = 0; form && i < form->nargs; i++)
		if (b->c.p->about[i][ABOUT_DATA] >= 0 && call_memory(&m, form, i, &b->c, &b->c))
			memory_put_json(&j, arg_names[i], form->args[i], &m);
	json_close(&j, '}');
}

static const struct {
	const char *text;		/* the case's text begins so */
	const char *want;
} json_cases[] = {
	{ "connect(3, {sa_family=AF_INET, "
	  "sin", "{\"b\":{\"family\":\"AF_INET\",\"port\":80,\"address\":\"1.2.3.4\"}}" },
	{ "bind(3, "
	  "{sa_family=AF_INET6", "{\"b\":{\"family\":\"AF_INET6\",\"port\":80,\"flowinfo\":5,\"address\":\"::1\","
	  "\"scope_id\":3}}" },
	{ "connect(3, {sa_family=AF_UNIX, sun_path=\"/x/y", "{\"b\":{\"family\":\"AF_UNIX\",\"path\":\"/x/y\"}}" },
	{ "connect(3, {sa_family=AF_UNIX, "
	  "sun_path=@\"abc", "{\"b\":{\"family\":\"AF_UNIX\",\"abstract\":\"abc\\u0000d\"}}" },
	{ "connect(3, {sa_family=AF_UNIX}", "{\"b\":{\"family\":\"AF_UNIX\"}}" },
	{ "connect(3, {sa_family=AF_NETLINK", "{\"b\":{\"family\":\"AF_NETLINK\",\"pid\":5,\"groups\":16}}" },
	{ "connect(3, {sa_family=AF_VSOCK", "{\"b\":{\"family\":\"AF_VSOCK\",\"cid\":2,\"port\":5}}" },
	{ "accept(", "{\"b\":{\"family\":\"AF_INET\",\"port\":80,\"address\":\"1.2.3.4\"},\"c\":16}" },
	{ "pipe2(", "{\"a\":[3,4]}" },
	{ "write(1, \"a", "{\"b\":\"a\\u00001\\n\\u001b\357\277\2759\\\\\\\"<x>\\u00018\\t\\u000b\\u000c\\u000d"
	  "\357\277\2757\"}" },
	{ "writev(", "{\"b\":[{\"iov_base\":\"abc\",\"iov_len\":3},{\"iov_base\":\"\",\"iov_len\":0},"
	  "{\"iov_base\":\"0123456789\",\"iov_len\":10}]}" },
	{ "sendmsg(", "{\"b\":{\"msg_name\":{\"family\":\"AF_INET\",\"port\":80,\"address\":\"1.2.3.4\"},"
	  "\"msg_namelen\":16,"
	  "\"msg_iov\":[{\"iov_base\":\"abc\",\"iov_len\":3},{\"iov_base\":\"\",\"iov_len\":0},"
	  "{\"iov_base\":\"0123456789\",\"iov_len\":10}],\"msg_iovlen\":3,\"msg_controllen\":0,\"msg_flags\":128}}" },
	{ "poll([{", "{\"a\":[{\"fd\":3,\"events\":3,\"revents\":1},{\"fd\":4,\"events\":4,\"revents\":0},"
	  "{\"fd\":-1,\"events\":1,\"revents\":0}]}" },
	{ "select(", "{\"b\":[0,3,4,64],\"c\":[0,3,4,64],\"e\":{\"tv_sec\":3,\"tv_usec\":4}}" },
	{ "utimensat(AT_FDCWD, NULL, [{", "{\"c\":[{\"tv_sec\":1,\"tv_nsec\":2},"
	  "{\"tv_sec\":0,\"tv_nsec\":1073741823}]}" },
	{ "fstat(3, {st_mode=S_IFCHR", "{\"b\":{\"st_mode\":10640,\"st_rdev\":34817}}" },
	{ "rt_sigprocmask(SIG_BLOCK", NULL },
	{ "rt_sigaction(SIGUSR1, {sa_handler=SIG_DFL", "{\"b\":{\"sa_handler\":0,\"sa_mask\":[],\"sa_flags\":4}}" },
	{ "sigaltstack(", "{\"a\":{\"ss_sp\":\"0x1000\",\"ss_flags\":2,\"ss_size\":8192}}" },
	{ "wait4(7, [{WIFEXITED", "{\"b\":768,\"d\":{\"ru_utime\":{\"tv_sec\":0,\"tv_usec\":5},"
	  "\"ru_stime\":{\"tv_sec\":1,\"tv_usec\":2}}}" },
	{ "uname(", "{\"a\":{\"sysname\":\"Linux\",\"nodename\":\"vm\\\"\"}}" },
	{ "sysinfo(", "{\"a\":{\"uptime\":5,\"loads\":[1,2,"
	  "3],\"totalram\":4,\"freeram\":0,\"sharedram\":0,\"bufferram\":0,"
	  "\"totalswap\":0,\"freeswap\":0,\"procs\":7,\"totalhigh\":0,\"freehigh\":0,\"mem_unit\":1}}" },
};

static void as_json(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(json_cases); i++) {
		struct sbuf text = { 0 };
		bool found = false;

		for (size_t k = 0; k < ARRAY_SIZE(cases_of_calls) && !found; k++) {
			struct built b;

			if (strncmp(cases_of_calls[k].want, json_cases[i].text, strlen(json_cases[i].text)))
				continue;
			found = true;
			build(&b, &cases_of_calls[k], false, false, SIZE_MAX);
			put_json(&text, &b);
			if (json_cases[i].want)
				check_str(text.s, json_cases[i].want);
			end(&b);
		}
		check(found);
		sbuf_free(&text);
	}
}

/* --- cut and hostile ----------------------------------------------------------- */

/* Whatever it is, it is one line without control characters, and one JSON object. */
static void sound(const struct built *b)
{
	struct sbuf text = { 0 };
	struct json_object *o;

	put_line(&text, b);
	for (size_t i = 0; i < text.len; i++)
		if (!check(text.s[i] >= ' ' && text.s[i] < 0x7f))
			break;
	put_json(&text, b);
	o = json_tokener_parse(text.s);
	if (!check(json_object_is_type(o, json_type_object)))
		printf("# %s: %s\n", b->c.p->call.name, text.s);
	json_object_put(o);
	sbuf_free(&text);
}

/* Each length up to the whole. */
static void cut(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases_of_calls); i++) {
		const struct call_case *c = &cases_of_calls[i];
		size_t max = 0;

		for (int k = 0; k < NARGS; k++)
			max = c->mem[k].n > max ? c->mem[k].n : max;
		for (size_t n = 0; n <= max; n++) {
			struct built b;

			build(&b, c, n % 2, false, n);
			sound(&b);
			end(&b);
		}
	}
}

static void expect_cut(const char *begins, size_t n, bool compat, bool plain, const char *want)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases_of_calls); i++) {
		struct sbuf line = { 0 };
		struct built b;
		char *hex;

		if (strncmp(cases_of_calls[i].want, begins, strlen(begins)))
			continue;
		build(&b, &cases_of_calls[i], compat, plain, n);
		put_line(&line, &b);
		/* addresses of this program's memory */
		while ((hex = strstr(line.s, "0x5")) || (hex = strstr(line.s, "0x7f"))) {
			size_t n = strspn(hex, "0123456789abcdefx");

			memmove(hex, hex + n, strlen(hex + n) + 1);
		}
		check_str(line.s, want);
		sbuf_free(&line);
		end(&b);
		return;
	}
	check(false);
}

static void cut_text(void)
{
	expect_cut("write(1, \"a", 3, false, false, "write(1, \"a\\0001\"..., 20) = 20");
	expect_cut("fstat(3, {st_mode=S_IFREG", 28, false, false, "fstat(3, {st_mode=S_IFREG|0644, ...}) = 0");
	expect_cut("poll([{", 8, false, false, "poll([{fd=3, events=POLLIN|POLLPRI}, ...], 3, 100) = 1 ([{fd=3, "
	  "revents=POLLIN}, "
		   "...])");
	expect_cut("writev(", 16, false, false, "writev(1, [{iov_base=\"abc\", iov_len=3}, ...], 3) = 13");
	expect_cut("sigaltstack(", 16, false, false, "sigaltstack({ss_sp=0x1000, ss_flags=SS_DISABLE, ...}, NULL) = 0");
	/* of 32-bit programs: what is the same for them */
	expect_cut("pipe2(", 8, true, false, "compat_pipe2([3, 4], O_CLOEXEC) = 0");
	expect_cut("uname(", 400, true, false, "compat_uname({sysname=\"Linux\", nodename=\"vm\\\"\", ...}) = 0");
	/* numbers alone */
	expect_cut("poll([{", 24, false, true, "poll(, 0x3, 0x64, NULL, NULL, NULL) = 1");
}

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static uint64_t any_number(void)
{
	static const uint64_t odd_ones[] = {
		0, 1, 2, 3, 4, 8, 16, 100, INT32_MAX, UINT32_MAX, 1ull << 31, 1ull << 32,
		INT64_MAX, UINT64_MAX, 1ull << 63,
	};

	return any(3) ? odd_ones[any(ARRAY_SIZE(odd_ones))] : any(UINT64_MAX);
}

/* Pseudo-random bytes and numbers in each call; half of them as one of its variants wants them. */
static void fuzz(void)
{
	for (const struct call_args *a = call_args; a < call_args + ncall_args; a++) {
		bool compat = !strncmp(a->name, "compat_", 7);
		uint64_t args[NARGS] = { 0 };
		struct built b;

		begin(&b, args, 0);
		for (int i = 0; i < NARGS; i++)
			for (int k = 0; k < (i < 5 ? ABOUT_N : 2); k++)
				add_about(&b, i, (enum about)k, "", 0);
		finish_call(&b, a->name + (compat ? 7 : 0), compat || !any(4), false);
		for (int round = 0; round < 6; round++) {
			const struct call_variant *x = a->nvariants && any(2) ? &a->variants[any(a->nvariants)] : NULL;

			for (uint32_t i = 1; i < b.n; i++) {
				size_t n = any(4) ? any(160) : any(8);

				if (b.f[i].kind == CTRACE_FK_UINT) {
					b.v[i].u = any_number();
					continue;
				}
				free(b.mem[i]);
				b.mem[i] = malloc(n ?: 1);
				for (size_t k = 0; k < n; k++)
					((unsigned char *)b.mem[i])[k] = (unsigned char)(any(2) ? any(8) : any(256));
				if (b.f[i].kind == CTRACE_FK_SEQ) {
					b.v[i].seq.v = b.mem[i];
					b.v[i].seq.n = n;
				} else {
					b.v[i].str.s = b.mem[i];
					b.v[i].str.len = n;
				}
			}
			if (x) {
				b.v[2 + x->also].u |= x->also_value;
				b.v[2 + a->by].u = (b.v[2 + a->by].u & ~x->mask) | x->value;
			}
			sound(&b);
		}
		end(&b);
	}
}

static const struct ktap_case cases[] = {
	{ "what calls point to, in strace's form", our_text },
	{ "strace shows it alike", witness },
	{ "calls that change what they were given", changed_calls },
	{ "the same as JSON", as_json },
	{ "memory of each length", cut },
	{ "what is cut, 32-bit programs, plain numbers", cut_text },
	{ "pseudo-random memory in each call", fuzz },
};

int main(void)
{
	setenv("TZ", "UTC", 1);
	return ktap_run(cases, ARRAY_SIZE(cases));
}
