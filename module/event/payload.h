/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The payload of a curated event, as a struct and as the table of its fields. Both come from one list of
 * types and names, so they cannot differ:
 *
 *	#define EXIT_FIELDS(F) F(comm, comm) F(s32, tid) F(s32, prio) F(s32, exit_code)
 *
 *	CTRACE_PAYLOAD(exit_payload, EXIT_FIELDS);	makes struct exit_payload
 *	CTRACE_SIZE(exit_payload)			its bytes in a record, without any array at its end
 *	f_exit[] = { CTRACE_FIELDS(EXIT_FIELDS) };	fills the table for user space
 *
 * User space looks for each field where CTF puts it: after the one before, aligned to its size. If the
 * compiler puts it elsewhere, the build stops. Where CTF skips bytes, the list has a hole, so that the
 * code which fills the payload can clear it. A gap that is not in the list stops the build as well.
 *
 * Types of fields: u8 to u64, s8 to s64, x32 and x64 (shown in base 16), rwbs (CTRACE_RWBS_*), comm, path (a
 * string with room for the longest). At the end of a list: string, or seq_TYPE, which also makes NAME_length.
 * hole is four bytes that user space does not know of.
 */
#ifndef CTRACE_PAYLOAD_H
#define CTRACE_PAYLOAD_H

#include <linux/bug.h>
#include <linux/stddef.h>
#include "lang/expr.h"

#define CTRACE_FIELD(k, d, n, s)						\
	{ .name = n, .kind = CTRACE_FK_##k, .display = CTRACE_FD_##d, .size = s }

#define CTRACE_PAYLOAD(s, LIST)							\
	struct s { LIST(CTRACE_F_MEMBER) };					\
	struct s##_ctf { LIST(CTRACE_F_CTF) };					\
	struct s##_packed { LIST(CTRACE_F_MEMBER) } __packed;			\
	static inline void __maybe_unused s##_check(struct s *real, struct s##_ctf *ctf, \
						    struct s##_packed *packed)	\
	{									\
		(void)(LIST(CTRACE_F_CHECK) 0);					\
	}									\
	struct s

#define CTRACE_SIZE(s)		sizeof(struct s##_packed)
#define CTRACE_FIELDS(LIST)	LIST(CTRACE_F_DESC)

/* --- each type: its kind, display, size and name, and its declaration ------- */

#define CTRACE_T_u8(W, m)	W(UINT, DEFAULT, sizeof(u8), m, u8 m;)
#define CTRACE_T_u16(W, m)	W(UINT, DEFAULT, sizeof(u16), m, u16 m;)
#define CTRACE_T_u32(W, m)	W(UINT, DEFAULT, sizeof(u32), m, u32 m;)
#define CTRACE_T_u64(W, m)	W(UINT, DEFAULT, sizeof(u64), m, u64 m;)
#define CTRACE_T_s8(W, m)	W(INT, DEFAULT, sizeof(s8), m, s8 m;)
#define CTRACE_T_s16(W, m)	W(INT, DEFAULT, sizeof(s16), m, s16 m;)
#define CTRACE_T_s32(W, m)	W(INT, DEFAULT, sizeof(s32), m, s32 m;)
#define CTRACE_T_s64(W, m)	W(INT, DEFAULT, sizeof(s64), m, s64 m;)
#define CTRACE_T_x32(W, m)	W(UINT, HEX, sizeof(u32), m, u32 m;)
#define CTRACE_T_x64(W, m)	W(UINT, HEX, sizeof(u64), m, u64 m;)
#define CTRACE_T_rwbs(W, m)	W(UINT, RWBS, sizeof(u32), m, u32 m;)
#define CTRACE_T_comm(W, m)	W(TEXT, DEFAULT, CTRACE_COMM_LEN, m, char m[CTRACE_COMM_LEN];)
#define CTRACE_T_path(W, m)	W(STRING, DEFAULT, 0, m, char m[CTRACE_STR_MAX];)
#define CTRACE_T_string(W, m)	W(STRING, DEFAULT, 0, m, char m[];)
#define CTRACE_T_seq_u8(W, m)	W##_COUNT(m##_length, u32 m##_length;) W(SEQ, DEFAULT, sizeof(u8), m, u8 m[];)
#define CTRACE_T_seq_u32(W, m)	W##_COUNT(m##_length, u32 m##_length;) W(SEQ, DEFAULT, sizeof(u32), m, u32 m[];)
#define CTRACE_T_seq_x64(W, m)	W##_COUNT(m##_length, u32 m##_length;) W(SEQ, HEX, sizeof(u64), m, u64 m[];)
#define CTRACE_T_hole(W, m)	W##_HOLE(u32 m;)

/* --- what is made of it ----------------------------------------------------- */

#define CTRACE_F_MEMBER(t, m)	CTRACE_T_##t(CTRACE_MEMBER, m)
#define CTRACE_MEMBER(k, d, s, m, declaration)	declaration
#define CTRACE_MEMBER_COUNT(m, declaration)	declaration
#define CTRACE_MEMBER_HOLE(declaration)	declaration

/* CTF aligns as the compiler does on 64-bit machines, but knows no holes. */
#define CTRACE_F_CTF(t, m)	CTRACE_T_##t(CTRACE_CTF, m)
#define CTRACE_CTF(k, d, s, m, declaration)	declaration
#define CTRACE_CTF_COUNT(m, declaration)	declaration
#define CTRACE_CTF_HOLE(declaration)

/* A sum of zeros, or the compiler stops. */
#define CTRACE_F_CHECK(t, m)	CTRACE_T_##t(CTRACE_CHECK, m)
#define CTRACE_CHECK(k, d, s, m, declaration)	CTRACE_CHECK_COUNT(m, declaration)
#define CTRACE_CHECK_COUNT(m, declaration)					\
	BUILD_BUG_ON_ZERO(offsetof(typeof(*real), m) != offsetof(typeof(*ctf), m) || \
			  offsetof(typeof(*real), m) != offsetof(typeof(*packed), m)) +
#define CTRACE_CHECK_HOLE(declaration)

#define CTRACE_F_DESC(t, m)	CTRACE_T_##t(CTRACE_DESC, m)
#define CTRACE_DESC(k, d, s, m, declaration)	CTRACE_FIELD(k, d, #m, s),
#define CTRACE_DESC_COUNT(m, declaration)
#define CTRACE_DESC_HOLE(declaration)

#endif
