#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what users of strace, perf, docker and top type works where it means the same here; else one line says what to type
# witness: programs whose marked calls are known; du; the same question in ctrace's own words
# requires: any
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
docker_box web "while :; do counted 77 5; : < /etc/passwd; sleep 0.2; done"
web=$pid cid=$(of_pid "$pid" cid)
docker_box other 'sleep 1000'
cd "$tmp" || exit

# a process, as strace has it
for line in "trace -p $web" "trace -p$web" "-p $web" "-f -p $web" "trace -f -tt -T -y -p $web" "trace -e clone,clone3,fork,vfork,wait4 -p $web"; do
	# shellcheck disable=SC2086 # words
	ctrace $line --json --duration 0.7 > out 2> err
	same "ctrace $line: status" 0 $?
	at_least "of that process's container" 1 "$(grep -c '^{' out)"
	same "and no other" "$cid" "$(jq -r 'select(.event) | .cid' out | sort -u | xargs)"
done
# strace -c: the program makes 300 calls
ctrace trace -c --json -- counted 5 300 > out 2> err
same "trace -c counts" 300 "$(jq -s '[.[].rows[]? | select(.syscall == "getpriority") | .calls] | add' out)"
same "as stats" "Usage: ctrace stats" "$(ctrace -c --help | head -n 1 | cut -d' ' -f1-3)"
# the C library opens files by openat(2)
ctrace trace --json -e trace=open -- cat /etc/passwd > out 2> err
same "-e trace=open has openat, too" '"/etc/passwd"' "$(grep '^{' out | jq -c 'select(.fields.filename == "/etc/passwd") | .fields.filename' | sort -u)"
ctrace trace --json -e open -- cat /etc/passwd > out 2> err
same "-e open is that call alone" 0 "$(grep -c '"filename":"/etc/passwd"' out)"
ctrace trace --all -e getpriority --duration 0.7 > out 2> err
has "--all is all" 'web .*getpriority\(' out
refuse "a program without its --" 'put -- before it: ctrace trace -- cat -A' ctrace trace cat -A /etc/passwd
refuse "one that has no options" 'put -- before it: -- true' ctrace trace true
same "with it, it runs" 0 "$(ctrace trace -o out -- true > /dev/null 2>&1; echo $?)"

# docker and lxc; w* is for ctrace, not for the shell
set -f
for line in ls list 'ps web' 'ls web' 'ps w*' "ps $cid"; do
	# shellcheck disable=SC2086 # words
	ctrace $line --json > out 2> err
	same "ctrace $line: status" 0 $?
	same "has web" "$cid" "$(jq 'select(.name == "web") | .cid' out)"
	case $line in ls | list) same "and all" 2 "$(jq -s length out)";; *) same "alone" 1 "$(jq -s length out)";; esac
done
set +f
refuse "of none" "no container 'wbe' \(did you mean 'web'" ctrace ps wbe
ctrace inspect web > out 2> err
has "inspect" '^web is container ' out
for word in logs attach exec start stop run; do
	refuse "$word: one line says what to type" "unknown command '$word': here it is " ctrace $word web
done
refuse "ps -q" 'ctrace ps --columns id' ctrace ps -q
refuse "trace -q" '2> /dev/null' ctrace trace -q web
refuse "trace -n" 'head -n N' ctrace trace -n 5 web
refuse "trace -d" '[-][-]duration N' ctrace trace -d 5 web
refuse "a letter too many" "did you mean '--duration'" ctrace trace web --durations 5

# top
for line in '--once' '-n 1' '-n 1 -d 0.5' '-d 0.5 -n 1'; do
	# shellcheck disable=SC2086 # words
	ctrace top $line > out 2> err
	same "top $line: status" 0 $?
	same "one table" 1 "$(grep -c 'CPU% ' out)"
done

# perf: a name by itself; its size, as du has it
before=$(date +%Y%m%d)
ctrace record web --duration 0.5 2> err
same "record without -o: status" 0 $?
dir=$(sed -n 's/^ctrace: .*, in \(ctrace-[0-9]*-[0-9]*\)$/\1/p' err)
has "its name is of the day" "^ctrace-($before|$(date +%Y%m%d))-[0-9]{6}\$" <(echo "$dir")
size=$(sed -n 's/.* \([^ ]*\) on disk, .*/\1/p' err)
kb=$(du -sk "$dir" | cut -f1)
in_range "its size in kB, as du has it: $size" $((kb * 9 / 10 - 1)) $((kb * 11 / 10 + 1)) $(($(numfmt --from=iec "$size") / 1024))
events=$(sed -n 's/^ctrace: \([0-9]*\) events* in .*/\1/p' err)
ctrace report --summary "$dir" > out 2> err
has "the summary has as many events, and as many bytes" "^recording +$dir: $events events?, $size on disk, 0 lost\$" out
same "and nothing else is said" '' "$(cat err)"
ctrace report --state-dump "$dir" 2>&1 > /dev/null | tail -n 1 > out
has "report, too" "^ctrace: $events events? from " out
ctrace report "$dir" 2>&1 > /dev/null | tail -n 1 > out
has "and how many of these it does not show" "^ctrace: $events events? from .*, [0-9]+ of them not shown, 0 lost\$" out
babeltrace2 "$dir" > bt 2> /dev/null && same "babeltrace2, too" "$events" "$(wc -l < bt)"
ctrace script "$dir" > out 2> err
same "script: status" 0 $?
has "script shows it" 'getpriority\(' out
has_not "without the state dump" 'statedump' out
ctrace report --state-dump "$dir" > out 2> err
has "which is there for who asks" 'lttng_statedump_process_state' out
ctrace report --html "$dir" 2> err
same "report --html without FILE: status" 0 $?
check "a page of the usual name" grep -q '<html' report.html
rm report.html
ctrace report --html "$dir" web 2> err
check "with a target" grep -q '<html' report.html
refuse "no recording at all" 'needs a directory' ctrace report --html page.html
