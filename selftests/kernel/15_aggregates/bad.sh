#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a wrong aggregate is refused, and the refusal names the word, its column, and what would be right
# witness: each kind of mistake; keys and numbers of payloads that are cut at each byte
# requires: any
# timeout: 60
# shellcheck disable=SC2016 # the $words of aggregates
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# wrong WORDS AGGREGATE: sched_switch refuses it with WORDS (an extended expression)
wrong() { refuse "$2" "aggregate, column $1" tables add sched_switch "$2"; }
check "a good one" tables add sched_switch 'count(), sum(prev_prio), min(prev_tid), max(next_prio), avg(prev_prio), hist(prev_tid) by container, prev_comm, prev_tid/100, prev_prio&0x7, log2(next_tid)'
wrong '1: expected one of count\(\) sum\(FIELD\).*, not .frobnicate.' 'frobnicate()'
wrong '1: expected one of .*, not the end' ''
wrong '7: expected .\).*, not .prev_tid.' 'count(prev_tid)'
wrong '5: no field .colour.: the event has prev_comm' 'sum(colour)'
wrong '5: .prev_comm. is a string, not a number' 'sum(prev_comm)'
wrong '5: expected a field that is a number, not .\$tid.' 'sum($tid)'
wrong '9: expected .,. or .by., not .per.' 'count() per prev_tid'
wrong '12: no field .colour.' 'count() by colour'
wrong '12: unknown word .\$user.' 'count() by $user'
wrong '12: syscall is a key of whole calls alone|12: .syscall. is a key of whole calls alone' 'count() by syscall'
wrong '12: .errno. is a key of whole calls alone' 'count() by errno'
wrong '21: expected a number above 0' 'count() by prev_tid/0'
wrong '17: .prev_comm. is a string' 'count() by log2(prev_comm)'
wrong '12: expected a key' 'count() by '
wrong '64: too many keys: at most 6' 'count() by prev_tid, next_tid, prev_prio, next_prio, cpu, tid, pid'
wrong '74: too many functions: at most 8' 'count(), count(), count(), count(), count(), count(), count(), count(),  count()'
wrong '21: expected .,., not .next_tid.' 'count() by prev_tid next_tid'
refuse "longer than 1023 bytes" '1023' tables add sched_switch "count() by $(printf '%1100s' prev_tid)"

refuse "no table size" 'TABLE_SIZE leaves 0' tables add sched_switch 'count()' 0 0
refuse "too large for its session" 'a table of 1048576 rows for each of [0-9]* CPUs needs [0-9]* KiB, but .*TABLE_SIZE leaves' \
	tables add sched_switch 'count()' 1048576
refuse "too large for any" 'too large' tables add sched_switch 'hist(prev_tid), hist(next_tid), hist(prev_prio), hist(next_prio)' 1048576
refuse "too many rows" '1048577 is more than 1048576' tables add sched_switch 'count()' 1048577
refuse "rows without an aggregate" 'PROBE_ROWS' tables add sched_switch - 8
refuse "stacks of records" 'keys stack and ustack' tables add sched_switch 'count()' 8 1000000 1
refuse "a session's tables of 2 GiB" 'table size' tables add sched_switch 'count()' 8 2147483648
check "of calls" tables add call:openat 'count(), hist(duration) by syscall, errno, ustack'
check "of all calls" tables add calls 'count(), hist(duration) by syscall, errno'
refuse "of all calls, what only one has" 'column 12: no field .filename.' tables add calls 'count() by filename'
check "the module can be removed" unload
