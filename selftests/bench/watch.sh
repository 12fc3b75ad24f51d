# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # from and for guest.sh, which sources it
# watch.sh: what the recorder costs that nobody reads (ctrace watch, as its file comes), and how long a dump takes

# watch_start LINE...: starts it, with these lines in its configuration
watch_start() {
	{ printf '[recorder]\ndirectory = %s\n' "$tmp/dumps"; printf '%s\n' "$@"; } > "$tmp/conf"
	in_tracer ctrace watch --config "$tmp/conf" > "$tmp/watch" 2>&1 &
	pid=$!
	wait_for 60 grep -q watching: "$tmp/watch" || give_up "no watch: $(cat "$tmp/watch")"
}
watch_stop() {
	kill "$pid"
	wait "$pid"
}
# watch_kb: its own memory that is not the file's or the arena's
watch_kb() { awk '/^RssAnon/ {print $2}' "/proc/$pid/status"; }
# watch_calls TOOL: calls and switches in a container
watch_calls() {
	emit part watch tool "$1" work getppid value "$(calls_in_box)"
	emit part watch tool "$1" work openclose value "$(in_box calls 5000 openclose)"
	emit part watch tool "$1" work switch value "$(in_box calls 20000 pingpong)"
}
# watch_share WORK: the share of a CPU in a minute
watch_share() {
	local began
	sleep 30
	began=$(used)
	sleep 60
	emit part watch tool watch work "$1" value $((($(used) - began) / 60))
}
part_watch() {
	local began took dump
	mkdir -p "$cg/tracer" "$cg/own/box"
	hasten
	modprobe ctrace
	tell "watch: calls"
	watch_calls none
	watch_start 'ended = failed' 'oom = yes'
	watch_calls watch
	watch_stop

	tell "watch: idle"
	watch_start 'ended = failed' 'oom = yes'
	watch_share idle-1
	gather 1000
	tell "watch: 1,000 idle containers"
	watch_share idle-1000
	disperse

	# A night's containers: 10,000 that come and go
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		gather 1000
		disperse
		sleep 15	# until it has forgotten them
		tell "watch: after 1,000 more"
		emit part watch tool watch work churn kb "$(watch_kb)" module_kb "$(vmalloc_kb)"
	done

	# Some 20,000 calls a second, and switches, for as long as a dump goes back
	tell "watch: a busy container, for 40 s"
	(in_box perl -e 'while (1) {getppid for 1 .. 5000; select undef, undef, undef, 0.25}') & storm=$!
	(in_box sh -c 'while :; do calls 20 pingpong; sleep 0.05; done' > /dev/null) & storm+=" $!"
	sleep 40
	began=${EPOCHREALTIME/./}
	ctrace watch --config "$tmp/conf" dump all > "$tmp/dump" 2>&1 || give_up "no dump: $(cat "$tmp/dump")"
	took=$(((${EPOCHREALTIME/./} - began) * 1000))
	# disperse has set off others, which are older
	for dump in "$tmp"/dumps/2*-all-*; do :; done
	emit part watch tool watch work dump value $took kb "$(du -sk "$dump" | cut -f1)" \
		events "$(jq .recording.records "$dump/reason.json")"
	tell "watch: $(jq -c '.recording' "$dump/reason.json")"
	echo 1 > "$cg/own/box/cgroup.kill"
	# shellcheck disable=SC2086 # words
	wait $storm
	watch_stop
	unload
}
