#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: where a container's time went: it adds up, and each thread's known work is in its row; what to look at next
# witness: threads that sleep, read, wait, spin, are stopped
# columns: why: ran waited disk kernel locks network requests events io_uring files handover children slept other stopped
# requires: v2,v1,hybrid,torture
# timeout: 150
# processors: its programs are pinned to either of them
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
# why NAME: its JSON is in $tmp/NAME
why() {
	ctrace why "$1" --json --duration 3 -v > "$tmp/$1" 2> "$tmp/$1.err"
}
# spent NAME WORD: in ms
spent() { jq ".rows[0].spent.$2 / 1e6 | floor" "$tmp/$1"; }
word() { jq -r ".rows[0].$2" "$tmp/$1"; }

# Six threads: one reads a pipe that nobody writes to, two sleep, one waits for children, one spins on CPU 1, one is stopped.
docker_box rest "sleep 1000 | cat & taskset 2 sh -c 'while :; do :; done' & sh -c 'kill -STOP \$\$' & sleep 1000"
docker_box db "exec taskset 1 sh -c 'while :; do :; done'"
db_cid=$(of_pid "$pid" cid)
docker_box web "exec taskset 1 sh -c 'while :; do :; done'"
web_pid=$pid
docker_box quiet "while :; do sleep 0.2; done"
# One thread in each: poll, the answer of a server that gives none, a client that does not come, a condition variable, pause(), a
# disk that takes 100 ms, io_uring_enter() for timers of 500 ms; one in an open() of a fifo that lasts a second, and one in an open()
# that never ends, which is of no class of its own; two share a lock and sleep with it; those that start the others wait for
# them or sleep.
ip link set lo up
docker_box silent "exec workload serve 7101 100000000 0"
# A file system that is frozen holds who writes to it in state D, for no disk
frozen=''
mkdir "$tmp/frozen"
modprobe loop 2> /dev/null; modprobe ext4 2> /dev/null
if truncate -s 16M "$tmp/image" && mkfs.ext4 -q "$tmp/image" && mount -o loop "$tmp/image" "$tmp/frozen" && fsfreeze -f "$tmp/frozen"; then
	later "umount $tmp/frozen"
	frozen="sh -c 'echo > $tmp/frozen/file' &"
fi 2> "$tmp/mkfs"
disk=''
modprobe null_blk nr_devices=1 irqmode=2 completion_nsec=100000000 queue_mode=2 2> /dev/null && disk='workload direct /dev/nullb0 0 &' && later "rmmod null_blk"
uring=''
iouring -b > /dev/null 2>&1
[ $? = 4 ] || uring='iouring -w > /dev/null &'
mkfifo "$tmp/fifo" "$tmp/never"
docker_box mixed "$uring sh -c ': < $tmp/never' & sh -c 'while :; do : < $tmp/fifo; done' & sh -c 'while sleep 1; do : > $tmp/fifo; done' & workload poll & workload ask 7101 0 0 & workload serve 7102 0 0 & workload pool 1 & workload mutex 2 20 & $disk $frozen wait"
[ -z "$frozen" ] || later "fsfreeze -u $tmp/frozen"
sleep 0.5
read -r ran waited _ < "/proc/$web_pid/schedstat"
whys=''
for name in rest web quiet mixed; do
	why $name &
	whys="$whys $!"
done
for p in $whys; do
	wait "$p" || not_ok "ctrace why: status $?"
done
read -r ran1 waited1 _ < "/proc/$web_pid/schedstat"
# The same, of a recording.
check "ctrace record" ctrace record -o "$tmp/t" -e sched_run,sched_blame,sched_block --duration 3 rest web quiet
for name in rest web quiet; do
	ctrace why "$name" --json --input "$tmp/t" -v > "$tmp/$name-recorded" 2> "$tmp/$name-recorded.err"
	same "$name, recorded: status" 0 $?
	has "$name, recorded: nothing was lost" ' 0 lost' "$tmp/$name-recorded.err"
done
for name in rest web quiet rest-recorded web-recorded quiet-recorded; do
	note "$name: $(jq -c '.rows[0] | del(.culprits)' "$tmp/$name")"
	same "$name: the rows add up" true "$(jq '.rows[0] | (.spent | add) == .time' "$tmp/$name")"
	same "$name: its waits are its culprits', or not told" true \
		"$(jq '.rows[0] | ([.culprits[]? | .waited] | add // 0) + .untold == .spent.waited + .spent.throttled' "$tmp/$name")"
done
for name in rest web quiet; do
	has "$name: none missed" ', 0 lost' "$tmp/$name.err"
done
for rest in rest rest-recorded; do
	n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/$rest")
	near "$rest: six threads, as long as they existed" 200 $((6 * n)) "$(jq '.rows[0].time / 1e6 | floor' "$tmp/$rest")"
	same "six" 6 "$(word $rest threads)"
	near "two sleep" 100 $((2 * n)) "$(spent $rest slept)"
	near "one reads" 100 "$n" "$(spent $rest files)"
	near "one waits for children" 100 "$n" "$(spent $rest children)"
	near "one is stopped" 100 "$n" "$(spent $rest stopped)"
	near "one could run" 100 "$n" $(($(spent $rest ran) + $(spent $rest waited) + $(spent $rest unknown)))
	at_least "and did, some of the time" $((n / 10)) "$(spent $rest ran)"
	check "the cause is the thread that can run: $(word $rest cause)" grep -qE '^(ran|neighbour|host|ctrace|self|cpu)$' <<< "$(word $rest cause)"
done
# the scheduler's account, of a little more than these three seconds
ran=$(((ran1 - ran) / 1000000)) waited=$(((waited1 - waited) / 1000000))
in_range "web: it ran so long" $((ran / 2 - 100)) $((ran + 50)) "$(spent web ran)"
in_range "and waited" $((waited / 3 - 100)) $((waited + 50)) "$(spent web waited)"
n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/mixed")
for word in events network requests handover ${uring:+io_uring} ${disk:+disk} ${frozen:+kernel}; do
	near "mixed: one thread, $word" $((n / 5)) "$n" "$(spent mixed "$word")"
done
near "mixed: two threads in calls of no class: one that ends, one that does not" $((n * 2 / 5)) $((2 * n)) "$(spent mixed other)"
at_least "one waits for a signal: pause() is a sleep" $((n * 9 / 10)) "$(spent mixed slept)"
near "two threads: one has the lock, and the other waits for it" $((n / 4)) "$n" "$(spent mixed locks)"
note "$(jq -c '.rows[0].spent' "$tmp/mixed")"
for web in web web-recorded; do
	n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/$web")
	near "$web: the victim runs or waits" 100 "$n" $(($(spent $web ran) + $(spent $web waited) + $(spent $web unknown)))
	at_least "it runs" $((n / 10)) "$(spent $web ran)"
	at_least "it waits" $((n / 4)) "$(spent $web waited)"
	same "a neighbour is to blame" true "$(word $web neighbour_to_blame)"
	same "which" "db $db_cid" "$(jq -r '.rows[0].culprits | map(select(.culprit == "neighbour")) | max_by(.waited) | "\(.container) \(.cid)"' "$tmp/$web")"
	case $(word $web verdict) in *"neighbour db had the CPU"* | *", db for "*) ok "it is named";; *) not_ok "named: $(word $web verdict)";; esac
done
for quiet in quiet quiet-recorded; do
	n=$(jq '.rows[0].duration / 1e6 | floor' "$tmp/$quiet")
	at_least "$quiet sleeps, or waits for who sleeps" $((n * 8 / 10)) $(($(spent $quiet slept) + $(spent $quiet children)))
done

# Kernel threads that wait for work sleep so that no signal wakes them, and nothing is wrong with that.
at_least "idle kernel threads, as /proc has them" 3 "$(cat /proc/[0-9]*/stat 2> /dev/null | grep -c ') I ')"
ctrace why host --json --duration 2 > "$tmp/host" 2> "$tmp/host.err"
note "$(jq -c '.rows[0] | del(.culprits)' "$tmp/host")"
same "the host is not held up by them" true "$(jq '.rows[0] | .spent.kernel * 5 < .time' "$tmp/host")"

# The text, and the command that it gives, which works.
ctrace why web --duration 1 > "$tmp/text" 2>&1
has "the heading" '^web: 1 thread in [12]\.' "$tmp/text"
has "the sum" '^all +[0-9.]+ +100\.0%$' "$tmp/text"
has "the neighbour" '^  db +[0-9.]+ +[0-9.]+%  sh$' "$tmp/text"
has "its words" '^Its neighbour(s had the CPU for .*, db for| db had the CPU for) [0-9]+%' "$tmp/text"
note "$(cat "$tmp/text")"
note "$(ctrace blame all --top 3 --duration 1 2>&1)"
check "the command" sh -c "$(word web next | sed 's/--duration 10/--duration 0.5/')"
refuse "all" 'one container' ctrace why all
refuse "none" 'needs a container' ctrace why
refuse "a key" 'takes no' ctrace why web --by comm
refuse "two, of a recording" 'one container' ctrace why --input "$tmp/t" rest web
refuse "a part of a recording" 'duration cannot be used with a recording' ctrace why --input "$tmp/t" web --duration 1
ctrace record -o "$tmp/u" -e sched_switch --duration 0.1 web 2> "$tmp/err"
refuse "a recording without the events" 'no sched_run: .*.ctrace record.' ctrace why --input "$tmp/u" web
rm "$tmp/t/ctrace/threads.json"
ctrace why --input "$tmp/t" rest > "$tmp/text" 2> "$tmp/err"
same "a recording without its threads: status" 0 $?
has "it is said" 'is not known: .*threads.json: No such file' "$tmp/err"
