#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the module is unloaded and loaded while containers come and go and tools open the device and the netlink family
# witness: rmmod and insmod, while tools open the device and the family
# requires: any,torture
# kernels: 6.1
# timeout: 180
# torture: 600
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

times=$(long 10 200) most=$(long 40 500)
unload || give_up "it was loaded and does not go"
churn -x -b 1 -t 2 -k 1 -s 1000 > "$tmp/churn" 2>&1 & churn=$!
later "kill $churn; wait $churn"
counted 0 1000000000 & later "kill $!; wait $!"
autoloaded=0 busy=0
# A tool that opens the device loads the module. Then there is nothing to insert.
load_it() { insmod "$module" 2> "$tmp/insmod" || { grep -q 'File exists' "$tmp/insmod" && autoloaded=$((autoloaded + 1)); }; }
# rmmod is refused while a tool has the device open.
unload_it() {
	local end=$((SECONDS + 90))
	until rmmod ctrace 2> "$tmp/rmmod"; do
		grep -q 'in use\|busy\|temporarily\|not currently loaded' "$tmp/rmmod" || return 1
		busy=$((busy + 1))
		sleep 0.01
		[ $SECONDS -lt $end ] || return 1
	done
}
began=$SECONDS
# A slow machine does fewer rounds, but at least three.
for ((i = 1; i <= times && (i <= 3 || SECONDS - began < most); i++)); do
	load_it || give_up "insmod number $i: $(cat "$tmp/insmod")"
	# Some rounds unload at once, during the tools' first steps.
	[ $((i % 3)) = 0 ] || sleep "0.0$((i % 10))"
	unload_it || give_up "rmmod number $i: $(cat "$tmp/rmmod")"
	[ $((i % $(long 1 10))) != 0 ] || note "$i times in $((SECONDS - began)) s, $busy times refused"
done
kill $churn
wait $churn || not_ok "churn: status $?"
note "$(cat "$tmp/churn")"
has "nothing unexpected" '^unexpected 0' "$tmp/churn"
at_least "times out and in" 3 $((i - 1))
ok "$autoloaded times a tool had loaded it, $busy times one held it"
