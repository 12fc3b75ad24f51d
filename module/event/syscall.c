// SPDX-License-Identifier: GPL-2.0-only
/* System calls: gen-syscalls' tables as layouts and event types. */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "event/call_memory.h"
#include "event/event.h"
#include "compat/syscall.h"
#include "compat/task.h"
#include "syscalls.h"

struct ctrace_syscall_layout ctrace_syscall_layouts[2][CTRACE_NR_SYSCALLS];
/* [number for 32-bit programs]: the native call of that name; or -1 */
static s16 natives[CTRACE_NR_SYSCALLS];

static const struct ctrace_syscall *call(u32 nr, bool is32)
{
	const struct ctrace_syscall *t = is32 ? ctrace_syscalls_compat : ctrace_syscalls_native;
	u32 n = is32 ? ARRAY_SIZE(ctrace_syscalls_compat) : ARRAY_SIZE(ctrace_syscalls_native);

	return nr < n && t[nr].name ? &t[nr] : NULL;
}

static void layout(struct ctrace_syscall_layout *l, const struct ctrace_syscall *c, bool is32)
{
	u32 i;

	l->known = 1;
	l->exec = !strncmp(c->name, "execve", 6);
	/*
	 * a new program's registers say execve, or the 32-bit one; a handler's end restores older registers
	 */
	if (l->exec || strstr(c->name, "sigreturn"))
		l->exit = CTRACE_EXIT_CHANGES;
	l->nargs = strlen(c->kinds);
	for (i = 0; i < l->nargs; i++) {
		switch (c->kinds[i]) {
		case 'T':
			l->strings |= BIT(i);
			break;
		case 'S':
			l->sext |= BIT(i);
			break;
		case 'L':
			if (is32)
				l->sext |= BIT(i);
			break;
		case 'U':
			l->zext |= BIT(i);
			break;
		}
	}
	l->narrow = !!(l->sext | l->zext);
	l->room = !!l->strings;
	l->len = sizeof(struct ctrace_record) + l->nargs * 8;
}

int ctrace_syscall_init(void)
{
	const struct ctrace_syscall *c;
	u32 nr, is32;

	BUILD_BUG_ON(ARRAY_SIZE(ctrace_syscalls_native) > CTRACE_NR_SYSCALLS);
	BUILD_BUG_ON(ARRAY_SIZE(ctrace_syscalls_compat) > CTRACE_NR_SYSCALLS);
	for (is32 = 0; is32 < 2; is32++)
		for (nr = 0; nr < CTRACE_NR_SYSCALLS; nr++) {
			c = call(nr, is32);
			if (c)
				layout(&ctrace_syscall_layouts[is32][nr], c, is32);
			if (is32)
				natives[nr] = c ? max(ctrace_syscall_by_name(c->name, false), -1) : -1;
		}
	return ctrace_memory_init(call);
}

bool ctrace_syscall_x32(long *nr)
{
	long native = ctrace_compat_syscall_native(*nr);

	if ((unsigned long)native >= CTRACE_NR_SYSCALLS)
		return false;
	native = ctrace_syscall_nospec(native);
	if (!ctrace_syscall_layouts[0][native].known)
		return false;
	*nr = native;
	return true;
}

int ctrace_syscall_by_name(const char *name, bool is32)
{
	const struct ctrace_syscall *c;
	u32 nr;

	for (nr = 0; nr < CTRACE_NR_SYSCALLS; nr++) {
		c = call(nr, is32);
		if (c && !strcmp(c->name, name))
			return nr;
	}
	return -ENOENT;
}

s32 ctrace_syscall_current(s32 *arg)
{
	bool is32 = ctrace_compat_is_32bit_call();
	struct task_struct *p = current;
	u64 args[2];
	long nr;

	*arg = -1;
	if (!ctrace_compat_from_user(p))
		return -1;
	nr = (int)syscall_get_nr(p, current_pt_regs());
	if (nr < 0 || !ctrace_syscall_known(&nr, is32))
		return -1;
	nr = is32 ? natives[nr] : nr;
	ctrace_compat_syscall_args(current_pt_regs(), is32, 2, args);
	*arg = args[nr == __NR_futex];
	return nr;
}

bool ctrace_syscall_yields(void)
{
	s32 arg;

	return ctrace_syscall_current(&arg) == __NR_sched_yield;
}

const struct ctrace_field_desc ctrace_call_fields[CTRACE_CALL_NFIELDS] = {
	CTRACE_FIELDS(CTRACE_CALL_FIELDS)
};

/* One of the fields that every whole call has. */
enum { DURATION, RET, MARKS };

static void describe(struct ctrace_event_type *t, struct ctrace_field_desc *f, int which)
{
	f[t->nfields++] = ctrace_call_fields[which];
}

static void describe_args(const struct ctrace_syscall *c, struct ctrace_event_type *t,
			   struct ctrace_field_desc *f)
{
	u32 i;

	f += t->nfields;
	t->nfields += strlen(c->kinds);
	for (i = 0; c->kinds[i]; i++, f++) {
		f->name = c->args[i];
		f->kind = CTRACE_FK_UINT;
		f->display = CTRACE_FD_DEFAULT;
		f->size = 8;
		switch (c->kinds[i]) {
		case 'T':
			f->kind = CTRACE_FK_STRING;
			f->size = 0;
			break;
		case 'S':
		case 'L':
			f->kind = CTRACE_FK_INT;
			break;
		case 'P':
			f->display = CTRACE_FD_HEX;
			break;
		}
	}
}

bool ctrace_syscall_next(u32 id, struct ctrace_event_type *t,
			 struct ctrace_field_desc *fields, char *name)
{
	static const char *const prefix[] = {
		[CTRACE_CALL_ENTRY] = "syscall_entry_", [CTRACE_CALL_EXIT] = "syscall_exit_",
		[CTRACE_CALL_WHOLE] = "syscall_",
	};
	const struct ctrace_syscall *c;
	struct ctrace_id_call is;

	for (id = max_t(u32, id, CTRACE_ID_SYS_ENTER); id < CTRACE_EVENT_IDS; id++) {
		is = ctrace_id_call(id);
		c = call(is.nr, is.is32);
		if (!c)
			continue;
		memset(t, 0, sizeof(*t));
		t->id = id;
		t->system = "syscalls";
		snprintf(name, CTRACE_NAME_MAX, "%s%s%s", is.is32 ? "compat_" : "", prefix[is.phase], c->name);
		t->name = name;
		t->fields = fields;
		if (is.phase == CTRACE_CALL_WHOLE) {
			t->source = "sys_exit";
			describe(t, fields, DURATION);
			describe(t, fields, RET);
			describe(t, fields, MARKS);
			describe_args(c, t, fields);
			t->nfields += ctrace_memory_describe(is.nr, is.is32, is.phase, fields + t->nfields);
		} else if (is.phase == CTRACE_CALL_EXIT) {
			t->source = "sys_exit";
			describe(t, fields, RET);
			t->nfields += ctrace_memory_describe(is.nr, is.is32, is.phase, fields + t->nfields);
		} else {
			t->source = "sys_enter";
			if (strchr(c->kinds, 'T'))
				describe(t, fields, MARKS);
			describe_args(c, t, fields);
			t->nfields += ctrace_memory_describe(is.nr, is.is32, is.phase, fields + t->nfields);
		}
		return true;
	}
	return false;
}
