#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the state dump has the descriptors of /proc, with the names that calls have, if the session wants names, and no neighbour's
# witness: /proc/PID/fdinfo; the names of calls on each of them; another root, threads that share a table
#	or have their own, a process whose first thread has ended; a neighbour; a session that wants no names
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap box -n box -- /bin/sh -c "sleep 1000 & exec opened $tmp/dir"
cheap other -n other -- opened "$tmp/neighbour" headless
for c in box other; do wait_for 20 grep -qx ready "$tmp/$c.out" || give_up "opened: $(cat "$tmp/$c.out")"; done
other=$pid pid=$(cat "$tmp/box.pid")
cid=$(of_pid "$pid" cid)

# shown PID...: every descriptor as /proc shows it: tid, number, flags; threads that share a table once
shown() {
	local p t f told
	for p; do
		told=' '
		# One thread shares with the first, the other has one file more. So tables of one size are the same.
		for t in "/proc/$p/task"/*/; do
			f=$(find "${t}fdinfo" -type f 2> /dev/null | wc -l)
			if [ "$f" = 0 ] || [[ $told = *" $f "* ]]; then continue; fi
			told+="$f "
			for f in "${t}fdinfo"/*; do
				echo "$(basename "$t") ${f##*/} $((0$(awk '/^flags:/ {print $2}' "$f")))"
			done
		done
	done | sort
}
# dumped_fds FILE [CID]: the same of the dump
dumped_fds() {
	sed -n "s/.* lttng_statedump_file_descriptor cid=${2:-[0-9]*} tid=\([0-9]*\) .* fd=\([0-9]*\) flags=\([^ ]*\) fmode.*/\1 \2 \3/p" "$1" |
		while read -r t n f; do echo "$t $n $((f))"; done | sort
}

dump "$tmp/ev" -P -S -t "cid:$cid" -e call:fcntl
wait_for 10 lines 1 statedump_end "$tmp/ev"
kill -USR1 "$pid"
wait_for 10 lines 2 'syscall_fcntl .* fd=1023 ' "$tmp/ev"
stop_dump
children=$(pgrep -P "$pid")
# shellcheck disable=SC2086 # words
shown "$pid" $children > "$tmp/shown"
dumped_fds "$tmp/ev" > "$tmp/dumped"
at_least "descriptors to compare" 60 "$(wc -l < "$tmp/shown")"
check "the dump has /proc's: threads, numbers and flags" diff "$tmp/shown" "$tmp/dumped"
# shellcheck disable=SC2086 # words
same "of all it says the process" "$(printf '%s\n' "$pid" $children | sort -n | xargs)" \
	"$(sed -n 's/.*file_descriptor .* pid=\([0-9]*\) .*/\1/p' "$tmp/ev" | sort -nu | xargs)"
sed -n 's/.* syscall_fcntl cid=[0-9]* tid=\([0-9]*\) .* fd=\([0-9]*\) .*fd_path=\(".*"\)$/\1 \2 \3/p' "$tmp/ev" | sort -u > "$tmp/called"
tids=$(cut -d' ' -f1 "$tmp/called" | sort -u | paste -sd'|')
sed -n 's/.* lttng_statedump_file_descriptor cid=[0-9]* tid=\([0-9]*\) .* fd=\([0-9]*\) .* filename=\(".*"\)$/\1 \2 \3/p' "$tmp/ev" |
	grep -E "^($tids) " | sort > "$tmp/named"
at_least "names to compare" 60 "$(wc -l < "$tmp/called")"
check "the names that calls have" diff "$tmp/called" "$tmp/named"
# what these are, lest both be wrong
for n in '/inside' '/is' '/sub/deleted \(deleted\)' '/' '/dev/null' 'pipe:\[[0-9]+\]' 'TCP:\[0\.0\.0\.0:[0-9]+\]' 'net:\[[0-9]+\]' "$tmp/dir/outside" \
	'anon_inode:\[eventfd\]' $(kernel_before 5.3 || echo 'pid:1') '/x{200}/x{53}' '\.\.\./x{54}' 'UNIX(-STREAM)?:\[[0-9]+->[0-9]+\]' '/own'; do
	has "a name: $n" "file_descriptor .* filename=\"$n\"\$" "$tmp/ev"
done
same "the file that one thread has: once" 1 "$(grep -c 'file_descriptor .*filename="/own"' "$tmp/ev")"
has_not "nothing of the neighbour" "neighbour|statedump.* pid=$other " "$tmp/ev"
has_not "every record decodes" undecodable "$tmp/ev"
same "all before the dump's end" lttng_statedump_end "$(grep -E 'file_descriptor|statedump_end' "$tmp/ev" | tail -n 1 | cut -d' ' -f2)"

evdump -P -S -t all -d 1 > "$tmp/ev" 2> "$tmp/err"
check "of everything: the box's are its" diff "$tmp/shown" <(dumped_fds "$tmp/ev" "$cid")
shown "$other" > "$tmp/shown"
others=$(cids "$tmp/ev" 'file_descriptor .*filename="[^"]*/neighbour/')
check "the neighbour's are another's ($others)" test "$others" != "$cid" -a "$others" -gt 0
check "and these, although its first thread has ended" diff "$tmp/shown" <(dumped_fds "$tmp/ev" "$others")
exec 9< "$0"
evdump -P -S -t host -d 1 > "$tmp/ev" 2> "$tmp/err"
exec 9<&-
has "the host's" "file_descriptor cid=0 tid=$$ .* pid=$$ fd=9 flags=0x[0-9a-f]*8000 .* filename=\".*statedump_fds.sh\"" "$tmp/ev"
evdump -S -t all -d 1 > "$tmp/ev" 2> "$tmp/err"
has "without names: a dump" statedump_end "$tmp/ev"
has_not "without names: no descriptors" file_descriptor "$tmp/ev"

ctrace trace "cid:$cid" -e getpriority --duration 1 --state-dump > "$tmp/out" 2> "$tmp/err"
has "trace" "lttng_statedump_file_descriptor pid=$pid fd=[0-9]+ flags=.* filename=\"/sub/deleted \(deleted\)\"" "$tmp/out"
ctrace trace "cid:$cid" -e getpriority --duration 1 --state-dump --no-fds > "$tmp/out" 2> "$tmp/err"
has_not "trace --no-fds" file_descriptor "$tmp/out"
