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
# lock_witness: the kernel records all waits of the container's threads from now on, with addresses
lock_witness() {
	tracefs_mount
	later "echo > $tracefs/set_event_pid; echo 0 > $tracefs/options/event-fork; echo 1 > $tracefs/options/hash-ptr"
	echo 0 > $tracefs/options/hash-ptr
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
# ends. A lock that begins again before it has ended goes on; those inside another one count for themselves.
contentions() {
	sed -nE 's/^([0-9]+) .*-([0-9]+) contention_(begin|end): (0x)?([0-9a-f]+) \((flags|ret)=(.*)\)$/\1 \2 \3 \5 \7/p' "$1" | awk '
		BEGIN {
			split("0x0 semaphore SPIN spinlock SPIN|READ rwlock:R SPIN|WRITE rwlock:W READ rwsem:R WRITE rwsem:W RT rtmutex " \
				"PERCPU|READ pcpu-sem:R PERCPU|WRITE pcpu-sem:W MUTEX mutex SPIN|MUTEX mutex", w, " ")
			for (i = 1; w[i] != ""; i += 2)
				name[w[i]] = w[i + 1]
		}
		$3 == "begin" && !(depth[$2] && lock[$2, depth[$2]] == $4) {
			depth[$2]++
			lock[$2, depth[$2]] = $4; kind[$2, depth[$2]] = name[$5]; since[$2, depth[$2]] = $1
		}
		$3 == "end" {
			for (d = depth[$2]; d && lock[$2, d] != $4; d--)
				;
			if (!d)
				next
			printf "%s %s %s %s %.0f\n", $2, kind[$2, d], $4, $5, $1 - since[$2, d]
			depth[$2] = d - 1
		}'
}
