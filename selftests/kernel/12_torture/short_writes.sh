#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: if any write of a recording fails, it says so and exits with 1, and every event it counted can be read
# witness: what the summary counts can be read, and the rest is reported
# requires: babeltrace2,strace,any,torture
# timeout: 120
# torture: 500
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../on_disk.sh
. "$here/on_disk.sh"

load
mkdir "$tmp/fs"
later "umount -l $tmp/fs"
dir=$tmp/fs/t
# six rounds, so that there are several packets; each call gives an entry and an exit
# shellcheck disable=SC2016 # the child's
job='for i in 1 2 3 4 5 6; do counted 2 $N; sleep 0.05; done'
# record [COMMAND...]: records $N calls a round, run by COMMAND; sets $st to the status
record() {
	N=$N "$@" ctrace record -o "$dir" --no-state-dump -e getpriority -- sh -c "$job" > "$tmp/out" 2> "$tmp/err"
	st=$?
}
whole=0 failures=0 events=0
# judge HOW: expects status 0, with every event there or reported as lost, or status 1 and a message. In both
# cases all events that the summary counts can be read.
judge() {
	local told lost
	on_disk "$dir" "$1"
	read -r told lost <<< "$(sed -nE 's/^ctrace: ([0-9]+) events? in .*, ([0-9]+) lost.*/\1 \2/p' "$tmp/err")"
	[ "${told:-0}" = "$found" ] || not_ok "$1: $found events can be read, told are ${told:-none}"
	events=$((events + found))
	if [ $st = 0 ]; then
		whole=$((whole + 1))
		[ $((found + ${lost:-0})) = $((12 * N)) ] ||
			not_ok "$1: status 0 with $found of $((12 * N)) events: $(tail -n 2 "$tmp/err")"
	else
		failures=$((failures + 1))
		note "$1: $found events, $(grep -m 1 cannot "$tmp/err" | sed "s|$tmp/||; s/^ctrace: //")"
		[ $st = 1 ] || not_ok "$1: status $st"
		grep -qE '^ctrace: (cannot|.*(No space|too large|error))' "$tmp/err" ||
			not_ok "$1: no word of it: $(tail -n 2 "$tmp/err")"
	fi
}
# section WHAT: prints its counts; some recordings must have failed
section() {
	check "$1: $failures failed with a word, $whole were whole, $events events" test $failed = 0 -a $failures -gt 0
	whole=0 failures=0 events=0
}

# fail each call in turn
N=30
for call in $(long 'pwritev pwrite64 renameat2' 'pwritev pwrite64 ftruncate renameat2 renameat mkdir mkdirat'); do
	for n in $(long 1 "$(seq -s ' ' 1 6)"); do
		rm -rf "$dir"
		record strace -f --seccomp-bpf -o "$tmp/strace" -e trace="$call" -e inject="$call":error=EIO:when="$n"
		judge "$call $n fails"
		# no further calls of this kind
		grep -q INJECTED "$tmp/strace" || break
	done
done
section "an error of each call"

# disks of several sizes
N=2000
for size in $(long '64 1400' '8 24 48 64 96 128 192 256 384 512 700 900 1100 1400 1800 2200 2600 4000 8000'); do
	mount -t tmpfs -o size="${size}k" small "$tmp/fs" || skip "no small file system"
	record
	judge "a disk of $size kB"
	umount "$tmp/fs"
done
section "small disks"

# limits on the size of a file, in KiB: a stream continues in another file
for size in $(long '1 800' '1 32 100 400 800 900 1000 1200 2000 4000'); do
	rm -rf "$dir"
	record bash -c "ulimit -f $size; exec \"\$@\"" bash
	judge "files of $size kB"
done
section "short files"
