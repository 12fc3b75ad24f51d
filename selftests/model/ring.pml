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
 *	BREAK_LOOK	a writer that leaves does not look at head again
 *	BREAK_HEADER	a header's count is taken when the sub-buffer is reserved
 *	BREAK_VALID	the reader does not check whether it was lapped
 *	BREAK_NESTED	a nest may grow longer than the ring
 *	BREAK_ZERO	no zero word ends a sub-buffer that has room left
 *	BREAK_ALONE	a writer that fits does not check whether another one is under way
 *	BREAK_ORDER	a writer looks at head before it looks at reserve
 *	BREAK_ENTER	a sub-buffer is entered with interrupts on, and NMIs are not refused there
 *	BREAK_LOWER	a refused writer lowers nest, whether or not it raised it
 *	BREAK_RAISE	a writer that must try again does not raise nest again
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
byte reserve, head, events;	/* the writer's own */
byte shown, entered, nest;	/* the reader's: head, the end of the newest sub-buffer entered, whether one is written */
byte running;			/* the level that runs on the CPU; 0 is the task */
bool irqs_off, entering;

/* what really happened, for the assertions */
byte reserved;			/* records reserved so far: the next one's number */
byte refused;			/* records that found no room */
byte writers = LEVELS;		/* writers that have not ended */
bool written[TASK + IRQ + NMI];

#define AT(p)		((p) % RING)
#define START(p)	((p) - (p) % SUB)
#define ME		(running == level)	/* an interrupted writer makes no step */

/* Publishes what lies from pos to end. */
inline walk()
{
	atomic { ME; ev = events }
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
	:: ME && pos >= end -> break
	od;
	assert(pos == end);
	atomic { ME; events = ev }
	atomic { ME; assert(end >= shown); shown = end }
	atomic { ME; head = end }
}

/* The outermost writer leaves. nest is 0 only if all is published: F. */
inline leave()
{
	do
	:: ME ->
		atomic { ME; pos = head }
		atomic { ME; end = reserve }
		if
#ifndef BREAK_LOOK
		:: ME && head != pos
		:: ME && head == pos && pos == end -> break
		:: ME && head == pos && pos != end -> walk()
#else
		:: ME && pos == end -> break
		:: ME && pos != end -> walk()
#endif
		fi;
#ifdef BREAK_AGAIN
		break
#endif
	od;
	atomic { ME; assert(head == reserve); nest = 0 }
}

inline reserved_it(to)
{
	assert(nest == 1);		/* F: a reader that finds 0 also finds every record that was begun before */
	reserve = to;
	number = reserved;
	reserved++
}

proctype writer(byte level; byte todo)
{
	byte old, start, size, number, pos, ev, end, above;
	bool alone, outermost, again, was_off;

	do
	:: todo > 0 ->
		/* An interrupt may come at any time. A writer goes on where it was interrupted. */
		atomic {
			level == 0 && running == 0 || running < level && !(level == 1 && irqs_off) ->
			above = running;
			running = level;
			todo--;
			if
			:: size = 1
			:: size = 2
			fi;
			alone = false;
			again = false
		}
		/* ctrace_ring_try() */
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
				reserved_it(old + size);
				alone = true }
			:: ME && reserve != old ->
				atomic { ME; nest = 0 }
			fi
		fi;
		if
		:: ME && alone -> goto write
		:: ME && !alone
		fi;
retry:		ME;
#ifndef BREAK_ORDER
		atomic { ME; old = reserve; start = old }
		atomic { ME; outermost = (head == old) }
#else
		atomic { ME; pos = head }
		atomic { ME; old = reserve; start = old; outermost = (pos == old) }
#endif
		if
		:: ME && (old % SUB == 0 || old % SUB + size > SUB) ->
			start = (old % SUB == 0 -> old : START(old) + SUB);
			/* ctrace_ring_enter() */
#ifndef BREAK_ENTER
			atomic { ME; was_off = irqs_off; irqs_off = true }
			if
			:: ME && entering ->
				atomic { ME; irqs_off = was_off }
				goto refuse
			:: ME && !entering -> atomic { ME; entering = true }
			fi;
			if
			:: ME && reserve != old ->
				atomic { ME; entering = false }
				atomic { ME; irqs_off = was_off; again = true }
				goto retry
			:: ME && reserve == old
			fi;
#endif
			if
#ifndef BREAK_NESTED
			:: ME && start + SUB - head > RING ->
				atomic { ME; entering = false }
				atomic { ME; irqs_off = was_off }
				goto refuse
#endif
			:: ME && start + SUB - head <= RING
#ifdef BREAK_NESTED
			:: ME && start + SUB - head > RING
#endif
			fi;
			atomic { ME;
#ifndef BREAK_ENTER
				assert(start + SUB >= entered);
#endif
				entered = start + SUB }
			atomic { ME; nest = 1 }
			if
			:: atomic { ME && reserve == old ->
				reserved_it(start + 1 + size);
#ifdef BREAK_HEADER
				sub_events[AT(start) / SUB] = events;
#endif
				start++ }
				atomic { ME; entering = false }
				atomic { ME; irqs_off = was_off }
			:: ME && reserve != old ->
				atomic { ME; entering = false }
				atomic { ME; irqs_off = was_off; again = true }
				goto retry
			fi
		:: ME && old % SUB != 0 && old % SUB + size <= SUB ->
#ifdef BREAK_RAISE
			if
			:: ME && again
			:: ME && !again -> atomic { ME; nest = 1 }
			fi;
#else
			atomic { ME; nest = 1 }
#endif
			if
			:: atomic { ME && reserve == old ->
				reserved_it(old + size) }
			:: ME && reserve != old ->
				atomic { ME; again = true }
				goto retry
			fi
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
			atomic { ME; shown = start + size }
			atomic { ME; head = start + size }
			if
			:: ME && reserve == start + size ->
				atomic { ME; assert(head == reserve); nest = 0 }
			:: ME && reserve != start + size -> leave()
			fi
#ifdef BREAK_PUBLISH
		:: ME && !alone -> leave()
#else
		:: ME && !alone && outermost -> leave()
		:: ME && !alone && !outermost
#endif
		fi;
		goto done;
refuse:		atomic { ME; refused++ }
		if
#ifdef BREAK_LOWER
		:: ME -> atomic { ME; nest = 0 }
#else
		:: ME && again && head == reserve -> atomic { ME; nest = 0 }
		:: ME && !(again && head == reserve)
#endif
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
		:: tries == 0 -> writers == 0; last = true; tries = (shown == at -> 0 : 1)
		:: tries > 0
		fi;
		h = shown;					/* A */
		if
		:: h == at -> goto next
		:: else
		fi;
		if
		:: entered - START(at) > RING -> goto seek	/* B: overtaken */
		:: entered - START(at) <= RING
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
		:: entered - START(at) > RING -> goto next	/* B: what was read is void */
		:: entered - START(at) <= RING
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
seek:		r = entered;
		oldest = r - RING;
		if
		:: oldest > START(h - 1) -> oldest = START(h - 1)
		:: else
		fi;
		e = sub_events[AT(oldest) / SUB];
		n = sub_pos[AT(oldest) / SUB];
		if
		:: entered - oldest > RING -> goto next
		:: entered - oldest <= RING
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
	assert(head == reserve && shown == head && nest == 0)
}

init {
	atomic {
		run writer(0, TASK);
		run writer(1, IRQ);
		run writer(2, NMI);
		run reader()
	}
}
