#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: filters on whose event it is, for a session and for a probe: comm, uid, gid, tid, vtid, pid, cid, cpu
# witness: an unfiltered recorder beside it, and awk to compare; a known number of marked calls by known
#	users
# requires: any
# timeout: 90
# processors: its programs are pinned to either of them
# shellcheck disable=SC2016 # the $words of expressions
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# mktemp's directory is open to root alone, but another user has to execute these programs.
chmod 755 "$tmp"
for name in alpha beta; do cp "$(command -v counted)" "$tmp/$name"; done
# This program waits, so that its pid is known before a filter is made with it.
mkfifo "$tmp/go"
sh -c "read -r x < $tmp/go; exec $tmp/beta 6 3 0 2" &
known=$!
later "kill $known"
get=syscall:getpriority
recorder all -t all -e $get
recorder comm -t all -e $get -F '$comm ~ "al*"'
recorder uid -t all -e $get -f '$uid == 1234 && $gid != 2345'
recorder gid -t all -e $get -F '$uid == 1234' -f '$gid == 2345'
recorder pid -t all -e $get -F "\$pid == $known"
recorder tid -t all -e $get -F "\$pid == $known && \$tid == $known"
recorder cid -t all -e $get -F '$cid > 0' -f '$vtid == 1'
recorder cpu -t all -e $get -F '!($cpu & 1)'

"$tmp/alpha" 1 3
setpriv --regid 2345 --clear-groups "$tmp/beta" 2 3
setpriv --reuid 1234 --clear-groups "$tmp/beta" 3 3
setpriv --reuid 1234 --regid 2345 --clear-groups "$tmp/beta" 4 3
ctbox -g "/box/$(hex64 context)" -- "$tmp/alpha" 5 3 2
echo > "$tmp/go"
wait "$known"
taskset -c 0 "$tmp/beta" 7 3
taskset -c 1 "$tmp/beta" 8 3
# $uid and $gid are the real ones: these two have others in effect only.
setpriv --reuid 1234 --egid 2345 --clear-groups "$tmp/beta" 9 3
setpriv --euid 1234 --rgid 2345 --clear-groups "$tmp/beta" 10 3
for pid in $recorders; do kill "$pid"; wait "$pid"; done

# calls FILE: prints "number:entries/exits" for each marked call; an exit belongs to the entry before it with
# the same tid
calls() {
	awk '/ syscall_entry_getpriority .*which=1296126539 / {sub(/.*who=/, ""); n = $1; entry[n]++}
		/ syscall_exit_getpriority / && n {left[n]++}
		END {for (n = 1; n < 11; n++) if (entry[n]) printf "%d:%d/%d ", n, entry[n], left[n]}' "$tmp/$1"
}
same "all" "1:3/3 2:3/3 3:3/3 4:3/3 5:9/9 6:9/9 7:3/3 8:3/3 9:3/3 10:3/3 " "$(calls all)"
same "comm" "1:3/3 5:9/9 " "$(calls comm)"
same "uid, and not that gid" "3:3/3 9:3/3 " "$(calls uid)"
same "uid of the session, gid of the probe" "4:3/3 " "$(calls gid)"
same "pid, with its threads" "6:9/9 " "$(calls pid)"
same "pid and tid" "6:3/3 " "$(calls tid)"
same "any container, its init alone" "5:3/3 " "$(calls cid)"
# The scheduler decides where the others run.
has "cpu 0" ' syscall_entry_getpriority .*who=7$' "$tmp/cpu"
has_not "not cpu 1" ' syscall_entry_getpriority .*who=8$' "$tmp/cpu"
