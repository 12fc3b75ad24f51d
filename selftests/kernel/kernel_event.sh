# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2086,SC2034 # tmp and tracefs (a word) are of lib.sh
# kernel_event.sh: the kernel's own kprobe events, of the same definitions and in the same run, as
# a witness. Source it after lib.sh.

tracefs_mount
[ -e $tracefs/kprobe_events ] || skip "no kprobe events in tracefs"
# $comm and numbers in hexadecimal, which all of these tests have
if ! echo "p:asked do_exit x=%$reg1:x8 \$comm" >> $tracefs/kprobe_events; then
	skip "the witness's language is too old (before 4.8)"
fi 2> /dev/null
echo -:asked >> $tracefs/kprobe_events

witness_off() {
	echo 0 > $tracefs/events/enable
	: > $tracefs/kprobe_events
	: > $tracefs/trace
}
# in_its_words DEFINITION: in the language of this kernel's events. Before 5.3 these read a user's memory as the kernel's;
# before 4.20 they know a function's arguments by their registers alone, and no arrays: those are left out.
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
# left_out DEFINITION: the names of its arrays, where in_its_words leaves them out
left_out() { grep -q array-size $tracefs/README || grep -oE ' [^ =]*=[^ ]*\[[0-9]+\]' <<< "$1" | sed 's/=.*//'; }

# witness p:NAME... or r:NAME...: the kernel's event of that definition, on from now
witness() {
	local def
	later witness_off
	# as a boot leaves it, whatever other tests did
	echo nop > $tracefs/current_tracer
	[ ! -e $tracefs/set_event_pid ] || : > $tracefs/set_event_pid
	: > $tracefs/trace
	echo 1 > $tracefs/tracing_on
	def=$(in_its_words "$1")
	unseen="$unseen$(left_out "$1")"
	echo "${def/:/:witness/}" >> $tracefs/kprobe_events || give_up "the kernel refuses '$def': $(tail -n 4 $tracefs/error_log 2>&1)"
	echo 1 > $tracefs/events/witness/enable
}
# plain: one form for both: no quotes, no braces, 0 for 0x0
plain() { sed -E 's/["{}]//g; s/([=,])0x0\>/\10/g; s/ +$//'; }
# witnessed NAME TID: the arguments of its hits by the task, a line each. To read is to be traced: off first.
witnessed() {
	echo 0 > $tracefs/events/enable
	sed -nE "s/.*-$2 +\[.* $1: \([^)]*\) ?//p" $tracefs/trace | plain
}
# recorded NAME FILE [TID]: the same of evdump's FILE
recorded() { grep -E "^[0-9]+ $1 cid=[0-9]+ tid=${3:-[0-9]+} " "$2" | sed -E 's/.* vtid=[0-9]+ ?//' | plain; }
# tid_of NAME FILE: whose first event NAME in FILE is
tid_of() { sed -nE "s/^[0-9]+ $1 .* tid=([0-9]+) .*/\1/p" "$2" | head -n 1; }

unseen=''	# arguments that the witness has not
# agree WHAT NAME FILE: both saw the same hits of the one task that made them, and some. Hits with a
# string that was not there are left out: of numbers there the kernel's event has whatever its buffer had.
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
