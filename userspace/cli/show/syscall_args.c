// SPDX-License-Identifier: GPL-2.0-only
/* System calls in strace's form: arguments as the schema has them, some flags by name. */
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include "show/sink.h"

struct bit {
	uint64_t v;
	const char *name;
};

/* The kernel's values, which programs pass; this libc may define others. */
static const struct bit open_bits[] = {
	{ O_CREAT, "O_CREAT" }, { O_EXCL, "O_EXCL" }, { O_NOCTTY, "O_NOCTTY" },
	{ O_TRUNC, "O_TRUNC" }, { O_APPEND, "O_APPEND" }, { O_NONBLOCK, "O_NONBLOCK" },
	{ 04010000, "O_SYNC" }, { 010000, "O_DSYNC" }, { 020000, "O_ASYNC" },
#ifdef __x86_64__
	{ 020200000, "O_TMPFILE" }, { 0200000, "O_DIRECTORY" }, { 0400000, "O_NOFOLLOW" },
	{ 040000, "O_DIRECT" }, { 0100000, "O_LARGEFILE" },
#else	/* arm64 */
	{ 020040000, "O_TMPFILE" }, { 040000, "O_DIRECTORY" }, { 0100000, "O_NOFOLLOW" },
	{ 0200000, "O_DIRECT" }, { 0400000, "O_LARGEFILE" },
#endif
	{ 01000000, "O_NOATIME" }, { 02000000, "O_CLOEXEC" }, { 010000000, "O_PATH" }, { 0, NULL },
};
static const struct bit prot_bits[] = {
	{ 1, "PROT_READ" }, { 2, "PROT_WRITE" }, { 4, "PROT_EXEC" }, { 0x01000000, "PROT_GROWSDOWN" },
	{ 0, NULL },
};
static const struct bit map_bits[] = {
	{ 3, "MAP_SHARED_VALIDATE" }, { 1, "MAP_SHARED" }, { 2, "MAP_PRIVATE" },
	{ 0x10, "MAP_FIXED" }, { 0x20, "MAP_ANONYMOUS" }, { 0x100, "MAP_GROWSDOWN" },
	{ 0x800, "MAP_DENYWRITE" }, { 0x2000, "MAP_LOCKED" }, { 0x4000, "MAP_NORESERVE" },
	{ 0x8000, "MAP_POPULATE" }, { 0x20000, "MAP_STACK" }, { 0x40000, "MAP_HUGETLB" },
	{ 0x100000, "MAP_FIXED_NOREPLACE" }, { 0, NULL },
};

static bool one_of(const char *word, const char *list)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, " "), list += *list == ' ')
		if (!strncmp(list, word, n) && (list[n] == ' ' || !list[n]))
			return true;
	return false;
}

/* first: nothing was written before, so no "|" goes in front */
static void put_bits(struct sbuf *b, const struct bit *bits, uint64_t v, bool first)
{
	for (; bits->name; bits++) {
		if ((v & bits->v) != bits->v)
			continue;
		sbuf_printf(b, "%s%s", first ? "" : "|", bits->name);
		v &= ~bits->v;
		first = false;
	}
	if (v || first)
		sbuf_printf(b, first && !v ? "0" : "%s0x%llx", first ? "" : "|",
			    (unsigned long long)v);
}

static void put_open_flags(struct sbuf *b, uint64_t v)
{
	static const char *const modes[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };

	sbuf_puts(b, modes[v & 3]);
	if (v & ~3ull)
		put_bits(b, open_bits, v & ~3ull, false);
}

void syscall_identify(struct syscall_ref *ref, const struct ctrace_event_type *t,
		      const struct ctrace_record *rec)
{
	static const char *const prefix[] = {
		"syscall_entry_", "syscall_exit_", "compat_syscall_entry_", "compat_syscall_exit_",
		"syscall_", "compat_syscall_",
	};
	uint32_t set;
	size_t len;
	char *name;

	memset(ref, 0, sizeof(*ref));
	if (rec->id == CTRACE_ID_SYS_ENTER_UNKNOWN || rec->id == CTRACE_ID_SYS_EXIT_UNKNOWN) {
		ref->phase = rec->id == CTRACE_ID_SYS_ENTER_UNKNOWN ? SYSCALL_ENTER : SYSCALL_EXIT;
		ref->nr = -1;
		if (rec->len >= sizeof(*rec) + 8)
			memcpy(&ref->nr, rec + 1, 8);
		snprintf(ref->name, sizeof(ref->name), "syscall_%lld", (long long)ref->nr);
		return;
	}
	if (rec->id < CTRACE_ID_SYS_ENTER || rec->id >= CTRACE_ID_MAX)
		return;
	set = (rec->id - CTRACE_ID_SYS_ENTER) / CTRACE_NR_SYSCALLS;
	ref->phase = rec->id >= CTRACE_ID_CALL ? SYSCALL_WHOLE : set & 1 ? SYSCALL_EXIT : SYSCALL_ENTER;
	ref->compat = set == 2 || set == 3 || set == 5;
	ref->nr = (rec->id - CTRACE_ID_SYS_ENTER) % CTRACE_NR_SYSCALLS;
	len = strlen(prefix[set]);
	if (t && !strncmp(t->name, prefix[set], len)) {
		snprintf(ref->name, sizeof(ref->name), "%s%s", ref->compat ? "compat_" : "",
			 t->name + len);
		return;
	}
	/* the call is newer than the headers the module was built with; libseccomp may know it */
#ifdef __x86_64__
	name = seccomp_syscall_resolve_num_arch(ref->compat ? SCMP_ARCH_X86 : SCMP_ARCH_NATIVE,
						(int)ref->nr);
#else
	name = seccomp_syscall_resolve_num_arch(ref->compat ? SCMP_ARCH_ARM : SCMP_ARCH_NATIVE,
						(int)ref->nr);
#endif
	if (name)
		snprintf(ref->name, sizeof(ref->name), "%s%s", ref->compat ? "compat_" : "", name);
	else
		snprintf(ref->name, sizeof(ref->name), "%ssyscall_%lld",
			 ref->compat ? "compat_" : "", (long long)ref->nr);
	free(name);
}

bool syscall_whole(const struct ctrace_event_type *t, const struct ctrace_record *rec, uint64_t *duration,
		   int64_t *ret)
{
	struct ctrace_value v[FIELDS_MAX];
	int n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : -1;

	if (n < 2)
		return false;
	*duration = v[0].u;
	*ret = v[1].i;
	return true;
}

bool syscall_is_last(const struct syscall_ref *ref)
{
	return one_of(ref->name, "exit exit_group compat_exit compat_exit_group");
}

bool syscall_is_fork(const struct syscall_ref *ref)
{
	return one_of(ref->name, "fork vfork clone clone3 compat_fork compat_vfork compat_clone "
		      "compat_clone3");
}

static void put_number(struct sbuf *b, const struct syscall_ref *ref, const struct ctrace_value *v)
{
	const char *name = v->field->name;
	const char *call = ref->compat ? ref->name + 7 : ref->name;
	uint64_t u = v->u;

	/* arguments are whole registers: an int may not be sign-extended */
	if (one_of(name, "dfd olddfd newdfd dirfd from_dfd to_dfd") && (int32_t)u == AT_FDCWD)
		sbuf_puts(b, "AT_FDCWD");
	else if (!strcmp(name, "flags") && one_of(call, "open openat"))
		put_open_flags(b, u);
	else if (!strcmp(name, "prot") && one_of(call, "mmap mmap2 mprotect pkey_mprotect") && u)
		put_bits(b, prot_bits, u, true);
	else if (!strcmp(name, "prot") && !u)
		sbuf_puts(b, "PROT_NONE");
	else if (!strcmp(name, "flags") && one_of(call, "mmap mmap2"))
		put_bits(b, map_bits, u, true);
	else if (one_of(name, "mode umask") || (!strcmp(name, "mask") && !strcmp(call, "umask")))
		sbuf_printf(b, u ? "0%llo" : "0", (unsigned long long)u);
	else if (one_of(name, "sig signal") && u <= 64 && signal_name((int)u))
		sbuf_puts(b, signal_name((int)u));
	else if (!strcmp(name, "fd"))
		sbuf_printf(b, "%d", (int32_t)u);
	else if (v->field->display == CTRACE_FD_HEX || one_of(name, "addr start brk new_addr old_addr"))
		sbuf_printf(b, u ? "0x%llx" : "NULL", (unsigned long long)u);
	else if (v->field->kind == CTRACE_FK_INT)
		sbuf_printf(b, "%lld", (long long)v->i);
	else if ((one_of(name, "flag flags prot clone_flags cmd") && u > 9) || u > UINT32_MAX)
		sbuf_printf(b, "0x%llx", (unsigned long long)u);
	else
		sbuf_printf(b, "%llu", (unsigned long long)u);
}

void syscall_put_args(struct sbuf *b, const struct syscall_ref *ref,
		      const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	bool creates = true;
	int n, first = ref->nr >= 0 && rec->id != CTRACE_ID_SYS_ENTER_UNKNOWN ? 0 : 1;

	if (ref->phase == SYSCALL_WHOLE)
		first = 2;	/* the arguments follow duration and result */
	n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : -1;
	if (n < 0) {
		sbuf_puts(b, "?");
		return;
	}
	for (int i = first; i < n; i++) {
		/* open() has a mode only if it may create the file; else the register holds anything */
		if (one_of(ref->name, "open openat compat_open compat_openat")) {
			if (!strcmp(v[i].field->name, "flags"))
				creates = v[i].u & O_CREAT || (v[i].u & 020000000) == 020000000;
			if (!strcmp(v[i].field->name, "mode") && !creates)
				continue;
		}
		if (i > first)
			sbuf_puts(b, ", ");
		if (v[i].field->kind == CTRACE_FK_STRING || v[i].field->kind == CTRACE_FK_TEXT) {
			sbuf_putc(b, '"');
			sbuf_escape(b, v[i].str.s, v[i].str.len);
			sbuf_puts(b, v[i].str.len >= CTRACE_STR_MAX - 1 ? "\"..." : "\"");
		} else {
			put_number(b, ref, &v[i]);
		}
	}
}

static const char *restart_text(int err)
{
	switch (err) {
	case 512: return "To be restarted if SA_RESTART is set";
	case 513: return "To be restarted";
	case 514: return "To be restarted if no handler";
	case 516: return "Interrupted by signal";
	}
	return NULL;
}

void syscall_put_return(struct sbuf *b, const struct syscall_ref *ref, int64_t ret)
{
	int err = syscall_errno(ret);
	const char *name = errno_name(err);

	if (err && restart_text(err))
		sbuf_printf(b, "= ? %s (%s)", name, restart_text(err));
	else if (err && name)
		sbuf_printf(b, "= -1 %s (%s)", name, strerror(err));
	else if (err)
		sbuf_printf(b, "= -1 (errno %d)", err);
	else if (one_of(ref->name, "mmap brk mremap shmat compat_mmap2 compat_mmap compat_brk "
			"compat_mremap") && ret)
		sbuf_printf(b, "= 0x%llx", (unsigned long long)ret);
	else
		sbuf_printf(b, "= %lld", (long long)ret);
}
