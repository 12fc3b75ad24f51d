#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: after kill -9 of the recorder at any moment, every reader can read the trace to its last whole packet
# witness: under load at random moments, and by the kernel at each call that changes a file; read by our
#	reader and by babeltrace2
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
dir=$tmp/t
kills=0 nothing=0 events=0 padded=0 parts=0
# judge WHEN: checks what the dead recorder left
judge() {
	kills=$((kills + 1))
	on_disk "$dir" "killed $1" || return 1
	events=$((events + found))
	if [ "$found" = 0 ]; then
		nothing=$((nothing + 1))
		return 0
	fi
	! compgen -G "$dir/*_*.[0-9]*" > /dev/null || parts=$((parts + 1))
	[ "$(du -sk "$dir" | cut -f1)" -ge "$(du -sk --apparent-size "$dir" | cut -f1)" ] || padded=$((padded + 1))
}

# under load, at random moments
loads=()
for _ in 1 2; do
	(while :; do counted 0 1000; sleep 0.05; done) &
	loads+=($!)
	later "kill -9 $!; wait $!"
done
end=$((SECONDS + $(long 6 200)))
while [ $SECONDS -lt $end ]; do
	rm -rf "$dir"
	kill -CONT "${loads[@]}"
	# exec: then $! is ctrace itself
	(exec ctrace record -o "$dir" --no-state-dump host -e getpriority --duration 60 2> "$tmp/err") & job=$!
	# Kill some while they start, and most while they record.
	[ $((RANDOM % 8)) = 0 ] || wait_for 20 test -e "$dir/metadata" || give_up "record: $(cat "$tmp/err")"
	sleep 0.$((RANDOM % 60 + 10))
	kill -9 $job
	wait $job 2> /dev/null
	kill -STOP "${loads[@]}"
	judge "under load" || break
done
check "killed under load, $kills times: readable" test $failed = 0
at_least "events in what was left" 1 $events
note "$kills times; $nothing left no event, $padded had padding, $parts went on in another file; $events events"

# At each call that changes a file: the kernel kills the recorder as it is about to make the call. It records
# as many rounds as the call's number: with only one round, the first pwrite64 is one that gives room back.
# (Not with --seccomp-bpf: a signal that strace injects at such a stop is lost.)
kill -9 "${loads[@]}"
wait "${loads[@]}" 2> /dev/null
kills=0 events=0 nothing=0
for call in renameat2 pwritev pwrite64 ftruncate; do
	for n in $(long '1 4' "$(seq -s ' ' 1 8)"); do
		rm -rf "$dir"
		strace -o /dev/null -e trace="$call" -e inject="$call":signal=KILL:when="$n" \
			ctrace record -o "$dir" --no-state-dump -e getpriority -- \
			sh -c "for i in $(seq -s ' ' "$n"); do counted 2 50; sleep 0.1; done" > "$tmp/out" 2> "$tmp/err"
		# no further calls of this kind
		[ $? = 137 ] || break
		judge "at $call $n" || break 2
	done
done
check "killed at calls, $kills times: readable" test $failed = 0
at_least "times" 4 $kills
at_least "events in what was left" 1 $events
note "$kills calls; $nothing left no event; $events events"
