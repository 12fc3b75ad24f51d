// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers that system calls take, by name: strace is the witness. This program, as its own child below strace, makes
 * every call of the table with every constant that the table has for it, and with numbers that it has not. A seccomp
 * filter refuses all of them, so that nothing happens but strace's line. Each number in it must be what we print.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktap.h"
#include "make_record.h"
#include "strace/paint.h"
#include "strace.h"

#define DONE		77				/* exit_group() of this is allowed */
#define NARGS		6

struct made_call {
	const struct call_args *of;
	int nr;
	uint64_t args[NARGS];
};

static struct made_call *calls;
static size_t ncalls;

/* --- which calls -------------------------------------------------------------- */

/* Calls that strace shows in its own way, or that have no number to look at. */
static bool left_out(const char *name)
{
	static const char *const names[] = {
		"rt_sigreturn",		/* strace shows the signal mask on the stack */
		"restart_syscall",	/* and which call it continues */
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void add(const struct call_args *of, int nr, const uint64_t args[NARGS], uint32_t k, uint64_t v)
{
	struct made_call *c;

	if (!(ncalls & (ncalls - 1)))
		calls = realloc(calls, sizeof(*calls) * (ncalls ? 2 * ncalls : 1));
	c = &calls[ncalls++];
	c->of = of;
	c->nr = nr;
	memcpy(c->args, args, sizeof(c->args));
	if (k < NARGS)
		c->args[k] = v;
}

/* The numbers to try for an argument: v[0..n) */
struct tries {
	uint64_t v[8192];
	size_t n;
};

static void try_it(struct tries *t, uint64_t v)
{
	if (t->n < ARRAY_SIZE(t->v))
		t->v[t->n++] = v;
}

static void try_part(struct tries *t, const struct part *p, bool all)
{
	const struct constants *c = p->names;
	uint64_t known = 0;

	switch (p->kind) {
	case PART_INT:
	case PART_DIRFD:
		try_it(t, (uint32_t)-100);
		/* fall through */
	case PART_UINT:
	case PART_UID:
		try_it(t, 5);
		try_it(t, UINT32_MAX);
		return;
	case PART_LONG:
	case PART_ULONG:
		try_it(t, 0x123456789a);
		try_it(t, UINT64_MAX);
		return;
	case PART_HEX:
		try_it(t, 9);
		return;
	case PART_DEV:
		try_it(t, 0x1234);
		return;
	case PART_MODE:
	case PART_OCTAL:
		try_it(t, 0644);
		try_it(t, 07);
		return;
	case PART_SIG:
	case PART_SIGNAL:
		for (uint64_t i = 0; i < 66; i++)
			try_it(t, i);
		return;
	case PART_SHIFTED:
		try_it(t, (uint64_t)21 << p->shift);
		return;
	case PART_BITS:
		for (uint32_t i = 0; i < c->n; i++) {
			if (all)
				try_it(t, c->of[i].value);
			known |= c->of[i].value;
		}
		for (int i = 0; all && i < 64; i++)
			if (p->mask >> i & 1)
				try_it(t, 1ull << i);
		try_it(t, known & p->mask);
		return;
	case PART_ENUM:
	case PART_IOCTL:
		for (uint32_t i = 0; i < c->n; i++)
			if (all || i == c->n / 2)
				try_it(t, c->of[i].value << p->shift & p->mask);
		for (uint64_t i = 0; all && i < 128; i++)
			if (!(i << p->shift & ~p->mask))
				try_it(t, i << p->shift);
		return;
	default:
		return;
	}
}

/* Each constant is tried in the first call that takes its type; elsewhere, some of them. */
static bool first_time(const struct part *type)
{
	static const struct part *seen[1024];
	static size_t n;

	for (size_t i = 0; i < n; i++)
		if (seen[i] == type)
			return false;
	if (n < ARRAY_SIZE(seen))
		seen[n++] = type;
	return true;
}

/* by: the argument whose number makes this form the one, and stays; NARGS: none */
static void add_form(const struct call_args *of, int nr, const struct call_form *form, uint32_t by,
		     const struct call_variant *x)
{
	static struct tries t;
	uint64_t args[NARGS] = { 0 };

	if (x) {
		args[x->also] |= x->also_value;
		args[by] |= x->value;
	}
	add(of, nr, args, NARGS, 0);
	for (uint32_t k = 0; k < form->nargs; k++) {
		bool all = form->args[k] && first_time(form->args[k]);

		if (k == by || !form->args[k] || (x && x->also_mask && k == x->also))
			continue;
		t.n = 0;
		try_it(&t, 0);
		for (const struct part *p = form->args[k]; p->kind != PART_END; p++)
			try_part(&t, p, all);
		for (size_t i = 0; i < t.n; i++)
			add(of, nr, args, k, t.v[i]);
	}
}

static void make_list(void)
{
	for (const struct call_args *a = call_args; a < call_args + ncall_args; a++) {
		int nr = seccomp_syscall_resolve_name(a->name);

		if (nr < 0 || !strncmp(a->name, "compat_", 7) || left_out(a->name))
			continue;
		add_form(a, nr, &a->form, NARGS, NULL);
		for (const struct call_variant *x = a->variants; x < a->variants + a->nvariants; x++)
			add_form(a, nr, &x->form, a->by, x);
	}
}

/* --- as the child ------------------------------------------------------------- */

#define FD	100

/* Calls that are made, by both: what they return is shown in its own way, too. */
static const struct real_call {
	int nr;
	uint64_t args[NARGS];
} real_calls[] = {
	{ SYS_fcntl, { FD, F_GETFL } },
	{ SYS_fcntl, { FD, F_GETFD } },
	{ SYS_fcntl, { FD, F_GETSIG } },
	{ SYS_fcntl, { FD, F_GETLEASE } },
	{ SYS_fcntl, { FD + 1, F_GET_SEALS } },
	{ SYS_fcntl, { FD + 1, F_GETFD } },
	{ SYS_fcntl, { FD + 2, F_GETFD } },
	{ SYS_umask, { 027 } },
	{ SYS_umask, { 0 } },
	{ SYS_umask, { 022 } },
	{ SYS_personality, { 0xffffffff } },
	{ SYS_mmap, { 0x12340000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1 } },
	{ SYS_mremap, { 0x12340000, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, 0x12350000 } },
	{ SYS_munmap, { 0x12350000, 8192 } },
	{ SYS_prctl, { PR_GET_SECUREBITS } },
	{ SYS_prctl, { PR_GET_TIMING } },
	{ SYS_prctl, { PR_GET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH } },
	{ SYS_sched_getscheduler, { 0 } },
	{ SYS_ioprio_get, { 1 /* IOPRIO_WHO_PROCESS */, 0 } },
};

/* errors as the kernel returns them */
static void make_real_calls(int64_t ret[ARRAY_SIZE(real_calls)])
{
	bool ready = dup3(open("/dev/null", O_RDWR | O_APPEND | O_NONBLOCK), FD, O_CLOEXEC) == FD &&
		     dup2((int)syscall(SYS_memfd_create, "x", 2), FD + 1) == FD + 1;

	for (size_t i = 0; ready && i < ARRAY_SIZE(real_calls); i++) {
		const uint64_t *a = real_calls[i].args;

		ret[i] = syscall(real_calls[i].nr, a[0], a[1], a[2], a[3], a[4], a[5]);
		if (ret[i] == -1)
			ret[i] = -errno;
	}
}

static int make_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DONE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };

	int64_t ret[ARRAY_SIZE(real_calls)];

	make_list();
	make_real_calls(ret);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 1;
	for (struct made_call *c = calls; c < calls + ncalls; c++)
		syscall(c->nr, c->args[0], c->args[1], c->args[2], c->args[3], c->args[4], c->args[5]);
	return (int)syscall(SYS_exit_group, DONE);
}

/* --- as the parent ------------------------------------------------------------ */

#define NEWER	"MFD_*EXEC*|PIDFD_THREAD|SOL_@(MPTCP|MCTP|SMC|VSOCK)|SO_P*PIDFD|IP_LOCAL_PORT_RANGE|IP_PROTOCOL|" \
		"F_*_RW_HINT|FSCONFIG_CMD_CREATE_EXCL|LANDLOCK_RULE_NET_PORT|AT_HANDLE_FID|MOVE_MOUNT_BENEATH|" \
		"IORING_*|MPOL_WEIGHTED_INTERLEAVE|SCHED_EXT|BPF_TOKEN_CREATE|KEXEC_UPDATE_ELFCOREHDR|MOUNT_ATTR_@(IDMAP|NOSYMFOLLOW)"

/* Where strace says something else, and why. Texts are globs; NULL is any. */
static const struct difference {
	const char *call, *ours, *strace;
} differences[] = {
	/* names that are younger than this strace */
	{ NULL, "?(*|)@(" NEWER ")?(|*)", "*0x*" },
	/* calls whose flags it does not name */
	{ "@(rseq|memfd_secret)", NULL, "0x*" },
	/* we do not repeat the comment behind other names */
	{ "@(kexec_load|fanotify_init)", "*|0x*", "*|0x* /\\* * \\*/" },
	/* it does not take the operation or the mode apart from flags that it does not know */
	{ "futex", "FUTEX_WAIT|0x*", "0x* /\\* FUTEX_* \\*/" },
	{ "mbind", "MPOL_DEFAULT|0x*", "0x* /\\* MPOL_* \\*/" },
	{ "sched_setscheduler", "SCHED_OTHER|SCHED_RESET_ON_FORK", "0x40000000 *" },
	/* names behind their numbers */
	{ "syslog", "@(SYS*|0x*)", "+([0-9]) /\\* SYSLOG_ACTION_* \\*/" },
	{ "prctl", "@(PIDTYPE_*|0x*)", "* /\\* PIDTYPE_* \\*/" },
	{ "keyctl", "0x* /\\* KEY_REQKEY*", "+([0-9]) /\\* KEY_REQKEY_DEFL_??? \\*/" },
	/* rare protocols and options of rare sockets */
	{ "socket", "+([0-9])", NULL },
	{ "@(set|get)sockopt", "+([0-9])", NULL },
	/* drivers share the number: it names each */
	{ "ioctl", "*", "* or *" },
	{ "ioctl", "@(DMA_BUF_SET_NAME|PPPIOCGIDLE)", "@(DMA_BUF_SET_NAME_B|PPPIOCGIDLE64)" },
	/* requests of other architectures, or of any driver */
	{ "ioctl", "@(KVM_ARM_*|SIOCGPPP*)", "_IOC(*" },
	/* of other architectures, too */
	{ "prctl", "@(0|0x9)", NULL },
	/* constants that this call does not take */
	{ "semget", "0x*|000", "0x*000" },
	{ "open_tree", "0x* /\\* OPEN_TREE_??? \\*/", "AT_@(REMOVEDIR|SYMLINK_FOLLOW)" },
	{ "move_pages", "MPOL_MF_STRICT?(|*)", "*0x1*" },
	/* the magic number and the bits in it */
	{ "mount", "MS_MGC_VAL|MS_RDONLY|*", "MS_RDONLY|*MS_NOUSER" },
	/* the directory may be this one */
	{ "open_by_handle_at", "AT_FDCWD", "-100" },
	{ "prctl", "PR_TIMING_*", "[01]" },
	/* no constants of these calls, but numbers with names of their own */
	{ "futex", "@(0|0x9)", "FUTEX_OP_SET*" },
	{ "syslog", "0", "0 /\\* LOGLEVEL_EMERG \\*/" },
	{ "keyctl", "5", "EIO" },
};

static bool fits(const char *glob, const char *text)
{
	return !glob || !fnmatch(glob, text, FNM_EXTMATCH);
}

static unsigned int seen[ARRAY_SIZE(differences)];

static bool listed(const char *call, const char *ours, const char *strace)
{
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (fits(differences[i].call, call) && fits(differences[i].ours, ours) &&
		    fits(differences[i].strace, strace)) {
			seen[i]++;
			return true;
		}
	return false;
}

/* Cuts "name(a, b, c) = ..." into its arguments; returns their number. */
static int cut(char *line, char *args[], int max)
{
	char *s = strchr(line, '(');
	int depth = 0, n = 0;

	if (!s)
		return -1;
	*s++ = '\0';
	if (*s == ')')
		return 0;
	args[n++] = s;
	for (; *s; s++) {
		if (*s == '/' && s[1] == '*')
			s = strstr(s, "*/") ?: s;
		if (strchr("([{", *s))
			depth++;
		if (strchr(")]}", *s) && !depth--) {
			*s = '\0';
			return n;
		}
		if (*s == ',' && !depth && n < max) {
			*s = '\0';
			args[n++] = s + 2;
		}
	}
	return -1;
}

static struct ctrace_schema *schema;
static struct paints *paints;

/* An event type for each call, whose arguments are all numbers. */
static void make_types(bool plain)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	struct ctrace_field f[NARGS];
	char name[96];

	for (int i = 0; i < NARGS; i++)
		f[i] = (struct ctrace_field){ names[i], CTRACE_FK_UINT, 0, 8 };
	schema = ctrace_schema_new();
	for (const struct call_args *a = call_args; a < call_args + ncall_args; a++) {
		int nr = seccomp_syscall_resolve_name(a->name);

		snprintf(name, sizeof(name), "syscall_entry_%s", a->name);
		if (nr >= 0)
			add_type(schema, (uint32_t)ENTER(nr), "syscalls", name, f, NARGS);
	}
	paints = paints_new(schema, plain);
}

static void free_types(void)
{
	paints_free(paints);
	ctrace_schema_free(schema);
}

static const struct call_form *show(struct sbuf *b, int nr, const uint64_t args[NARGS])
{
	const struct paint *p = paints_get(paints, (uint16_t)ENTER(nr));
	struct ctrace_value v[NARGS] = { 0 };

	for (int i = 0; i < NARGS; i++) {
		v[i].field = &p->type->fields[i];
		v[i].u = args[i];
	}
	sbuf_printf(b, "%s(", p->call.name);
	return syscall_put_args(b, &(struct call_values){ p, v, NARGS }, NULL);
}

static unsigned int compared, wrong;

static void compare(const struct made_call *c, char *line)
{
	char *theirs[NARGS + 8], *ours[NARGS + 8];
	struct sbuf b = { 0 };
	const struct call_form *form = show(&b, c->nr, c->args);
	char *whole;
	int n, m;

	/* a call that this strace does not know */
	if (!strncmp(line, "syscall_0x", 10)) {
		sbuf_free(&b);
		return;
	}
	sbuf_puts(&b, ") ");
	check(asprintf(&whole, "%.*s | %s", (int)b.len, b.s, line) > 0);
	/* strace names clone's arguments, and leaves out those that its flags do not use */
	if (!strcmp(c->of->name, "clone") && strstr(line, "flags=")) {
		b.s[strcspn(b.s, ",")] = ')';
		line = strstr(line, "flags=");
		memcpy(line, "clone(", 6);
		line[strcspn(line, ",)")] = ')';
	}
	m = cut(b.s, ours, ARRAY_SIZE(ours));
	n = cut(line, theirs, ARRAY_SIZE(theirs));
	if (n != m) {
		wrong++;
		check(m == n);
		printf("# count of %d, but strace has %d: %s", m, n, whole);
	}
	for (int i = 0, k = 0; i < m && i < n; i++, k++) {
		while (!form->args[k])
			k++;
		if (form->args[k]->kind == PART_ADDRESS || form->args[k]->kind == PART_MEMORY)
			continue;
		compared++;
		if (!strcmp(ours[i], theirs[i]) || listed(c->of->name, ours[i], theirs[i]))
			continue;
		wrong++;
		printf("# %s argument %d is %s, but strace has %s: %s", line, i, ours[i], theirs[i], whole);
	}
	sbuf_free(&b);
	free(whole);
}

/* The whole line must be ours: none of these calls has a string or a structure. */
static bool compare_return(size_t i, int64_t ret, char *line)
{
	struct sbuf b = { 0 };
	const struct call_form *form = show(&b, real_calls[i].nr, real_calls[i].args);
	char *eq = strstr(line, ") "), *end = strchr(line, '\n');

	sbuf_puts(&b, ") ");
	syscall_put_return(&b, form, ret);
	if (end)
		*end = '\0';
	/* it fills up with blanks */
	if (check(eq && strchr(eq, '=')))
		memmove(eq + 2, strchr(eq, '='), strlen(strchr(eq, '=')) + 1);
	check_str(b.s, line);
	sbuf_free(&b);
	return true;
}

static void witness(void)
{
	char log[] = "/tmp/ctrace-constants-XXXXXX", *cmd = NULL, *line = NULL;
	size_t i = 0, room = 0, real = 0, dups = 0;
	int64_t ret[ARRAY_SIZE(real_calls)] = { 0 };
	bool begun = false;
	FILE *f;
	int fd;

	if (!has_strace()) {
		ktap_skip("there is no strace 6.1");
		return;
	}
	make_list();
	make_types(false);
	fd = mkstemp(log);
	check(fd >= 0);
	/* a leak checker cannot work in a traced process */
	check(asprintf(&cmd, "ASAN_OPTIONS=detect_leaks=0 strace -qq -o %s /proc/%d/exe --calls", log, getpid()) > 0);
	check_eq(WEXITSTATUS(system(cmd)), DONE);
	f = fdopen(fd, "r");
	make_real_calls(ret);
	while (getline(&line, &room, f) > 0 && i < ncalls) {
		if (begun)
			compare(&calls[i++], line);
		else if (real < ARRAY_SIZE(ret) && (real || (dups && strncmp(line, "dup", 3))))
			real += compare_return(real, ret[real], line);
		dups += !strncmp(line, "dup2(", 5);
		begun |= !strncmp(line, "prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER", 41);
	}
	check_eq(real, ARRAY_SIZE(ret));
	check_eq(i, ncalls);
	check_eq(wrong, 0);
	check(compared > 10000);
	for (i = 0; i < ARRAY_SIZE(differences); i++)
		if (!check(seen[i] > 0))
			printf("# no such difference any more: %s, %s\n", differences[i].call, differences[i].ours);
	printf("# %zu calls, %u numbers compared, %u wrong\n", ncalls, compared, wrong);
	fclose(f);
	unlink(log);
	free(line);
	free(cmd);
	free(calls);
	free_types();
}

/* What one call prints, with an event type of its own. */
static void expect(const char *event, const struct ctrace_field *f, uint32_t n, bool plain, const uint64_t args[],
		   int64_t ret, const char *want)
{
	struct ctrace_schema *s = ctrace_schema_new();
	uint32_t id = strncmp(event, "compat", 6) ? ENTER(1) : CTRACE_ID_COMPAT_SYS_ENTER + 1;
	struct ctrace_value v[NARGS] = { 0 };
	const struct call_form *form;
	const struct paint *p;
	struct sbuf b = { 0 };
	struct paints *ps;

	add_type(s, id, "syscalls", event, f, n);
	ps = paints_new(s, plain);
	p = paints_get(ps, (uint16_t)id);
	for (uint32_t i = 0; i < n; i++) {
		v[i].field = &p->type->fields[i];
		v[i].u = args[i];
	}
	form = syscall_put_args(&b, &(struct call_values){ p, v, (int)n }, NULL);
	sbuf_putc(&b, ' ');
	syscall_put_return(&b, form, ret);
	check_str(b.s, want);
	sbuf_free(&b);
	paints_free(ps);
	ctrace_schema_free(s);
}

#define ARGS(...)	(const uint64_t[]){ __VA_ARGS__ }

static void other_forms(void)
{
	static const struct ctrace_field f[] = {
		{ "fd", CTRACE_FK_UINT, 0, 8 }, { "cmd", CTRACE_FK_UINT, 0, 8 }, { "arg", CTRACE_FK_UINT, 0, 8 },
		{ "flags", CTRACE_FK_UINT, 0, 8 }, { "low", CTRACE_FK_UINT, 0, 8 }, { "high", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field young[] = {
		{ "dfd", CTRACE_FK_INT, 0, 8 }, { "buf", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "flags", CTRACE_FK_UINT, 0, 8 },
		{ "mode", CTRACE_FK_UINT, 0, 8 },
	};

	/* of 32-bit programs, by the same table, or by one of their own */
	expect("compat_syscall_entry_fcntl64", f, 3, false, ARGS(3, 4, 02000), 0, "3, F_SETFL, O_RDONLY|O_APPEND = 0");
	expect("compat_syscall_entry_fallocate", f, 6, false, ARGS(3, 1, 4096, 0, 8192, 0), 0,
	       "3, FALLOC_FL_KEEP_SIZE, 4096, 0, 8192, 0 = 0");
	/* a call that is in no table: descriptors, modes and signals by the arguments' names */
	expect("syscall_entry_young", young, 4, false, ARGS(-100, 0, 3, 0644), 7, "AT_FDCWD, NULL, 3, 0644 = 7");
	/* plain numbers: all of them, also those that the call does not use */
	expect("syscall_entry_fcntl", f, 3, true, ARGS(3, 3, 0x8000), 0x8002, "3, 3, 32768 = 32770");
	expect("syscall_entry_fcntl", f, 3, false, ARGS(3, 3, 0x8000), -9, "3, F_GETFL = -1 EBADF (Bad file descriptor)");
	/* registers are as the program left them: the upper half of an int is nothing */
	expect("syscall_entry_openat", young, 4, false, ARGS(0xffffff9c, 1, 0xdead000000000041, 0xbeef000000000180), 3,
	       "AT_FDCWD, 0x1, O_WRONLY|O_CREAT, 0600 = 3");
	/* an entry that has fewer arguments than the table says */
	expect("syscall_entry_fcntl", f, 1, false, ARGS(3), 0, "3 = 0");
}

static const struct ktap_case cases[] = {
	{ "strace shows each constant of each call alike", witness },
	{ "32-bit programs' calls, young calls, plain numbers", other_forms },
};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--calls"))
		return make_calls();
	return ktap_run(cases, ARRAY_SIZE(cases));
}
