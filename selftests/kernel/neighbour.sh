# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # for those who source it, and what lib.sh has
# neighbour.sh: what the tests of spared tasks share. Source it after lib.sh.

# waiter NAME: starts a shell of the host, whose number is in $waiter. It makes calls all the time.
# tell NAME WORDS: that shell evaluates the words
waiter() {
	mkfifo "$tmp/$1"
	bash -c 'exec 3<> "$1"
		while :; do
			if [ -e "$1.words" ]; then words=$(< "$1.words"); rm "$1.words"; eval "$words"; fi
			read -r -t 0.02 -u 3
		done' waiter "$tmp/$1" &
	waiter=$!
	later "kill -9 $waiter"
}
tell() {
	echo "$2" > "$tmp/$1.new"
	mv "$tmp/$1.new" "$tmp/$1.words"
	while [ -e "$tmp/$1.words" ]; do sleep 0.02; done
}

# spared: prints how many tasks are; why: why none is
spared() { ctrace status --json | jq .module.spared; }
why() { ctrace status --json | jq -r '.module.spared_why // empty'; }
some_spared() { [ "$(spared)" -gt "${1:-0}" ]; }
none_spared() { [ "$(spared)" = 0 ]; }

# The function of the kernel's slow path, which a call takes only if its task has the flag: slow PID SECONDS prints how many
# of a task's calls took it. slow_begin fails if there is no such function here, so that only the module's own word can be had.
slow_function=$(awk '$3 ~ /^(syscall_trace_enter|syscall_trace_enter_phase1)(\.|$)/ {print $3; exit}' /proc/kallsyms)
slow_begin() {
	tracing on 2> /dev/null
	[ -n "$slow_function" ] && echo "p:ctrace_slow $slow_function" >> "$tracefs/kprobe_events" 2> /dev/null || return 1
	later "echo -:ctrace_slow >> $tracefs/kprobe_events"
	slow_event=$tracefs/instances/ctrace-test/events/kprobes/ctrace_slow/enable
	later "echo 0 > $slow_event"
}
slow() {
	tracing clear
	echo 1 > "$slow_event"
	sleep "$2"
	echo 0 > "$slow_event"	# who reads it makes calls, too
	tracing read | grep -c -- "-$1 .*ctrace_slow"
}
