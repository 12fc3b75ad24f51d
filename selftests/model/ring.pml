/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring's protocol (module/ring/ring.h, ctrace_ring_read.h) as a model for spin: a CPU whose
 * writers nest as interrupts do, and a reader on another CPU, which they may lap. spin tries
 * every interleaving of their steps. It knows no reordering: memory changes in the order of
 * the program, as the barriers in ring.h's table require.
 *
 * Lengths are counted in cells. A sub-buffer has SUB cells: one for its header, the others
 * for records of 1 or 2 cells. A record's cell holds the record's number + 1. Numbers are
 * given in order of place, so a reader that counts right knows what each cell must hold.
 *
 * Breakage: selftests/model/run defines one of these and expects spin to find the fault.
 *	BREAK_PUBLISH	a nested writer publishes
 *	BREAK_AGAIN	a writer that leaves does not look at reserve again
 *	BREAK_HEADER	a header's count is taken when the sub-buffer is reserved
 *	BREAK_VALID	the reader does not check whether it was lapped
 *	BREAK_NESTED	a nest may grow longer than the ring
 *	BREAK_ZERO	no zero word ends a sub-buffer that has room left
 *	BREAK_ALONE	a writer that finds no other one does not check that all is published
 */
#ifndef SUBS
#define SUBS	2		/* sub-buffers of the ring, a power of two */
#endif
#define SUB	4		/* cells of a sub-buffer, a power of two */
#define RING	(SUBS * SUB)
#define LEVELS	3		/* task, interrupt, NMI */
#ifndef TASK
#define TASK	4		/* records that the task writes */
#endif
#ifndef IRQ
#define IRQ	2
#endif
#ifndef NMI
#define NMI	1
#endif
#ifndef READS
#define READS	3		/* visits of the reader */
#endif

byte cell[RING];		/* a record's number + 1; 0: the rest of the sub-buffer is unused */
byte length[RING];		/* in a record's first cell: its number of cells */
byte sub_pos[SUBS];		/* the headers */
byte sub_events[SUBS];
byte reserve, head, events, nest;
byte running;			/* the level that runs on the CPU; 0 is the task */

/* what really happened, for the assertions */
byte reserved;			/* records reserved so far: the next one's number */
byte refused;			/* records that found no room */
byte writers = LEVELS;		/* writers that have not ended */
bool written[TASK + IRQ + NMI];

#define AT(p)		((p) % RING)
#define START(p)	((p) - (p) % SUB)
#define ME		(running == level)	/* an interrupted writer makes no step */

/* Publishes what lies between head and reserve. */
inline walk()
{
	atomic { ME; pos = head; ev = events; end = reserve }
	do
	:: ME && pos < end -> atomic {
		if
		:: pos % SUB == 0 ->
			sub_pos[AT(pos) / SUB] = pos;
#ifndef BREAK_HEADER
			sub_events[AT(pos) / SUB] = ev;
#endif
			pos++
		:: else
		fi;
		if
		:: cell[AT(pos)] == 0 ->
			pos = START(pos) + SUB
		:: else ->
			assert(written[cell[AT(pos)] - 1]);	/* only complete records are published */
			assert(cell[AT(pos)] == ev + 1);	/* in the order of their places */
			pos = pos + length[AT(pos)];
			ev++
		fi }
	:: ME && pos >= end -> events = ev;
		break
	od;
	atomic { ME; assert(pos >= head); head = pos }
}

inline leave()
{
	if
	:: ME && nest > 1 -> atomic { ME; nest-- }
#ifdef BREAK_PUBLISH
		walk()
#endif
	:: ME && nest <= 1 ->
		do
		:: ME -> atomic { ME; nest = 1 }
			if
			:: ME && head != reserve -> walk()
			:: ME && head == reserve
			fi;
			atomic { ME; nest = 0 }
#ifdef BREAK_AGAIN
			break
#endif
			if
			:: ME && head == reserve -> break
			:: ME && head != reserve
			fi
		od
	fi
}

proctype writer(byte level; byte todo)
{
	byte old, start, size, number, pos, ev, end, above;
	bool alone;

	do
	:: todo > 0 ->
		/* An interrupt may come at any time. A writer goes on where it was interrupted. */
		atomic {
			level == 0 && running == 0 || running < level ->
			above = running;
			running = level;
			todo--;
			if
			:: size = 1
			:: size = 2
			fi;
			alone = false
		}
		/* ctrace_ring_try() */
		if
		:: ME && nest != 0
		:: ME && nest == 0 ->
			atomic { ME; old = reserve; start = old }
			if
			:: ME && (old % SUB == 0 || old % SUB + size > SUB)
#ifndef BREAK_ALONE
			:: ME && head != old
			:: ME && head == old && old % SUB != 0 && old % SUB + size <= SUB ->
#else
			:: ME && old % SUB != 0 && old % SUB + size <= SUB ->
#endif
				atomic { ME; nest = 1 }
				if
				:: atomic { ME && reserve == old ->
					reserve = old + size;
					number = reserved;
					reserved++;
					alone = true }
				:: ME && reserve != old ->
					leave()
				fi
			fi
		fi;
		if
		:: ME && alone -> goto write
		:: ME && !alone -> atomic { ME; nest++ }
		fi;
retry:		ME;
		atomic { ME; old = reserve; start = old }
		if
		:: ME && (old % SUB == 0 || old % SUB + size > SUB) ->
			start = (old % SUB == 0 -> old : START(old) + SUB);
			if
#ifndef BREAK_NESTED
			:: ME && start + SUB - head > RING ->
				atomic { refused++ }
				leave();
				goto done
#endif
			:: ME && start + SUB - head <= RING -> start++
#ifdef BREAK_NESTED
			:: ME && start + SUB - head > RING -> start++
#endif
			fi
		:: ME && old % SUB != 0 && old % SUB + size <= SUB
		fi;
		if
		:: atomic { ME && reserve == old ->
			reserve = start + size;
			number = reserved;
			reserved++;
#ifdef BREAK_HEADER
			if
			:: start != old -> sub_events[AT(start) / SUB] = events
			:: else
			fi
#endif
			}
		:: ME && reserve != old -> goto retry
		fi;
#ifndef BREAK_ZERO
		if
		:: atomic { ME && start != old && old % SUB != 0 -> cell[AT(old)] = 0 }
		:: ME && !(start != old && old % SUB != 0)
		fi;
#endif
write:		atomic { ME; cell[AT(start)] = number + 1; length[AT(start)] = size; written[number] = true }
		if
		:: ME && alone ->
			assert(head == start);
			atomic { ME; events++ }
			atomic { ME; head = start + size }
			atomic { ME; nest = 0 }
			if
			:: ME && reserve == start + size
			:: ME && reserve != start + size -> leave()
			fi
		:: ME && !alone -> leave()
		fi;
done:		atomic { ME; running = above }
	:: atomic { todo == 0 -> writers-- }
		break
	od
}

/* as ctrace_cursor_next() and _done(): one record at a time */
proctype reader()
{
	byte at, count, seen, lost, tries = READS, h, n, l, oldest, e, r;
	bool last;

	do
	:: tries > 0 ->
		tries--;
		/* The last visit comes after the last writer: everything must add up then. */
		if
		:: tries == 0 -> writers == 0; last = true; tries = (head == at -> 0 : 1)
		:: tries > 0
		fi;
		h = head;					/* A */
		if
		:: h == at -> goto next
		:: else
		fi;
		if
		:: reserve - START(at) > RING -> goto seek	/* B: overtaken */
		:: reserve - START(at) <= RING
		fi;
		if
		:: at % SUB == 0 ->
			e = sub_events[AT(at) / SUB];
			n = cell[AT(at + 1)];
			l = length[AT(at + 1)] + 1
		:: at % SUB != 0 ->
			e = count;
			n = cell[AT(at)];
			l = length[AT(at)]
		fi;
#ifndef BREAK_VALID
		if
		:: reserve - START(at) > RING -> goto next	/* B: what was read is void */
		:: reserve - START(at) <= RING
		fi;
#endif
		assert(e == count);
		if
		:: n == 0 -> at = START(at) + SUB
		:: n != 0 ->
			assert(n == count + 1);			/* neither torn nor another record */
			assert(written[n - 1]);
			at = at + l;
			count++;
			seen++
		fi;
		assert(at <= h);
		goto next;
seek:		r = reserve;
		oldest = ((r - RING + SUB - 1) / SUB) * SUB;
		if
		:: oldest > START(h - 1) -> oldest = START(h - 1)
		:: else
		fi;
		e = sub_events[AT(oldest) / SUB];
		n = sub_pos[AT(oldest) / SUB];
		if
		:: reserve - oldest > RING -> goto next
		:: reserve - oldest <= RING
		fi;
		assert(n == oldest);
		assert(e >= count);
		lost = lost + e - count;
		count = e;
		at = oldest;
next:		skip
	:: tries == 0 -> break
	od;
	assert(at == head);
	assert(seen + lost == events);
	assert(events + refused == TASK + IRQ + NMI);
	assert(head == reserve && nest == 0)
}

init {
	atomic {
		run writer(0, TASK);
		run writer(1, IRQ);
		run writer(2, NMI);
		run reader()
	}
}
