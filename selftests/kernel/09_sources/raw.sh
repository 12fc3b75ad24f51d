#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: raw tracepoints have their right number of arguments, with the witness's values; wrong names are refused
# witness: tracefs, each value in order, more arguments than registers; wrong names
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness raw_syscalls/sys_enter kmem/kmalloc
evdump -e raw_syscalls:sys_enter -e raw:sys_exit -- provoke numbers > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
tid=$(grep -m 1 -oE ' sys_enter cid=0 tid=[0-9]+' "$tmp/ev" | sed 's/.*tid=//')
# Before 4.17, or without BPF, the kernel does not say how many arguments there are. Then a record has as many
# as registers may hold.
more='' many="two arguments"
grep -qE ' bpf_(get|find)_raw_tracepoint$' /proc/kallsyms || more='( arg[345]=[^ ]+){3}' many="five that may be arguments"
sed -nE "s/.* sys_enter cid=0 tid=$tid vtid=$tid arg1=0x[0-9a-f]+ arg2=(0x[0-9a-f]+|0)$more\$/\1/p" "$tmp/ev" | while read -r nr; do echo $((nr)); done > "$tmp/a"
sed -nE "s/^[0-9]+ [^ ]*-$tid sys_enter: NR (-?[0-9]+) .*/\1/p" "$tmp/w" > "$tmp/b"
tail_agrees "numbers of calls, with $many" "$tmp/a" "$tmp/b"
has "raw: takes any, by a name of its own" " raw_sys_exit cid=0 tid=$tid vtid=$tid arg1=0x[0-9a-f]+ arg2=" "$tmp/ev"
# More arguments than registers: the sizes are third and fourth; the node, if there is one, is sixth.
witness kmem/kmalloc
evdump -e kmem:kmalloc -- sh -c 'for i in 1 2 3 4 5; do /bin/true; done' > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
n=$(sed -nE 's/.* kmalloc .* arg([0-9]+)=[^ ]*$/\1/p' "$tmp/ev" | sort -u)
if grep -q node= "$tracefs/events/kmem/kmalloc/format" || grep -q 'field:int node' "$tracefs/events/kmem/kmalloc/format"; then expected=6; else expected=5; fi
same "arguments of kmalloc" $expected "$n"
tid=$(grep -m 1 -oE ' kmalloc cid=0 tid=[0-9]+' "$tmp/ev" | sed 's/.*tid=//')
sed -nE "s/.* kmalloc cid=0 tid=$tid .* arg3=(0x[0-9a-f]+) arg4=(0x[0-9a-f]+) .*/\1 \2/p" "$tmp/ev" | while read -r a b; do echo $((a)) $((b)); done > "$tmp/a"
sed -nE "s/^[0-9]+ [^ ]*-$tid kmalloc: .* bytes_req=([0-9]+) bytes_alloc=([0-9]+) .*/\1 \2/p" "$tmp/w" > "$tmp/b"
tail_agrees "their sizes" "$tmp/a" "$tmp/b"
[ $expected = 5 ] || has "the sixth, from the stack" 'kmalloc .* arg6=0x(ffffffff)?(ffffffff|0+)$' "$tmp/ev"
refuse "no such tracepoint" "no tracepoint 'sched_nonsense'" evdump -e sched:sched_nonsense -- true
refuse "raw: no such tracepoint" "no tracepoint 'nonsense'" evdump -e raw:nonsense -- true
# Before 5.5 a module cannot ask which subsystem a tracepoint belongs to, so any subsystem's name is taken.
if grep -q ' trace_get_event_file$' /proc/kallsyms; then
	refuse "of another subsystem" "not in subsystem 'net'" evdump -e net:kmalloc -- true
	refuse "a curated one's name, of another subsystem" "not in subsystem 'net'" evdump -e net:sched_switch -- true
fi
check "the kernel's name of a curated one" evdump -e irq:softirq_entry -- true
