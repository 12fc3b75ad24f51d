#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: io_uring_op: each operation with its result, as the container's that submitted it, by a worker and by SQPOLL, too
# witness: a program of bare system calls prints what it asked for and got: with a worker, with SQPOLL,
#	failing, refused
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
iouring -b > "$tmp/out" 2>&1
[ $? != 4 ] || skip "no io_uring: $(cat "$tmp/out")"
ctrace events > "$tmp/events"
if grep '^io_uring_op .*not here' "$tmp/events"; then
	refuse "a kernel whose tracepoints do not tell requests apart" "io_uring" evdump -e io_uring_op -- true
	exit
fi

# what both wrote, in one form: without time and owner, and without the duration
ours() { grep " io_uring_op $2 " "$1" | sed -E 's/.*(user_data=)/\1/' | sort; }
run="until [ -e $tmp/go ]; do sleep 0.05; done; iouring > $tmp/theirs; iouring -s > $tmp/theirs.poll; iouring -b > $tmp/theirs.bad; : > $tmp/done; sleep 1000"
cheap box -g "/box/$(hex64 box)" -- bash -c "$run"
box=$(of_pid "$pid" cid)
dump "$tmp/ev" -v -t all -e io_uring_op
all=$dumping
dump "$tmp/one" -v -t "cid:$box" -e io_uring_op
one=$dumping
iouring > "$tmp/hosts"
: > "$tmp/go"
wait_for 30 test -e "$tmp/done" || give_up "the operations did not end: $(cat "$tmp/box.out")"
sleep 0.5
kill "$all" "$one"
wait "$all" "$one"
note "$(cat "$tmp/theirs" "$tmp/theirs.poll")" "$(cat "$tmp/ev")"

same "operations in the container" 12 "$(cat "$tmp/theirs" "$tmp/theirs.poll" | wc -l)"
check "each once, with its result, descriptor, operation: the container's" diff <(sort "$tmp/theirs" "$tmp/theirs.poll") <(ours "$tmp/ev" "cid=$box")
check "the host's are the host's" diff <(sort "$tmp/hosts") <(ours "$tmp/ev" cid=0)
same "nobody else's" "0 $box" "$(cids "$tmp/ev" .)"
check "a session for the container has the same" diff <(ours "$tmp/ev" "cid=$box") <(ours "$tmp/one" "cid=$box")
same "and nothing else" "$box" "$(cids "$tmp/one" .)"
has "a missing file" " io_uring_op cid=$box .* ret=-2 fd=-1 opcode=18 " "$tmp/ev"
has "a bad descriptor" " io_uring_op cid=$box .* ret=-9 fd=1000 opcode=22 " "$tmp/ev"
has "a time that is over" " io_uring_op cid=$box .* ret=-62 fd=-1 opcode=11 " "$tmp/ev"
has "a task of the container submitted them" " io_uring_op cid=$box tid=[1-9][0-9]* vtid=[1-9]" "$tmp/ev"
same "tasks: the program, and the ring's thread" 2 "$(sed -nE "s/.* io_uring_op cid=$box tid=([0-9]+) .*/\1/p" "$tmp/ev" | sort -u | wc -l)"
same "lasted at least 50 ms" 2 "$(sed -nE "s/.* io_uring_op cid=$box .* duration=([0-9]+) .* opcode=11 .*/\1/p" "$tmp/ev" | awk '$1 >= 50000000' | wc -l)"
has "one that the kernel refused is counted" 'unfollowed [1-9]' "$tmp/one.err"
has "the command names them" 'io_uring_op.* ret=ENOENT .*opcode=OPENAT .*path="/no/such/file"' <(ctrace trace -e io_uring_op -- iouring 2>&1)
