#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: operations of io_uring in trace without -e and with a class, stats, files, snoop open, top and recordings: as many, as many bytes, as long as the program that asks for them says; where they are not seen, it is said
# witness: a program of bare system calls prints what it asked for and got: of files, pipes, registered files, by a
#	worker and by SQPOLL; the file's size; the kernel's tracepoint counts results
# requires: any
# timeout: 180
# shellcheck disable=SC2016 # jq's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
iouring -b > "$tmp/out" 2>&1
[ $? != 4 ] || skip "no io_uring: $(cat "$tmp/out")"
if ctrace events | grep -q '^io_uring_op .*not here'; then
	ctrace stats --json -- iouring -f "$tmp" > "$tmp/json" 2> "$tmp/err"
	has "stats says what is not among its calls" '^ctrace: 1 container uses io_uring, whose operations are not among these' "$tmp/err"
	has_not "and shows none" 'io_uring:' "$tmp/json"
	mkdir "$tmp/a"
	for view in "files" "files --all" "files --slower 1us" "snoop open" "stats -e %file"; do
		# shellcheck disable=SC2086 # words
		ctrace $view --json -- iouring -f "$tmp/a" > "$tmp/json" 2> "$tmp/err"
		same "$view works without" 0 $?
		same "and says so, once" 1 "$(grep -c '^ctrace: 1 container uses io_uring, whose operations are not among these: this kernel' "$tmp/err")"
		# shellcheck disable=SC2086
		ctrace $view --json -- cat /etc/passwd > "$tmp/json" 2> "$tmp/err"
		has_not "but not of a program that does not use it" 'io_uring' "$tmp/err"
	done
	ctrace snoop exec -- iouring -f "$tmp/a" > "$tmp/out" 2> "$tmp/err"
	has_not "nor where it is no matter" 'io_uring, whose' "$tmp/err"
	exit
fi

mkdir "$tmp/a" "$tmp/b"
run="until [ -e $tmp/go ]; do sleep 0.05; done; iouring -f $tmp/a > $tmp/theirs; iouring -s -f $tmp/b > $tmp/theirs.poll; : > $tmp/done; sleep 1000"
name=/box/$(hex64 box)
cheap box -g "$name" -- bash -c "$run"
t=cid:$(of_pid "$pid" cid)
all=''
begin() { # NAME COMMAND...: with $tmp/NAME and $tmp/NAME.err
	local name=$1
	shift
	ctrace "$@" > "$tmp/$name" 2> "$tmp/$name.err" &
	all="$all $!"
	later "kill $!"
}
begin trace trace "$t" --json
begin text trace "$t"
begin stats stats "$t" --json
begin failed stats "$t" --json --failed
begin files files "$t" --json
begin every files "$t" --json --all
begin slow files "$t" --slower 1us --json
begin open snoop open "$t" --json
begin openf snoop open "$t" --failed
begin top top "$t" --json
begin class trace "$t" --json -e '%file,!rename*'
begin classes stats "$t" --json -e '%desc if ret >= 0'
begin count count '%file if ret < 0' --json --by errno "$t"
begin record record "$t" -e views --fds -o "$tmp/recording"
all_record() { [ "$(ctrace status | grep -c ' recording')" -ge 14 ]; }
wait_for 30 all_record || give_up "not all record: $(ctrace status; cat "$tmp"/*.err)"
tracefs_mount
echo 'hist:keys=common_pid' > $tracefs/events/io_uring/io_uring_complete/trigger 2> /dev/null &&
	later "echo '!hist:keys=common_pid' > $tracefs/events/io_uring/io_uring_complete/trigger"
: > "$tmp/go"
wait_for 60 test -e "$tmp/done" || give_up "the container did not do it: $(cat "$tmp/box.out")"
sleep 1.2
# shellcheck disable=SC2086 # numbers
kill -INT $all
# shellcheck disable=SC2086
wait $all
cat "$tmp/theirs" "$tmp/theirs.poll" > "$tmp/both"
note "$(cat "$tmp/both")"

# theirs OPCODE [PATTERN]: how many, bytes, failed
theirs() {
	grep " opcode=$1 .*${2:-}" "$tmp/both" | sed -E 's/.* ret=(-?[0-9]+) .*/\1/' |
		awk '{n++; b += $1 > 0 ? $1 : 0; e += $1 < 0} END {print n + 0, b + 0, e + 0}'
}
of_stats() { # FILE OP: how often, errors
	jq -sr "[.[].rows[] | select(.syscall == \"io_uring:$2\")] | \"\(map(.calls) | add) \(map(.errors) | add)\"" "$tmp/$1"
}
of_files() { # FILE OP: how often, bytes, errors
	jq -sr "[.[].rows[] | select(.op == \"io_uring:$2\")] | \"\(map(.count) | add) \(map(.bytes // 0) | add) \(map(.errors) | add)\"" "$tmp/$1"
}
want() { awk '{print $1, $3}' <<< "$(theirs "$1")"; }

same "operations that the program has done" 36 "$(wc -l < "$tmp/both")"
complete=$(awk -F'hitcount:' '/hitcount:/ {n += $2} END {print n + 0}' $tracefs/events/io_uring/io_uring_complete/hist 2> /dev/null)
[ "${complete:-0}" = 0 ] || same "results that the kernel's tracepoint counted" 36 "$complete"
# of the program's operations with these numbers: how many of each, by name
ops() { # NUMBERS [PATTERN]
	grep -E " opcode=($1) " "$tmp/both" | grep -E -e "${2:-}" | sed -E 's/.* opcode=18 .*/openat/; s/.* opcode=22 .*/read/; s/.* opcode=23 .*/write/
		s/.* opcode=3 .*/fsync/; s/.* opcode=35 .*/renameat/; s/.* opcode=36 .*/unlinkat/' | sort | uniq -c | awk '{print $2, $1}' | xargs
}
same "the files' sizes are what was written" "8000 8000" "$(stat -c %s "$tmp/a/renamed" "$tmp/b/renamed" | tr '\n' ' ' | sed 's/ $//')"

same "trace has each without -e" 36 "$(jq -c 'select(.event == "io_uring_op")' "$tmp/trace" | wc -l)"
check "with its name, error and path" jq -es 'map(select(.operation == "io_uring:openat" and .errno == "ENOENT")) |
	length == 2 and all(.fields.path | endswith("/not there"))' "$tmp/trace"
has "in text" 'io_uring_op duration=.* ret=ENOENT .*opcode=OPENAT .*path=".*/a/not there"' "$tmp/text"

same "trace -e %file: operations on paths, but for one left out" "$(ops '18|36')" \
	"$(jq -r 'select(.event == "io_uring_op") | .operation' "$tmp/class" | sed 's/^io_uring://' | sort | uniq -c | awk '{print $2, $1}' | xargs)"
same "stats -e '%desc if ret >= 0': those on descriptors and below directories" "$(ops '3|18|22|23|35|36' ' ret=[0-9]')" \
	"$(jq -sr '[.[].rows[] | select(.syscall | startswith("io_uring:"))] | group_by(.syscall) | .[] | "\(.[0].syscall | ltrimstr("io_uring:")) \(map(.calls) | add)"' "$tmp/classes" | sort | xargs)"
same "count %file: what failed" "$(grep -cE ' ret=-.* opcode=(18|35|36) ' "$tmp/both")" \
	"$(jq -s '[.[].rows[] | select(.event == "io_uring_op") | .values.count] | add' "$tmp/count")"

for o in 18:openat 22:read 23:write 3:fsync 35:renameat 36:unlinkat; do
	same "stats: ${o#*:}: how often, errors" "$(want "${o%:*}")" "$(of_stats stats "${o#*:}")"
done
same "stats --failed: openat" "2 2" "$(of_stats failed openat)"
check "stats --failed: nothing else of io_uring that succeeded" jq -es 'all(.[].rows[] | select(.syscall | startswith("io_uring:")); .calls == .errors)' "$tmp/failed"

# pipes are no files
same "files: what was written into files" "16 16000 0" "$(of_files files write)"
same "files: what was read from files, of a registered one, too" "6 30000 0" "$(of_files files read)"
same "files: opened" "$(theirs 18 | awk '{print $1, 0, $3}')" "$(of_files files open)"
same "files: names" "2 0 2" "$(of_files files unlink)"
same "files --all: pipes, too" "$(theirs 23)" "$(of_files every write)"
slow() { jq -c "select(.op == \"io_uring:$1\")" "$tmp/slow"; }
same "files --slower: each write, with its file" "16 16" "$(slow write | wc -l) $(slow write | grep -c '"filename":"[^"]*/made"')"
same "its bytes" 16000 "$(slow write | jq -s 'map(.bytes) | add')"
same "files --slower: paths that operations are given" 2 \
	"$(slow unlink | jq -c 'select(.errno == "ENOENT" and (.filename | endswith("/not there")))' | wc -l)"

same "snoop open: both, and what was not there" "2 2" "$(jq -rs '[.[] | select(.event == "io_uring_op")] |
	"\(map(select(.fd >= 0 and (.path | endswith("/made")))) | length) \(map(select(.errno == "ENOENT" and (.path | endswith("/not there")))) | length)"' "$tmp/open")"
same "snoop open --failed" 2 "$(grep -c ' ENOENT .*/not there$' "$tmp/openf")"
has_not "and no other" '/made$' "$tmp/openf"

at_least "top: bytes written" 16020 "$(jq -s '[.[].rows[].write] | add' "$tmp/top")"
at_least "top: bytes read" 30020 "$(jq -s '[.[].rows[].read] | add' "$tmp/top")"

mkdir "$tmp/c"
ctrace stats --json -- iouring -s -f "$tmp/c" > "$tmp/command" 2> "$tmp/command.err"
same "of a command, the ring's thread, too: writes" "9 0" "$(grep '^{' "$tmp/command" > "$tmp/command.json"; of_stats command.json write)"

ctrace record -o "$tmp/calls" -e calls -- iouring -f "$tmp/c" > /dev/null 2> "$tmp/command.err"
for view in "files --all" "files --all --slower 1us" "snoop open" "stats"; do
	# shellcheck disable=SC2086 # words
	ctrace $view --json --input "$tmp/calls" > "$tmp/again" 2> "$tmp/again.err"
	same "$view of a recording without them says so" 1 "$(grep -c '^ctrace: 1 container uses io_uring, whose operations are not among these: they were not' "$tmp/again.err")"
done
ctrace stats --input "$tmp/recording" --json > "$tmp/again" 2> "$tmp/again.err"
same "a recording: writes" "$(want 23)" "$(of_stats again write)"
ctrace files --input "$tmp/recording" --json > "$tmp/again" 2> "$tmp/again.err"
same "a recording: bytes of files" "16 16000 0" "$(of_files again write)"
