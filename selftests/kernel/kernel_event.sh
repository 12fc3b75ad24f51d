# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2086,SC2034 # tmp and tracefs (a word) are of lib.sh
# kernel_event.sh: uses the kernel's own kprobe events as a witness, with the same definitions and in the same
# run. Source it after lib.sh.

tracefs_mount
[ -e $tracefs/kprobe_events ] || skip "no kprobe events in tracefs"
# All these tests use $comm and numbers in hexadecimal.
if ! echo "p:asked do_exit x=%$reg1:x8 \$comm" >> $tracefs/kprobe_events; then
	skip "the witness's language is too old (before 4.8)"
fi 2> /dev/null
echo -:asked >> $tracefs/kprobe_events

witness_off() {
	echo 0 > $tracefs/events/enable
	: > $tracefs/kprobe_events
	: > $tracefs/trace
}
# in_its_words DEFINITION: prints it in the language of this kernel's events. Before 5.3 they read user memory
# as if it were the kernel's. Before 4.20 they know a function's arguments by their registers alone, and know
# no arrays: arrays are left out.
args=("$reg1" "$reg2" "$reg3")
in_its_words() {
	local def=$1 knows i
	knows=$(cat $tracefs/README 2> /dev/null)
	case $knows in *ustring*) ;; *) def=${def//:ustring/:string} def=${def//+u/+};; esac
	# shellcheck disable=SC2016 # the README's own words
	case $knows in *'$arg<N>'*) ;; *) for i in 1 2 3; do def=${def//\$arg$i/%${args[i - 1]}}; done;; esac
	case $knows in *array-size*) ;; *) def=$(sed -E 's/ [^ ]*\[[0-9]+\]//g' <<< "$def");; esac
	echo "$def"
}
# left_out DEFINITION: prints the names of the arrays that in_its_words leaves out
left_out() { grep -q array-size $tracefs/README || grep -oE ' [^ =]*=[^ ]*\[[0-9]+\]' <<< "$1" | sed 's/=.*//'; }

# witness p:NAME... or r:NAME...: turns on the kernel's event with that definition
witness() {
	local def
	later witness_off
	# Leave tracefs as a boot does, whatever other tests did.
	echo nop > $tracefs/current_tracer
	[ ! -e $tracefs/set_event_pid ] || : > $tracefs/set_event_pid
	: > $tracefs/trace
	echo 1 > $tracefs/tracing_on
	def=$(in_its_words "$1")
	unseen="$unseen$(left_out "$1")"
	echo "${def/:/:witness/}" >> $tracefs/kprobe_events || give_up "the kernel refuses '$def': $(tail -n 4 $tracefs/error_log 2>&1)"
	echo 1 > $tracefs/events/witness/enable
}
# plain: brings both sides into one form: no quotes, no braces, 0 for 0x0
plain() { sed -E 's/["{}]//g; s/([=,])0x0\>/\10/g; s/ +$//'; }
# witnessed NAME TID: prints the arguments of the task's hits, one hit a line. Reading would cause hits, so
# the event is turned off first.
witnessed() {
	echo 0 > $tracefs/events/enable
	sed -nE "s/.*-$2 +\[.* $1: \([^)]*\) ?//p" $tracefs/trace | plain
}
# recorded NAME FILE [TID]: prints the same from evdump's FILE
recorded() { grep -E "^[0-9]+ $1 cid=[0-9]+ tid=${3:-[0-9]+} " "$2" | sed -E 's/.* vtid=[0-9]+ ?//' | plain; }
# tid_of NAME FILE: prints the tid of the first event NAME in FILE
tid_of() { sed -nE "s/^[0-9]+ $1 .* tid=([0-9]+) .*/\1/p" "$2" | head -n 1; }

unseen=''	# arguments that the witness has not
# agree WHAT NAME FILE: both sides saw the same hits of the one task that made them, and at least one. Hits
# whose string could not be read are left out: for numbers that cannot be read either, the kernel's event has
# whatever its buffer held.
agree() {
	local tid name
	tid=$(tid_of "$2" "$3")
	recorded "$2" "$3" "$tid" | grep -vF '(fault)' > "$tmp/ours"
	for name in $unseen; do sed -E "s/(^| )$name=[^ ]*//; s/^ //" -i "$tmp/ours"; done
	witnessed "$2" "$tid" | grep -vF '(fault)' > "$tmp/theirs"
	if [ -s "$tmp/ours" ] && cmp -s "$tmp/ours" "$tmp/theirs"; then
		ok "$1: $(wc -l < "$tmp/ours") hits, all as the kernel's: $(head -n 1 "$tmp/ours" | cut -c1-120)"
	else
		not_ok "$1: $(wc -l < "$tmp/ours") hits of ours, $(wc -l < "$tmp/theirs") of the kernel's, or they differ"
		note "$(diff "$tmp/ours" "$tmp/theirs" | grep -m 2 '^<' | cut -c1-400)"
		note "$(diff "$tmp/ours" "$tmp/theirs" | grep -m 2 '^>' | cut -c1-400)"
	fi
}

open_symbol=$(open_function)
