#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: page_fault: as many as /proc counts for the task, minor and major ones
# witness: the kernel's own counts in /proc/self/stat and getrusage(); a mapped null_blk of 5 ms
# requires: v2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v perl > /dev/null || skip "no perl to touch memory"
load
# pages of the usual size, each with its fault
thp=/sys/kernel/mm/transparent_hugepage/enabled
if [ -e $thp ]; then
	later "echo $(sed 's/.*\[\(.*\)\].*/\1/' $thp) > $thp"
	echo never > $thp
fi
# A program that touches 2000 new pages (8 MB), and prints the kernel's count of that time.
# shellcheck disable=SC2016 # perl's
program='$| = 1; my $n = 8192000; sub c { open my $f, "<", "/proc/self/stat"; my @w = split / /, (<$f> =~ s/.*\) //r); "$w[7] $w[9]" }
	c(); select undef, undef, undef, 0.05 until -e "'$tmp'/go"; my @b = split / /, c(); my $x = "x" x $n;
	my @e = split / /, c(); print $e[0] - $b[0], " ", $e[1] - $b[1], "\n"; open my $d, ">", "'$tmp'/done"; close $d; sleep 1000'
cheap toucher -g "/box/$(hex64 toucher)" -- perl -e "$program"
cid=$(of_pid "$pid" cid) tid=$pid
sleep 0.3
dump "$tmp/ev" -v -t all -e page_fault
: > "$tmp/go"
wait_for 30 test -e "$tmp/done" || give_up "it did not touch its memory: $(cat "$tmp/toucher.out")"
stop_dump
read -r minor major < "$tmp/toucher.out"
grep " page_fault cid=$cid " "$tmp/ev" > "$tmp/its"
note "kernel: minor $minor major $major; $(head -n 2 "$tmp/its"); $(tail -n 2 "$tmp/ev.err")"
seen=$(grep -c ' major=0$' "$tmp/its")
at_least "minor faults by /proc" 2000 "$minor"
# what it did before it asked and after is more, not less: a few
at_least "ours, of $minor" "$minor" "$seen"
at_least "and not many more" 1 "$((seen <= minor + 200))"
same "tasks that had them" "$tid" "$(grep -oE ' tid=[0-9]+' "$tmp/its" | sort -u | tr -dc '0-9\n' | xargs)"
same "faults without a duration" 0 "$(grep -c ' duration=0 ' "$tmp/its")"
has_not "no kernel address" " address=0x[8-f][0-9a-f]{15} " "$tmp/ev"
at_least "pages, by their addresses" 2000 \
	"$(sed -nE 's/.* address=(0x[0-9a-f]+)[0-9a-f]{3} .*/\1/p' "$tmp/its" | sort -u | wc -l)"

# Major ones: a file that is mapped and not in memory. It needs a disk.
disk=
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=5000000 submit_queues=1 gb=1 2> /dev/null && disk=/dev/nullb0
if [ -n "$disk" ]; then
	later "rmmod null_blk"
	dump "$tmp/ev" -t all -e page_fault
	echo 3 > /proc/sys/vm/drop_caches
	majors "$disk" 20 > "$tmp/majors"
	stop_dump
	read -r pid majors < "$tmp/majors"
	grep " tid=$pid .* major=1$" "$tmp/ev" > "$tmp/its"
	note "$(head -n 3 "$tmp/its")"
	at_least "major faults by getrusage()" 10 "$majors"
	at_least "ours" "$majors" "$(wc -l < "$tmp/its")"
	at_least "as long as the disk takes, with all tries" "$majors" \
		"$(sed -nE 's/.* duration=([0-9]+) .*/\1/p' "$tmp/its" | awk '$1 >= 4900000' | wc -l)"
else
	note "no null_blk: no major faults"
fi
