#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container with the host's pids that is older than the module does not adopt a pid namespace made in it
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v perl > /dev/null || skip "no perl"
unload || give_up "it was loaded and does not go"
path=/box/docker-$(hex64 older-hostpid).scope
# It makes a pid namespace without executing anything, and ends it, as a browser's sandbox does.
# shellcheck disable=SC2016 # for perl
cheap box -H -g "$path" -- perl -e '
	my ($dir, $nr) = @ARGV;
	sub until_there { select undef, undef, undef, 0.1 until -e "$dir/$_[0]" }
	sub call { system "counted", $_[0], 5 }
	until_there "begin";
	my $child = syscall $nr, 0x20000000 | 17, 0, 0, 0, 0;	# clone(), CLONE_NEWPID | SIGCHLD
	if (!$child) { until_there "end"; exit 0 }
	die "clone: $!" if $child < 0;
	open my $f, ">", "$dir/made"; close $f;
	waitpid $child, 0;
	open $f, ">", "$dir/ended"; close $f;
	until_there "call"; call 81;
	sleep 1000;' "$tmp" "$(case $(uname -m) in aarch64) echo 220;; *) echo 56;; esac)"
load
cid=$(of_path "$path" cid)
at_least "it is known" 1 "$cid"
subscribe | awk -v c="$cid" '$2 == c' > "$tmp/line"
has "it is flagged as sharing the host's pids" "^has $cid 0 [0-9]+ [0-9]+ 0x[2367abef] " "$tmp/line"
: > "$tmp/begin"
wait_for 10 test -e "$tmp/made" || give_up "no pid namespace: $(cat "$tmp/box.out")"
subscribe | awk -v c="$cid" '$3 == c' > "$tmp/inner"
same "the namespace is a container in it" 1 "$(wc -l < "$tmp/inner")"
: > "$tmp/end"
wait_for 10 test -e "$tmp/ended"
inner=$(awk '{print $2}' "$tmp/inner")
swept() { ! subscribe | grep -q "^has $1 "; }
wait_for 10 swept "${inner:-none}"
same "when that has ended, it lives on" "$cid" "$(of_path "$path" cid)"
dump "$tmp/ev" -d 600 -t all -e syscall:getpriority
: > "$tmp/call"
wait_for 10 lines 5 'entry.*who=81( |$)' "$tmp/ev"
stop_dump
same "and its calls are its own" "$cid" "$(cids "$tmp/ev" 'entry.*who=81( |$)')"
