/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of a table (module/aggregate/table.h, uapi/ctrace_table.h) as a model for spin: a CPU whose writers nest as
 * interrupts do, a container that dies, and a reader on another CPU. spin tries every interleaving of their steps. It
 * knows no reordering: that is for the litmus tests (table_*.litmus).
 *
 * A key is a number. All but the last are of containers that live; the container of key KEYS dies at any moment, and has
 * no more events then. There are as many rows as tries, and one for the rest, REST. A row counts, and no more.
 *
 * Breakage: selftests/model/run defines one of these and expects spin to find the fault.
 *	BREAK_CLAIM	a row is claimed without a look whether an interrupt has taken it meanwhile
 *	BREAK_HALF	a row that is being made is used
 *	BREAK_ALONE	a writer that interrupted another one takes rows from the dead
 *	BREAK_MERGE	what a row of the dead counted is not added to the rest
 *	BREAK_EARLY	a row is shown before its number is zero
 *	BREAK_LATE	recycled becomes odd after the row's gen
 *	BREAK_AGAIN	the reader does not read recycled again
 */
#define LEVELS	3		/* task, interrupt, NMI */
#define ROWS	2
#define REST	ROWS
#ifndef KEYS
#define KEYS	3
#endif
#ifndef TASK
#define TASK	2		/* events that the task counts */
#endif
#ifndef IRQ
#define IRQ	1
#endif
#ifndef NMI
#define NMI	1
#endif
#ifndef READS
#define READS	2		/* looks of the reader */
#endif

byte gen[ROWS + 1], key[ROWS + 1], number[ROWS + 1];
byte recycled;
byte running;			/* the level that runs on the CPU; 0 is the task */
byte nest;			/* writers that are under way */
bool dead;			/* the container of key KEYS */

/* what really happened, for the assertions */
byte begun;			/* events whose writers have begun */
byte counted;			/* events that have been added to a row */
byte ones;			/* those with key 1 */
byte writers = LEVELS;		/* writers that have not ended */

#define ME		(running == level)	/* an interrupted writer makes no step */

/* Makes row r the key's; its gen is odd, and g is what it was. */
inline make()
{
#ifdef BREAK_EARLY
	atomic { ME; key[r] = k }
	atomic { ME; gen[r] = g + 2 }
	atomic { ME; number[r] = 0 }
#else
	atomic { ME; key[r] = k }
	atomic { ME; number[r] = 0 }
	atomic { ME; gen[r] = g + 2 }		/* release */
#endif
}

proctype writer(byte level; byte todo)
{
	byte above, k, r, g, i, n;
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
			:: k = 1
			:: k = 2
			:: !dead -> k = KEYS
			fi;
#ifdef BREAK_ALONE
			alone = true;
#else
			alone = (nest == 0);
#endif
			nest++;
			begun++;
			i = 0
		}
		/* ctrace_table_find(): from the key's own row on, all others */
		do
		:: atomic { ME && i < ROWS -> r = (k + i) % ROWS; i++; g = gen[r] }
			if
			:: ME && g == 0 ->
				if
#ifdef BREAK_CLAIM
				:: atomic { ME -> gen[r] = 1 };
#else
				:: atomic { ME && gen[r] == 0 -> gen[r] = 1 };
#endif
					make();
					goto add
#ifndef BREAK_CLAIM
				:: ME && gen[r] != 0
#endif
				fi
#ifdef BREAK_HALF
			:: ME && g != 0 && key[r] == k -> goto add
			:: ME && g != 0 && key[r] != k
#else
			:: ME && g != 0 && g % 2 == 0 && key[r] == k -> goto add
			:: ME && g != 0 && (g % 2 == 1 || key[r] != k)
#endif
			fi
		:: atomic { ME && i == ROWS -> i = 0 }
			break
		od;
		/* ctrace_table_recycle() */
		do
		:: atomic { ME && alone && i < ROWS -> r = (k + i) % ROWS; i++; g = gen[r] }
			if
			:: ME && g % 2 == 0 && key[r] == KEYS && dead ->
#ifndef BREAK_LATE
				atomic { ME; recycled++ }
				atomic { ME; gen[r] = g + 1 }
#else
				atomic { ME; gen[r] = g + 1 }
				atomic { ME; recycled++ }
#endif
				atomic { ME; n = number[r] }
#ifndef BREAK_MERGE
				atomic { ME; number[REST] = number[REST] + n }
#endif
				make();
				atomic { ME; recycled++ }
				goto add
			:: ME && !(g % 2 == 0 && key[r] == KEYS && dead)
			fi
		:: atomic { ME && (!alone || i == ROWS) -> r = REST }
			break
		od;
add:		atomic {
			ME;
			/* what is added to is still the key's, and no other writer's work */
			assert(r == REST || key[r] == k);
			assert(gen[r] % 2 == 0);
			number[r] = number[r] + 1;
			counted++;
			ones = (k == 1 -> ones + 1 : ones)
		}
		atomic { ME; nest--; running = above; k = 0; r = 0; g = 0; i = 0; n = 0; above = 0; alone = false }
	:: atomic { todo == 0 -> writers-- }
		break
	od
}

proctype death()
{
	dead = true
}

/* A look adds up all rows. It is neither short of what had been counted when it began, nor ahead. */
proctype reader()
{
	byte tries = READS, r, s, k, sum, own, before, last;

	do
	:: tries > 0 ->
		tries--;
		/* The last look comes after the last writer: everything must add up then. */
		if
		:: tries == 0 -> writers == 0
		:: tries > 0
		fi;
again:		atomic { recycled % 2 == 0 -> s = recycled; before = counted; sum = 0; own = 0; r = 0 }
		do
		:: r <= REST ->
			if
			:: atomic { gen[r] != 0 && gen[r] % 2 == 0 -> skip }
				k = key[r];
				atomic {
					own = (k == 1 -> own + number[r] : own);
					sum = sum + number[r];
					k = 0;
					r++
				}
			:: atomic { else -> r++ }
			fi
		:: r > REST -> break
		od;
#ifndef BREAK_AGAIN
		if
		:: recycled != s -> goto again
		:: atomic { recycled == s -> skip }
		fi;
#endif
		atomic {
			assert(sum >= before);
			assert(sum <= counted);
			assert(sum >= last);		/* counters only grow */
			assert(own <= ones);		/* the rows of a key have no other's */
			last = sum
		}
	:: tries == 0 -> break
	od;
	assert(sum == TASK + IRQ + NMI);
	assert(counted == begun && nest == 0)
}

init {
	atomic {
		gen[REST] = 2;
		run writer(0, TASK);
		run writer(1, IRQ);
		run writer(2, NMI);
		run death();
		run reader()
	}
}
