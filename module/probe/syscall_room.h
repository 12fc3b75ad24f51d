/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries and exits of system calls that are built in a room of their own, because they have more than
 * numbers: strings, and memory that arguments point to.
 *
 * What could not be read at the entry is read again at the return, and written as records of its own. The
 * entry leaves a note for that: tid << 32 | call << 8 | CTRACE_SYSCALL_UNREAD_MEMORY | CTRACE_CALL_M_UNREADS.
 * Each tid has its place. A task may lose it to another with the same place; then what it missed stays
 * unread. A note that stays behind because a return was not recorded makes a later one repeat a string, and
 * no more.
 */
#ifndef CTRACE_SYSCALL_ROOM_H
#define CTRACE_SYSCALL_ROOM_H

#include "compat/hash.h"
#include "emit/emit.h"
#include "event/syscall_args.h"

struct linux_binprm;

struct ctrace_syscall_entry {
	const struct pt_regs *regs;
	const struct ctrace_syscall_layout *layout;
	bool is32;
};

#define CTRACE_SYSCALL_NOTES_BITS	8
extern u64 ctrace_syscall_notes[1 << CTRACE_SYSCALL_NOTES_BITS];
extern atomic_t ctrace_syscall_noted;	/* how many of them say something */

/* Something that arguments point to. */
#define CTRACE_SYSCALL_UNREAD_MEMORY	(1ull << 6)

static inline u64 *ctrace_syscall_note_of(const struct ctrace_who *who)
{
	return &ctrace_syscall_notes[ctrace_hash(who->tid, CTRACE_SYSCALL_NOTES_BITS)];
}

static inline u64 ctrace_syscall_note(const struct ctrace_who *who, long nr, bool is32)
{
	return (u64)who->tid << 32 | (u64)is32 << 31 | (u64)nr << 8;
}

/* Has the entry of this call left a note? */
static __always_inline bool ctrace_syscall_has_unread(const struct ctrace_who *who, long nr, bool is32)
{
	return !((READ_ONCE(*ctrace_syscall_note_of(who)) ^ ctrace_syscall_note(who, nr, is32)) &
		 ~(CTRACE_SYSCALL_UNREAD_MEMORY | CTRACE_CALL_M_UNREADS));
}

/*
 * May the entry of this 64-bit call have left one? Asked before the return takes a short way, or is left out
 * at once.
 */
static __always_inline bool ctrace_syscall_may_be_noted(long nr)
{
	return unlikely(atomic_read(&ctrace_syscall_noted)) && ctrace_syscall_layouts[0][nr].in;
}

/*
 * All three: for the sessions in mask, which want the event; of current, which is who; preemption off.
 * leave_late: what the note says, for those that recorded the entry; takes the note away.
 */
void ctrace_syscall_enter_room(u32 mask, u32 id, long nr, const struct ctrace_who *who, const struct ctrace_syscall_entry *e);
void ctrace_syscall_leave_late(u32 mask, long nr, bool is32, const struct ctrace_who *who, long ret);
void ctrace_syscall_leave_room(u32 mask, u32 id, long nr, bool is32, const struct ctrace_who *who, long ret);

/*
 * At sched_process_exec, of current's exec nr, which was task old_pid's: what its entry could not read is
 * taken from the new program, and the note away. Preemption off.
 */
void ctrace_syscall_executed(long nr, bool is32, pid_t old_pid, const struct linux_binprm *bprm);

#endif
