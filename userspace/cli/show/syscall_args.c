// SPDX-License-Identifier: GPL-2.0-only
/* System calls in strace's form: arguments as the schema has them, some flags by name. */
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include "show/paint.h"

#define COMPAT	"compat_"	/* before the names of calls of 32-bit programs */

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
		[SYSCALL_ENTER] = "syscall_entry_", [SYSCALL_EXIT] = "syscall_exit_", [SYSCALL_WHOLE] = "syscall_",
	};
	struct ctrace_id_call c = ctrace_id_call(rec->id);
	const char *compat, *of;
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
	if (c.phase == CTRACE_CALL_NONE)
		return;
	ref->phase = c.phase == CTRACE_CALL_ENTRY ? SYSCALL_ENTER :
		     c.phase == CTRACE_CALL_EXIT ? SYSCALL_EXIT : SYSCALL_WHOLE;
	ref->compat = c.is32;
	ref->nr = c.nr;
	compat = ref->compat ? COMPAT : "";
	len = strlen(prefix[ref->phase]);
	of = t && !strncmp(t->name, compat, strlen(compat)) ? t->name + strlen(compat) : "";
	if (!strncmp(of, prefix[ref->phase], len)) {
		snprintf(ref->name, sizeof(ref->name), "%s%s", compat, of + len);
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
		snprintf(ref->name, sizeof(ref->name), "%s%s", compat, name);
	else
		snprintf(ref->name, sizeof(ref->name), "%ssyscall_%lld", compat, (long long)ref->nr);
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

/* --- one painter for each argument ------------------------------------------- */

static void put_number(struct sbuf *b, uint64_t u)
{
	sbuf_printf(b, u > UINT32_MAX ? "0x%llx" : "%llu", (unsigned long long)u);
}

static void paint_number(struct sbuf *b, const struct ctrace_value *v)
{
	put_number(b, v->u);
}

static void paint_address(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, v->u ? "0x%llx" : "NULL", (unsigned long long)v->u);
}

/* Words of flags that have no names here. */
static void paint_word(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, v->u > 9 ? "0x%llx" : "%llu", (unsigned long long)v->u);
}

static bool is_hex(const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_UINT && f->display == CTRACE_FD_HEX;
}

static paint_fn plain(const struct ctrace_field *f, paint_fn unsigned_number)
{
	return is_hex(f) ? paint_address : f->kind == CTRACE_FK_INT ? paint_int : unsigned_number;
}

/* Arguments are whole registers: an int may not be sign-extended. */
static void paint_dfd(struct sbuf *b, const struct ctrace_value *v)
{
	if ((int32_t)v->u == AT_FDCWD)
		sbuf_puts(b, "AT_FDCWD");
	else
		plain(v->field, paint_number)(b, v);
}

static void paint_fd(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, "%d", (int32_t)v->u);
}

static void paint_open_flags(struct sbuf *b, const struct ctrace_value *v)
{
	put_open_flags(b, v->u);
}

static void paint_prot_bits(struct sbuf *b, const struct ctrace_value *v)
{
	if (v->u)
		put_bits(b, prot_bits, v->u, true);
	else
		sbuf_puts(b, "PROT_NONE");
}

static void paint_prot(struct sbuf *b, const struct ctrace_value *v)
{
	if (v->u)
		plain(v->field, paint_word)(b, v);
	else
		sbuf_puts(b, "PROT_NONE");
}

static void paint_map_flags(struct sbuf *b, const struct ctrace_value *v)
{
	put_bits(b, map_bits, v->u, true);
}

static void paint_octal(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, v->u ? "0%llo" : "0", (unsigned long long)v->u);
}

static void paint_signal(struct sbuf *b, const struct ctrace_value *v)
{
	const char *name = v->u <= 64 ? signal_name((int)v->u) : NULL;

	if (name)
		sbuf_puts(b, name);
	else
		plain(v->field, paint_number)(b, v);
}

/* calls NULL: of any call */
static const struct {
	const char *names, *calls;
	paint_fn fn;
} args[] = {
	{ "dfd olddfd newdfd dirfd from_dfd to_dfd", NULL, paint_dfd },
	{ "flags", "open openat", paint_open_flags },
	{ "prot", "mmap mmap2 mprotect pkey_mprotect", paint_prot_bits },
	{ "prot", NULL, paint_prot },
	{ "flags", "mmap mmap2", paint_map_flags },
	{ "mode umask", NULL, paint_octal },
	{ "mask", "umask", paint_octal },
	{ "sig signal", NULL, paint_signal },
	{ "fd", NULL, paint_fd },
	{ "addr start brk new_addr old_addr", NULL, paint_address },
};

static paint_fn arg_paint(const char *call, const struct ctrace_field *f)
{
	if (f->kind != CTRACE_FK_UINT && f->kind != CTRACE_FK_INT)
		return field_paint(NULL, f);
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		if (one_of(f->name, args[i].names) && (!args[i].calls || one_of(call, args[i].calls)))
			return args[i].fn;
	return plain(f, one_of(f->name, "flag flags clone_flags cmd") ? paint_word : paint_number);
}

/* --- whole calls -------------------------------------------------------------- */

void syscall_paint(struct paint *p)
{
	const char *call = p->call.name + (p->call.compat ? strlen(COMPAT) : 0);
	uint32_t n = p->type ? p->type->nfields : 0;
	bool flags = false;

	if (p->call.nr < 0)
		p->call.name[0] = 0;
	p->last = one_of(call, "exit exit_group");
	p->fork = one_of(call, "fork vfork clone clone3");
	p->address = one_of(p->call.name, "mmap brk mremap shmat compat_mmap2 compat_mmap compat_brk "
			    "compat_mremap");
	p->first = p->call.phase == SYSCALL_WHOLE ? 2 : p->call.nr < 0 ? 1 : 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct ctrace_field *f = &p->type->fields[i];

		p->fields[i].fn = arg_paint(call, f);
		if (!one_of(call, "open openat"))
			continue;
		if (!strcmp(f->name, "flags")) {
			p->flags = i;
			flags = true;
		}
		if (!strcmp(f->name, "mode") && flags)
			p->mode = i;
	}
}

/* open() has a mode only if it may create the file; else the register holds anything. */
static bool creates(uint64_t flags)
{
	return flags & O_CREAT || (flags & 020000000) == 020000000;
}

void syscall_put_args(struct sbuf *b, const struct paint *p, const struct ctrace_value *v, int n)
{
	if (n < 0) {
		sbuf_puts(b, "?");
		return;
	}
	for (uint32_t i = p->first; i < (uint32_t)n; i++) {
		if (i && i == p->mode && !creates(v[p->flags].u))
			continue;
		if (i > p->first)
			sbuf_puts(b, ", ");
		p->fields[i].fn(b, &v[i]);
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

void syscall_put_return(struct sbuf *b, const struct paint *p, int64_t ret)
{
	int err = syscall_errno(ret);
	const char *name = errno_name(err);

	if (err && restart_text(err))
		sbuf_printf(b, "= ? %s (%s)", name, restart_text(err));
	else if (err && name)
		sbuf_printf(b, "= -1 %s (%s)", name, strerror(err));
	else if (err)
		sbuf_printf(b, "= -1 (errno %d)", err);
	else if (p->address && ret)
		sbuf_printf(b, "= 0x%llx", (unsigned long long)ret);
	else
		sbuf_printf(b, "= %lld", (long long)ret);
}
