#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace files: operations, bytes and times of a program that counts its own, on a disk of known latency; no name is looked up for what is fast
# witness: the program's own numbers, a disk of known latency, a kprobe on the function that makes names
# columns: files: OP COUNT ERRORS BYTES TOTAL P50 P99 MAX hist
# columns: files --slower: COMM PID OP BYTES LAT(ms) ERR FILENAME
# requires: any
# timeout: 90
# shellcheck disable=SC2016 # perl's and jq's
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../slow_disk.sh
. "$here/slow_disk.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
command -v perl > /dev/null || skip "no perl"
load
slow_disk 30 64

# 40 writes of 1000 bytes, 7 reads of 5000, 6 fsyncs, 5 splices of 700, 3 files that are not there; 500 writes into a pipe
cat > "$tmp/do.pl" << 'EOF'
my ($dir, $where) = @ARGV;
my $splice = `uname -m` =~ /aarch64/ ? 76 : 275;
open my $up, ">", "$dir/up"; close $up;
select undef, undef, undef, 0.02 until -e "$dir/go";
open my $f, "+>", "$where/a file" or die;
for (1 .. 40) { syswrite $f, "x" x 1000 }
sysseek $f, 0, 0;
for (1 .. 7) { sysread $f, $b, 5000 }
for (1 .. 6) { syswrite $f, "y" x 4096; $f->sync }
for (1 .. 3) { open my $g, "<", "$where/none $_" }
pipe my $r, my $w;
sysseek $f, 0, 0;
for (1 .. 5) { syscall($splice, fileno($f), 0, fileno($w), 0, 700, 0) == 700 or die; sysread $r, $b, 700 }
for (1 .. 500) { syswrite $w, "z" x 10; sysread $r, $b, 10 }
open $f, ">", "$dir/done"; close $f;
sleep 1000;
EOF
start() { # FILE: a container that does that
	rm -f "$tmp/go" "$tmp/done" "$tmp/up"
	cheap "$1" -g "/box/$(hex64 "$1")" -- perl -MIO::Handle "$tmp/do.pl" "$tmp" "${slow:-$tmp}"
	# what perl reads itself to begin with is not counted
	wait_for 40 test -e "$tmp/up" || give_up "perl did not start"
	cid=$(of_pid "$pid" cid)
}
all_record() { [ "$(ctrace status | grep -c ' recording')" -ge "$1" ]; }
recording() { wait_for 20 all_record "$1" || give_up "they do not record: $(cat "$tmp"/*.err)"; }
end() { # PID...
	took=$(date +%s%N)
	: > "$tmp/go"
	wait_for 40 test -e "$tmp/done" || give_up "the container did not do it"
	took=$(($(date +%s%N) - took))
	sleep 0.3
	kill -INT "$@"
	for p; do wait "$p" || not_ok "status $?"; done
}

start one
tracefs_mount
echo 'p:ctest/name ctrace_fd_name' > $tracefs/kprobe_events 2> "$tmp/kp" && later "echo 0 > $tracefs/events/ctest/enable; echo > $tracefs/kprobe_events"
echo 1 > $tracefs/events/ctest/name/enable
names() { awk '$1 == "name" {print $2}' $tracefs/kprobe_profile; }
ctrace files "cid:$cid" --json > "$tmp/json" 2> "$tmp/json.err" & a=$!
ctrace files "cid:$cid" --slower 10s > "$tmp/never" 2> "$tmp/never.err" & b=$!
ctrace files "cid:$cid" --all --json > "$tmp/all" 2> "$tmp/all.err" & c=$!
recording 3
n=$(names)
end "$a" "$b" "$c"
note "$(jq -c '.rows[] | del(.buckets)' "$tmp/json")"
row() { jq -c ".rows[] | select(.op == \"$1\") | [$2]" "${3:-$tmp/json}"; }
same "writes and their bytes" '[46,0,64576]' "$(row write '.count, .errors, .bytes')"
same "reads and theirs, of files alone" '[7,0,35000]' "$(row read '.count, .errors, .bytes' | sed 's/^\[[0-9]*,0,[0-9]*\]$/&/')"
same "fsyncs" '[6,0,null]' "$(row fsync '.count, .errors, .bytes')"
same "splices of a file into a pipe" '[5,0,3500]' "$(row copy '.count, .errors, .bytes')"
same "opens that failed" 3 "$(row open '.errors' | tr -d '[]')"
same "with --all: what went through the pipe, too" '[546,69576]' "$(row write '.count, .bytes' "$tmp/all")"
if [ -n "$slow" ]; then
	check "fsync: p50 and max as slow as the disk" sh -c "jq -e '.rows[] | select(.op == \"fsync\") | .p50 >= 30000000 and .max >= 30000000 and .total >= 180000000' '$tmp/json'"
	of() { row fsync "$1" | tr -d '[]'; }
	in_range "all six in no more time than the program ran" 180000000 "$took" "$(of .total)"
	in_range "the longest in what the other five left of it" 30000000 $((took - 150000000)) "$(of .max)"
	in_range "p99 in that bucket" 20000000 $((took - 150000000)) "$(of .p99)"
	same "no bucket of less than the disk takes" 6 "$(of '([.buckets[] | select(.[1] >= 30000000) | .[2]] | add)')"
	check "write: faster than the disk, to its cache" sh -c "jq -e '.rows[] | select(.op == \"write\") | .p50 < 10000000' '$tmp/json'"
fi
same "nothing is slower than 10 s: heads alone" 1 "$(wc -l < "$tmp/never")"
if [ -n "$n" ]; then same "no name was looked up" "$n" "$(names)"; else note "no kprobe on ctrace_fd_name: $(cat "$tmp/kp")"; fi
same "nothing was lost, so nothing is said of it" 0 "$(grep -c 'counted' "$tmp/json.err")"
has "and one of lines" '^ctrace: 0 events.* 0 lost' "$tmp/never.err"

if [ -n "$slow" ]; then
	start two
	ctrace files "cid:$cid" --slower 20ms > "$tmp/slow" 2> "$tmp/slow.err" & a=$!
	ctrace files "cid:$cid" --slower 20ms --json > "$tmp/slow.json" 2> "$tmp/slow.err" & b=$!
	ctrace files "cid:$cid" --hist > "$tmp/hist" 2> "$tmp/hist.err" & c=$!
	recording 3
	end "$a" "$b" "$c"
	note "$(cat "$tmp/slow")"
	has "heads" '^CONTAINER +TIME +COMM +PID +OP +BYTES +LAT\(ms\) +ERR +FILENAME$' "$tmp/slow"
	same "each fsync is slow, with the file's name" 6 "$(grep -cE "^[^ ]+ +[0-9:.]+ perl +$pid +fsync +- +[0-9]+\\.[0-9]+ - +$slow/a file\$" "$tmp/slow")"
	check "and takes as long as the disk" sh -c "jq -s -e '[.[] | select(.op == \"fsync\") | .duration >= 30000000] | length == 6 and all' '$tmp/slow.json'"
	has "--hist: a histogram of an operation" '^container = .*, operation = fsync$' "$tmp/hist"
	has "in bcc's form" '^ +usecs +: count +distribution' "$tmp/hist"
fi
# of a recording: the same, if it has the names of descriptors
start three
ctrace files "cid:$cid" --json > "$tmp/json" 2> "$tmp/json.err" & a=$!
ctrace record -o "$tmp/t" -e calls --fds "cid:$cid" 2> "$tmp/t.err" & b=$!
ctrace record -o "$tmp/u" -e calls "cid:$cid" 2> "$tmp/u.err" & c=$!
ctrace record -o "$tmp/v" -e syscalls --fds "cid:$cid" 2> "$tmp/v.err" & d=$!
recording 4
end "$a" "$b" "$c" "$d"
# it looks whether it may go, until it may
rows() { jq -c "$sorted"' .rows | map(select(.op != "stat") | sorted) | sort_by(tostring) | .[]' "$1"; }
ctrace files --input "$tmp/t" "cid:$cid" --json > "$tmp/recorded" 2> "$tmp/err"
same "recorded: status" 0 $?
rows "$tmp/json" > "$tmp/a"
rows "$tmp/recorded" > "$tmp/b"
note "$(cut -c 1-200 "$tmp/a")"
check "recorded: the same rows" diff "$tmp/a" "$tmp/b"
same "recorded: writes" '[46,0,64576]' "$(row write '.count, .errors, .bytes' "$tmp/recorded")"
at_least "recorded: a file that was closed" 1 "$(row close '.count' "$tmp/recorded" | tr -d '[]')"
ctrace files --input "$tmp/u" --all "cid:$cid" --json > "$tmp/all" 2> "$tmp/err"
same "recorded, with --all: the pipe, too" '[546,69576]' "$(row write '.count, .bytes' "$tmp/all")"
ctrace files --input "$tmp/t" --slower 1us "cid:$cid" --json > "$tmp/lines" 2> "$tmp/err"
note "$(cat "$tmp/err"; head -n 3 "$tmp/lines")"
same "recorded: a line for each fsync, with its file" 6 "$(jq -r 'select(.op == "fsync") | .filename' "$tmp/lines" | grep -c '/a file$')"
same "recorded: and for each write into a file" 46 "$(jq -r 'select(.op == "write") | .filename' "$tmp/lines" | wc -l)"
same "recorded: and their bytes" 64576 "$(jq -s '[.[] | select(.op == "write") | .bytes] | add' "$tmp/lines")"
same "recorded: and for each open that failed" "ENOENT ENOENT ENOENT" "$(jq -r 'select(.op == "open" and .errno != null) | .errno' "$tmp/lines" | xargs)"
refuse "a recording without names" 'record --fds' ctrace files --input "$tmp/u"
refuse "a recording of entries and exits" 'Record whole calls' ctrace files --input "$tmp/v"

refuse "a time that is none" 'not a duration' ctrace files --slower soon
refuse "--slower with --hist" 'choose one' ctrace files --slower 1ms --hist
refuse "--slower with --top" 'is for tables' ctrace files --slower 1ms --top 3
refuse "-e" 'has its own calls' ctrace files -e read
refuse "an unknown option" 'unknown option' ctrace files --no-such
ctrace files --explain > "$tmp/out"
has "--explain: calls share a table" '^probe +call:[a-z0-9_,]*,fsync,' "$tmp/out"
same "one" 1 "$(grep -c '^probe *call:' "$tmp/out")"
evdump -e call:read,write -- cat /etc/passwd > "$tmp/ev" 2> "$tmp/err"
same "a probe of two calls" "read write" "$(grep -o ' syscall_[a-z0-9]* ' "$tmp/ev" | sort -u | sed 's/syscall_//' | xargs)"
refuse "a list with a call that is none" "no system call 'nosuch'" evdump -t all -d 1 -e call:read,nosuch
refuse "and one without" "no system call ''" evdump -t all -d 1 -e call:read,
ctrace files -- true > "$tmp/out" 2>&1
has "a command" '^CONTAINER +OP +COUNT +ERRORS +BYTES +TOTAL +P50 +P99 +MAX$' "$tmp/out"
