# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # docker_id is lib.sh's; spin is for tests
# starve.sh: containers on CPU 1 that get it rarely, or nearly always. Source it after lib.sh.

command -v jq > /dev/null || skip "no jq to read JSON"
command -v chrt > /dev/null || skip "no chrt"
[ "$(nproc)" -ge 2 ] || skip "it takes two CPUs"
load
ctrace events 2> /dev/null | grep -q '^sched_blame ' || skip "no sched_blame here"
# nice levels count between all tasks, and not within sessions alone
auto=/proc/sys/kernel/sched_autogroup_enabled
[ ! -e $auto ] || { later "echo $(cat $auto) > $auto"; echo 0 > $auto; }
# all else on CPU 0, ctrace above all
taskset -p 1 $$ > /dev/null
# share WEIGHT SHARES: of the container's cgroup, where it has a weight
share() {
	local d
	for d in $(cgroup_dirs "/docker/$docker_id"); do
		[ ! -e "$d/cpu.weight" ] || echo "$1" > "$d/cpu.weight"
		[ ! -e "$d/cpu.shares" ] || echo "$2" > "$d/cpu.shares"
	done
}
# It has the least share there is, and gets the CPU once in a minute; a real-time task in the hog's place would keep the kernel's
# own threads from it, too.
spin="exec chrt -i 0 sh -c 'while :; do :; done'"
# hog: a container that keeps the CPU; sets $hog
hog() {
	docker_box hog "exec taskset 2 nice -n -20 sh -c 'while :; do :; done'"
	hog=$pid
	share 10000 262144
}
ran() { cut -d' ' -f1 "/proc/$1/schedstat"; }
# starved PID: the hog has the CPU when the victim's account does not move any more
starved() { local a; a=$(ran "$1"); sleep 0.5; [ "$(ran "$1")" = "$a" ]; }

# waited FILE: ms of each row; by: ms by the hog, with the interrupts that came in its time
waited() { jq -s '[.[].rows[].waited] | add // 0 | . / 1e6 | floor' "$1"; }
by() { jq -s '[.[].rows[].culprits[] | select(.container == "hog" or .culprit == "interrupts") | .waited] | add // 0 | . / 1e6 | floor' "$1"; }
