# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2086,SC2034 # go and cid are for tests; tmp, tracefs (a word) and pid are of lib.sh
# contentions.sh: a container whose threads want the same locks of the kernel, and the kernel's own trace of that. Source it
# after lib.sh and witness.sh.

command -v jq > /dev/null || skip "no jq to read JSON"

# contenders THREADS ROUNDS: starts the container; sets $pid and $cid
contenders() {
	mkfifo "$tmp/go"
	cheap contenders -g "/box/$(hex64 contenders)" -- contend "$tmp/go" "$1" "$2"
	cid=$(of_pid "$pid" cid)
	goes=0
	lock_witness
}
# lock_witness: the kernel records all waits of the container's threads from now on. It hides the locks' addresses: each is
# shown as another number. (options/hash-ptr would show them, and 6.1 then leaves the flags out.)
lock_witness() {
	tracefs_mount
	later "echo > $tracefs/set_event_pid; echo 0 > $tracefs/options/event-fork"
	echo 1 > $tracefs/options/event-fork
	echo "$pid" > $tracefs/set_event_pid
	witness lock/contention_begin lock/contention_end
}
# next_go: the threads are to do their rounds once more; $go is the text for sh -c that lets them, and waits until they have
next_go() {
	goes=$((goes + 1))
	go="echo go > $tmp/go; for _ in \$(seq 1200); do grep -q '^done $goes\$' $tmp/contenders.out && exit 0; sleep 0.1; done; exit 1"
}
# contentions FILE: prints each wait in task context of witnessed()'s FILE, as "TID KIND LOCK RET NS", in the order of their
# ends. KIND is the number of its flags. A lock that begins again before it has ended goes on, and its flags are
# what all beginnings have; locks inside another one count for themselves.
contentions() {
	sed -nE 's/^([0-9]+) .*-([0-9]+) contention_(begin|end): (0x)?([0-9a-f]+) \((flags|ret)=(.*)\)$/\1 \2 \3 \5 \7/p' "$1" | awk '
		BEGIN { split("SPIN READ WRITE RT PERCPU MUTEX", names, " ") }
		# the bits of the flags, as six digits of 0 and 1
		function bits(text,   i, out) {
			for (i = 1; i <= 6; i++)
				out = out (index("|" text "|", "|" names[i] "|") ? 1 : 0)
			return out
		}
		function both(a, b,   i, out) {
			for (i = 1; i <= 6; i++)
				out = out (substr(a, i, 1) + substr(b, i, 1) == 2 ? 1 : 0)
			return out
		}
		function number(b,   i, n) {
			for (i = 6; i; i--)
				n = 2 * n + substr(b, i, 1)
			return n
		}
		$3 == "begin" && depth[$2] && lock[$2, depth[$2]] == $4 {
			kind[$2, depth[$2]] = both(kind[$2, depth[$2]], bits($5))
			next
		}
		$3 == "begin" {
			depth[$2]++
			lock[$2, depth[$2]] = $4; kind[$2, depth[$2]] = bits($5); since[$2, depth[$2]] = $1
		}
		$3 == "end" {
			for (d = depth[$2]; d && lock[$2, d] != $4; d--)
				;
			if (!d)
				next
			printf "%s %d %s %s %.0f\n", $2, number(kind[$2, d]), $4, $5, $1 - since[$2, d]
			depth[$2] = d - 1
		}'
}
# kind_names: the names that ctrace has for the kinds
kind_names='{"0": "semaphore", "1": "spinlock", "3": "rwlock:R", "5": "rwlock:W", "2": "rwsem:R", "4": "rwsem:W", "8": "rtmutex",
	"18": "pcpu-sem:R", "20": "pcpu-sem:W", "32": "mutex", "33": "mutex"}'
