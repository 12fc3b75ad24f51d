// SPDX-License-Identifier: GPL-2.0-only
/* Entries and exits of system calls with strings and memory: syscall_room.h. */
#include <linux/percpu.h>
#include <linux/sched.h>
#include "probe/exec_given.h"
#include "probe/syscall_room.h"
#include "event/call_memory.h"

u64 ctrace_syscall_notes[1 << CTRACE_SYSCALL_NOTES_BITS];
atomic_t ctrace_syscall_noted = ATOMIC_INIT(0);

/* Writes what who's place says; 0: nothing. Returns what it said before. */
static u64 note(const struct ctrace_who *who, u64 says)
{
	u64 said = xchg(ctrace_syscall_note_of(who), says);

	if (!said != !says)
		atomic_add(says ? 1 : -1, &ctrace_syscall_noted);
	return said;
}

/* detail: what all sessions in mask want of the call. Returns what the note is to say. */
static u64 emit_entry(u32 mask, u32 id, long nr, const struct ctrace_who *who, const struct ctrace_syscall_entry *e,
		      const u64 *numbers, const struct ctrace_detail *detail)
{
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	struct ctrace_copy c = { .from = room->args };
	u64 *marks = &room->head.marks, missed = 0;
	u32 empty = ctrace_memory_fields[e->is32][nr].entry;

	BUILD_BUG_ON(offsetof(struct ctrace_args_room, args) !=
		     offsetof(struct ctrace_args_room, head.marks) + sizeof(*marks));
	c.len = ctrace_args_put(numbers, e->layout, room->args, marks);
	if (ctrace_detail_any(detail) || empty == CTRACE_MEM_OTHERS) {
		struct ctrace_memory_call m = {
			.args = numbers, .phase = CTRACE_CALL_ENTRY, .is32 = e->is32, .nr = nr, .detail = detail,
		};

		__this_cpu_write(ctrace_memory_missed, false);
		c.len = ctrace_memory_put(&m, (char *)room->args, c.len, CTRACE_ROOM_MAX);
		if (unlikely(__this_cpu_read(ctrace_memory_missed)))
			missed = CTRACE_SYSCALL_UNREAD_MEMORY;
	} else {
		c.len = ctrace_memory_put_empty((char *)room->args, c.len, empty);
	}
	c.len = ctrace_args_end(room->args, c.len);
	if (e->layout->strings) {	/* their marks come first */
		c.from = marks;
		c.len += sizeof(*marks);
	}
	ctrace_emit(mask, id, who, c.len, ctrace_fill_words, &c);
	return missed | (*marks & CTRACE_CALL_M_UNREADS);
}

noinline void ctrace_syscall_enter_room(u32 mask, u32 id, long nr, const struct ctrace_who *who, const struct ctrace_syscall_entry *e)
{
	const struct ctrace_detail *detail;
	u64 missed = 0, numbers[6];
	u32 some;

	ctrace_args_numbers(e->regs, e->is32, e->layout, numbers);
	while ((some = ctrace_next_detail(&mask, &detail)))
		missed |= emit_entry(some, id, nr, who, e, numbers, detail);
	if (unlikely(missed))
		note(who, ctrace_syscall_note(who, nr, e->is32) | missed);
}

/* For the sessions in mask that recorded the entry. of: the strings, CTRACE_CALL_M_UNREADS. */
static void late_strings(u32 mask, long nr, bool is32, const struct ctrace_who *who, u64 of)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[is32][nr];
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	struct ctrace_late_payload *to = (void *)room->args;
	struct ctrace_copy c = { .from = to };
	u32 i, n;

	for (i = 0; i < l->nargs; i++) {
		if (!(of & CTRACE_CALL_M_UNREAD(i)))
			continue;
		n = ctrace_args_string(current_pt_regs(), is32, l, i, to->text);
		to->argument = i;
		c.len = offsetof(struct ctrace_late_payload, text) + n;
		if (n)
			ctrace_emit(mask, CTRACE_ID_LATE_ARGUMENT, who, c.len, ctrace_fill_copy, &c);
	}
}

/* The same of memory. */
static void late_memory(u32 mask, long nr, bool is32, const struct ctrace_who *who, long ret)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[is32][nr];
	struct ctrace_memory_call m = { .is32 = is32, .nr = nr, .ret = ret };
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	struct ctrace_late_memory_payload *to = (void *)room->args;
	u32 i, some, max = CTRACE_ROOM_MAX - sizeof(*to);
	struct ctrace_copy c = { .from = to };
	u64 numbers[6];
	int n;

	ctrace_args_numbers(current_pt_regs(), is32, l, numbers);
	m.args = numbers;
	while ((some = ctrace_next_detail(&mask, &m.detail)))
		for (i = 0; (n = ctrace_memory_late(&m, i, (char *)to->bytes, max)) >= 0; i++) {
			to->field = (l->strings ? 1 : 0) + l->nargs + i;
			to->bytes_length = n;
			c.len = sizeof(*to) + n;
			if (n)
				ctrace_emit(some, CTRACE_ID_LATE_MEMORY, who, c.len, ctrace_fill_copy, &c);
		}
}

noinline void ctrace_syscall_leave_late(u32 mask, long nr, bool is32, const struct ctrace_who *who, long ret)
{
	u64 noted = note(who, 0);

	mask &= ctrace_wants((is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + nr);
	if (mask && noted & CTRACE_CALL_M_UNREADS)
		late_strings(mask, nr, is32, who, noted);
	if (mask && noted & CTRACE_SYSCALL_UNREAD_MEMORY)
		late_memory(mask, nr, is32, who, ret);
}

static void late_exec(u32 mask, const struct ctrace_who *who, const struct ctrace_syscall_layout *l,
		      const struct linux_binprm *bprm, u64 of)
{
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	struct ctrace_late_memory_payload *memory = (void *)room->args;
	struct ctrace_late_payload *string = (void *)room->args;
	u32 at = ctrace_exec_filename_at(l->nargs), n;
	struct ctrace_copy c = { .from = room->args };

	/* the descriptor of execveat() is not known any more */
	if (of & CTRACE_CALL_M_UNREAD(at) && ctrace_exec_filename(bprm, at ? 0 : AT_FDCWD)) {
		n = strnlen(bprm->filename, CTRACE_STR_MAX - 1);
		string->argument = at;
		memcpy(string->text, bprm->filename, n);
		string->text[n] = 0;
		c.len = offsetof(struct ctrace_late_payload, text) + n + 1;
		ctrace_emit(mask, CTRACE_ID_LATE_ARGUMENT, who, c.len, ctrace_fill_copy, &c);
	}
	if (!(of & CTRACE_SYSCALL_UNREAD_MEMORY))
		return;
	/* its fields behind the marks and the arguments: argv, then how many variables there are */
	memory->field = 1 + l->nargs;
	memory->bytes_length = ctrace_exec_argv(bprm, (char *)memory->bytes, CTRACE_MEM_ARGV_MAX);
	c.len = sizeof(*memory) + memory->bytes_length;
	if (memory->bytes_length)
		ctrace_emit(mask, CTRACE_ID_LATE_MEMORY, who, c.len, ctrace_fill_copy, &c);
	n = ctrace_exec_vars(bprm);
	if (!n--)
		return;
	memory->field++;
	memory->bytes_length = sizeof(n);
	memcpy(memory->bytes, &n, sizeof(n));
	c.len = sizeof(*memory) + sizeof(n);
	ctrace_emit(mask, CTRACE_ID_LATE_MEMORY, who, c.len, ctrace_fill_copy, &c);
}

void ctrace_syscall_executed(long nr, bool is32, pid_t old_pid, const struct linux_binprm *bprm)
{
	u32 mask = ctrace_wants((is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + nr);
	struct ctrace_who who, was;

	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	was = who;
	was.tid = old_pid;
	if (mask && ctrace_syscall_has_unread(&was, nr, is32))
		late_exec(mask, &who, &ctrace_syscall_layouts[is32][nr], bprm, note(&was, 0));
}

/* With what the call has written, and the name of the descriptor that it returned. */
noinline void ctrace_syscall_leave_room(u32 mask, u32 id, long nr, bool is32, const struct ctrace_who *who, long ret)
{
	struct ctrace_memory_call m = { .phase = CTRACE_CALL_EXIT, .is32 = is32, .nr = nr, .ret = ret };
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	struct ctrace_copy c = { .from = room->args };
	u64 numbers[6];
	u32 some;

	ctrace_args_numbers(current_pt_regs(), is32, &ctrace_syscall_layouts[is32][nr], numbers);
	m.args = numbers;
	while ((some = ctrace_next_detail(&mask, &m.detail))) {
		room->args[0] = ret;
		c.len = ctrace_memory_put(&m, (char *)room->args, sizeof(u64), CTRACE_ROOM_MAX);
		c.len = ctrace_args_end(room->args, c.len);
		ctrace_emit(some, id, who, c.len, ctrace_fill_words, &c);
	}
}
