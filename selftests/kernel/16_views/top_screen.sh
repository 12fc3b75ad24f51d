#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace top on a terminal: two sizes, resized; processes, threads, calls; order, names; Ctrl-C gives the terminal back
# witness: schedstat, dd's blocks, counted, the cgroup's files; tmux
# columns: top: PID TID RSS COMMAND CALLS ERRORS TOTAL AVG P99 MAX SYSCALL
# requires: any,torture
# timeout: 150
# shellcheck disable=SC2016 # awk's own dollars
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v tmux > /dev/null || skip "no tmux"
export LC_ALL=C.UTF-8
# screen FILE; shows PATTERN: the screen has a line like it now; keys KEY...
t() { tmux -u -L "ctrace$$" "$@"; }
screen() { t capture-pane -p -t top > "$tmp/screen"; }
shows() { screen && grep -qE -e "$1" "$tmp/screen"; }
keys() { t send-keys -t top "$@"; }
# sees WHAT PATTERN: soon there is a line like it
sees() { if wait_for 5 shows "$2"; then ok "$1"; else not_ok "$1: no line like '$2'"; note "$(grep . "$tmp/screen")"; fi; }

name=$(hex64 topspin)
cheap spin -g "/box/$name" -- bash -c 'while :; do kill -0 0; done'
name=${name:0:12}
naps=$(hex64 topnaps) spin=$pid
cheap naps -g "/box/$naps" -- waits sleep 100000 20
naps=${naps:0:12} naps_pid=$pid pid=$spin
later "t kill-server"
t -f /dev/null new-session -d -s top -x 80 -y 24 "sh -c 'trap : INT; stty -g > $tmp/before; ctrace top -v --interval 0.3 --sort name; echo status \$?; stty -g > $tmp/after; exec sleep 1000'"
sees "the head at 80 columns: what matters more" '^ *CPU% +WAIT% .*NAME'
has_not "the image has no room there" 'IMAGE' "$tmp/screen"
sees "the container" "$name"
sees "and the host" ' host'
same "no line is longer, the keys are in the last one" "1 24" "$(awk 'length > 80 {n++} END {print !n, NR}' "$tmp/screen")"
has "the keys" '^q quit' "$tmp/screen"
t resize-window -t top -x 150 -y 40
sees "at 150 columns there is more" 'CALLS/s .*NAME'
same "40 lines" 40 "$(wc -l < "$tmp/screen")"
t resize-window -t top -x 40 -y 10
sees "at 40 columns there is less" '^ *CPU% .*NAME'
same "no line is longer than 40" 0 "$(awk 'length > 40' "$tmp/screen" | wc -l)"
t resize-window -t top -x 132 -y 40
keys h
sees "help" '^Enter +its processes'
keys x
keys /
keys -l "$name"
sees "text is asked for" "^name has: ${name}_"
keys Enter
sees "one name alone" '^ctrace top .* 1 containers'
keys Enter
sees "its processes" '^ctrace top .* processes'
sees "the one that spins: its number, most of a CPU" "^ *$pid +[0-9]{2,}\.[0-9] .* bash"
keys Enter
sees "its threads" "^ *$pid +$pid +[0-9]{2,}\.[0-9] "
keys Enter
sees "its calls: kill, often" '^ *[0-9]{2,} +0 .* kill$'
keys Escape
sees "back at the threads" '^ctrace top .* threads'
keys Escape
sees "at the processes" '^ctrace top .* processes'
keys Escape
sees "at the containers" '^ctrace top .* containers'
keys Escape
sees "all names again" ' host'
# one that sleeps for 20 ms, again and again
keys /
keys -l "$naps"
keys Enter
sees "another one alone" '^ctrace top .* 1 containers'
keys Enter
sees "its process" "^ *$naps_pid .* waits"
rss=$(awk -v pid="$naps_pid" '$1 == "PID" {for (i = 1; i <= NF; i++) if ($i == "RSS") c = i} $1 == pid {print $c}' "$tmp/screen" | numfmt --from=iec)
n=$(($(awk '{print $24}' "/proc/$naps_pid/stat") * $(getconf PAGESIZE)))
in_range "its memory, as in /proc/PID/stat" $((n * 9 / 10)) $((n * 11 / 10)) "$rss"
keys Enter
keys Enter
sees "its calls" '^ *[0-9]+ +0 .* nanosleep$'
awk '$NF == "nanosleep"' "$tmp/screen" > "$tmp/naps"
# one task: however many sleeps of 20 ms in the interval, they are no shorter, and together no longer than the program lived
check "how many, and how long: $(cat "$tmp/naps")" awk -v most=$((SECONDS + 1)) '
	function ms(s) {return s + 0 ? (s ~ /ms$/ ? s + 0 : s ~ /us$/ ? s / 1e3 : s ~ /ns$/ ? s / 1e6 : s * 1e3) : 0}
	{n++; calls = $1; total = ms($3); avg = ms($4); p99 = ms($5); max = ms($6)}
	END {exit !(n == 1 && calls > 0 && calls * 19.9 <= total * 1.01 && total <= most * 1000 && avg >= 19.9 && avg <= max * 1.01 &&
		p99 >= 13 && p99 <= max * 1.01 && max >= 19.9 && max <= most * 1000)}' "$tmp/naps"
keys Escape
keys Escape
keys Escape
sees "back again" '^ctrace top .* containers'
keys Escape
sees "with all" ' host'
keys p
sees "paused" '^ctrace top .* paused'
keys p
keys d
keys -l 5m
keys Enter
sees "another interval" '^ctrace top .* every 300s|every 300\.'
keys C-c
sees "Ctrl-C ends it, and the screen is what it was" '^status 0'
sees "the account" 'events counted'
wait_for 5 test -s "$tmp/after"
same "the terminal's modes are what they were" "$(cat "$tmp/before")" "$(cat "$tmp/after")"
