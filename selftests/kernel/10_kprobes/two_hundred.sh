#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: 200 kprobes at once, attached and detached under load: the counts are right and nothing is left
# witness: 3,000 calls counted at entry and return, kprobes/list, memory
# requires: torture
# kernels: 6.1
# timeout: 180
# torture: 600
# shellcheck disable=SC2016 # it is the kernel that expands $arg1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
list=/sys/kernel/debug/kprobes/list
# the functions of system calls: half of them probed at the entry, half at the return
awk -v s="^${sys}_" '$3 ~ s {print $3}' /proc/kallsyms | grep -vx "${sys}_getpriority" | sort -u | head -n 198 |
	awk -v a="$(sys_arg 1)" '{print NR % 2 ? "p " $1 " regs=$arg1 a=" a ":x64 $comm" : "r " $1 " $retval:s64 $comm"}' > "$tmp/defs"
printf '%s\n' "p:in ${sys}_getpriority what=$(sys_arg 1):x64 \$comm" "r:out ${sys}_getpriority ret=\$retval:s64" >> "$tmp/defs"
same "definitions" 200 "$(wc -l < "$tmp/defs")"
before=$(wc -l < $list)
used() { awk '/^(Slab|Percpu|VmallocUsed):/ {n += $2} END {print n}' /proc/meminfo; }

for _ in 1 2; do
	(while :; do ls -lR /etc > /dev/null; done) &
	later "kill $!"
done
for round in 1 2; do
	manyprobes 3000 < "$tmp/defs" > "$tmp/out" 2>&1 || note "$(cat "$tmp/out")"
	has "round $round: all attached" '^attached 200 ' "$tmp/out"
	same "calls entered" "hits in 3000" "$(grep '^hits in ' "$tmp/out")"
	same "calls left" "hits out 3000" "$(grep '^hits out ' "$tmp/out")"
	has "none missed" '^lost 0 missed 0$' "$tmp/out"
	same "kprobes left" "$before" "$(wc -l < $list)"
	[ $round != 1 ] || after_one=$(used)
	note "$(grep -E 'ms$' "$tmp/out" | tr '\n' ' ')"
done
# pages of the load itself come and go
same "kB more after two rounds than after one, beyond 4 MB" 0 $(($(used) - after_one > 4096 ? $(used) - after_one : 0))
