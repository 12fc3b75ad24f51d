#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: containers, sessions, probes, definitions, targets, readers come and go in random order: memory is back where it was
# requires: any,torture
# kernels: 6.1
# timeout: 240
# torture: 600
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
kprobes() { wc -l < /sys/kernel/debug/kprobes/list; }
# All that is dead has gone, none but those there were are listed, and nobody has the module.
there=$(subscribe | wc -l)
rests() { [ "$(subscribe | wc -l)" -le "$there" ] && grep -qx 0 /sys/module/ctrace/refcnt; }
# measure: kB of the module's vmalloc, of kmalloc's objects, of percpu memory, each on a line.
# Slabs are shrunk first: objects on a CPU's own slab would all count as used. Caches are
# dropped, as pages of theirs hold removed cgroups.
measure() {
	local c
	echo 3 > /proc/sys/vm/drop_caches
	for c in /sys/kernel/slab/*/shrink; do echo 1 > "$c"; done 2> /dev/null
	vmalloc_kb
	awk '$1 ~ /^kmalloc-/ {s += $2 * $4} END {print int(s / 1024)}' /proc/slabinfo
	awk '/^Percpu:/ {n = $2} END {print n + 0}' /proc/meminfo	# since 4.20
}
# What may remain. vmalloc: a page or two, the identity's tables do not grow. kmalloc: all the kernel uses
# it, and a removed cgroup goes late; percpu: one page in use keeps a block of them, of every
# CPU. A leak of one object in each round of what churn does would be thousands of them in the long form.
tolerance=(0 512 512)
names=('vmalloc of the module' 'kmalloc, of all the kernel' 'percpu, of all the kernel')
back() {
	local i
	mapfile -t now < <(measure)
	for i in 0 1 2; do [ "${now[i]}" -le $((base[i] + tolerance[i])) ] || return 1; done
}
leaks=/sys/kernel/debug/kmemleak
# there but off: it takes nothing then
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
	# twice: what was freed in the meantime is a leak to the first scan only
	echo scan > "$leaks"
	sleep 6
	echo scan > "$leaks"
	cat "$leaks" > "$tmp/leaks"
	has_not "nothing that kmemleak blames the module for" ctrace "$tmp/leaks"
fi
check "rmmod" unload
check "and nothing of it is left" bash -c '! grep -q "\[ctrace\]" /proc/vmallocinfo'
