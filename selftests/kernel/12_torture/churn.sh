#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: containers, sessions, probes, definitions, targets, readers come and go in random order: all memory is given back
# witness: containers, sessions, probes, definitions, targets, readers in random order, seed printed;
#	slab, vmalloc, percpu; the module's own count of containers and nodes at its end
# requires: any,torture
# kernels: 6.1
# timeout: 240
# torture: 600
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
kprobes() { awk '{print $3}' /sys/kernel/debug/kprobes/list | sort | xargs; }
# rests: everything dead is gone: only the containers from before are listed, and the module has no users
there=$(subscribe | wc -l)
rests() { [ "$(subscribe | wc -l)" -le "$there" ] && grep -qx 0 /sys/module/ctrace/refcnt; }
# measure: prints, each on a line, the kB of the module's vmalloc memory, of kmalloc's objects, and of percpu
# memory. Slabs are shrunk first: otherwise all objects on a CPU's own slab would count as used. Caches are
# dropped first: their pages hold removed cgroups.
measure() {
	local c
	echo 3 > /proc/sys/vm/drop_caches
	for c in /sys/kernel/slab/*/shrink; do echo 1 > "$c"; done 2> /dev/null
	vmalloc_kb
	awk '$1 ~ /^kmalloc-/ {s += $2 * $4} END {print int(s / 1024)}' /proc/slabinfo
	awk '/^Percpu:/ {n = $2} END {print n + 0}' /proc/meminfo	# since 4.20
}
# Memory that may remain. vmalloc: a page or two, as the identity tables do not grow. kmalloc: the whole kernel uses
# it, and a removed cgroup goes late. percpu: one page in use keeps a block of pages, of every CPU. A leak of
# one object in each of churn's rounds would leave thousands in the long form.
tolerance=(0 512 512)
names=('vmalloc of the module' 'kmalloc, of all the kernel' 'percpu, of all the kernel')
back() {
	local i
	mapfile -t now < <(measure)
	for i in 0 1 2; do [ "${now[i]}" -le $((base[i] + tolerance[i])) ] || return 1; done
}
leaks=/sys/kernel/debug/kmemleak
# Here but off: then it accepts no commands.
if ! { echo scan=off > $leaks && echo clear > $leaks; } 2> /dev/null; then
	leaks=''
	note "no kmemleak here, or it is off (kmemleak=on)"
fi

before=$(kprobes)
churn -s "$(long 2 15)" > "$tmp/warm" || { not_ok "warm-up"; note "$(cat "$tmp/warm")"; }
wait_for 60 rests || give_up "after the warm-up it does not come to rest: $(subscribe | head -n 5)"
sleep 1
mapfile -t base < <(measure)
churn -s "${CTRACE_TEST_CHURN:-$(long 4 480)}" > "$tmp/churn" || not_ok "churn: unexpected, see above"
note "$(cat "$tmp/churn")"
same "nothing unexpected" "unexpected 0" "$(tail -n 1 "$tmp/churn")"
wait_for 60 rests || not_ok "it does not come to rest: $(subscribe | head -n 5), refcnt $(cat /sys/module/ctrace/refcnt)"
wait_for 15 back || true
for i in 0 1 2; do
	check "${names[i]}: ${base[i]} kB before, ${now[i]} kB after" test "${now[i]}" -le $((base[i] + tolerance[i]))
done
same "kprobes" "$before" "$(kprobes)"
if [ -n "$leaks" ]; then
	# Scan twice: an object freed during the first scan is a leak to that scan only.
	echo scan > "$leaks"
	sleep 6
	echo scan > "$leaks"
	cat "$leaks" > "$tmp/leaks"
	has_not "nothing that kmemleak blames the module for" ctrace "$tmp/leaks"
fi
check "rmmod" unload
check "and nothing of it is left" bash -c '! grep -q "\[ctrace\]" /proc/vmallocinfo'
