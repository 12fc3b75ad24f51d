#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check.sh VIEWER...: runs in root-viewers, without a network. Opens the recording /recording/kernel, or what ctrace makes
# of it, in each viewer, and compares numbers with ctrace's own. Prints KTAP: a result for each viewer.
# shellcheck disable=SC2317 # each viewer's function is called by the loop at the end
set -u
here=$(cd "$(dirname "$0")" && pwd)
# the report, while output goes to files
exec 3>&1
recording=/recording/kernel
tmp=$(mktemp -d)
cd "$tmp" || exit
export HOME=$tmp
# wrong WHAT [FILE]: the viewer shows something else; some lines of FILE are printed
wrong() {
	bad=1
	{
		echo "# $1"
		[ $# = 1 ] || head -n 20 "$2" | cut -c1-300 | sed 's/^/#     /'
	} >&3
}

# same WHAT CTRACE VIEWER: two files have the same lines, in any order, and some
same() {
	sort "$2" > "$2.sorted"
	sort "$3" > "$3.sorted"
	diff "$2.sorted" "$3.sorted" > differ
	if [ -s "$2" ] && [ ! -s differ ]; then
		echo "# $1: $(wc -l < "$2") lines are the same"
	else
		wrong "not the same, or nothing: $1; < is ctrace's, > the viewer's:" differ
	fi
}
# same_text WHAT EXPECTED SEEN
same_text() { [ "$2" = "$3" ] || wrong "$1: expected '$2', seen '$3'"; }
# does COMMAND...: it must end well
does() {
	local status=0
	"$@" 2> said || status=$?
	[ "$status" = 0 ] || wrong "$1 ended with status $status" said
}
# ctraces NAME ARGUMENT...: what ctrace says, in the file NAME
ctraces() { [ -e "$1" ] || does ctrace "${@:2}" > "$1"; }
# counted: counts equal lines
counted() { sort | uniq -c | sed 's/^ *//'; }

# of the recording: its events, and the stacks of its samples
events() { ctraces events report --json "$recording"; }
folded() { ctraces folded flame --folded -o - "$recording"; }
# by_function: reads folded stacks, prints "TOTAL SELF NAME" of each function in them
by_function() {
	awk '{
		n = $NF
		sub(/ [0-9]+$/, "")
		depth = split($0, frame, ";")
		self[frame[depth]] += n
		split("", seen)
		for (i = 1; i <= depth; i++)
			if (!seen[frame[i]]++)
				total[frame[i]] += n
	} END {for (f in total) print total[f], self[f] + 0, f}'
}

babeltrace2() {
	events
	jq -r '"\(.cid) \(.event)"' events | counted > ours
	does command babeltrace2 "$recording" > text
	# process_map serves ctrace alone, to find symbols
	sed -E 's/^[^)]*\) [^ ]+ ([a-z_0-9]+): \{[^}]*\}, \{ cid = ([0-9]+),.*/\2 \1/' text | grep -v ' process_map$' | counted > theirs
	same "events of each kind and container" ours theirs
}
# without_stacks: leaves out what trace.dat has beside an event: its stacks
without_stacks() { grep -vE ' (kernel|user)_stack$'; }
trace_dat() {
	events
	jq -r '"\(.tid) \(.event)"' events | counted > ours
	[ -e trace.dat ] || does ctrace export --trace-dat trace.dat "$recording"
}
trace-cmd() {
	trace_dat
	does command trace-cmd report trace.dat > text
	sed -nE 's/^.*-([0-9]+) +\[[0-9]+\] *[0-9.]+: ([a-z_0-9]+): .*/\1 \2/p' text | without_stacks | counted > theirs
	same "events of each kind and task" ours theirs
}
kernelshark() {
	trace_dat
	does python3 "$here/numbers.py" kshark trace.dat > entries
	without_stacks < entries | counted > theirs
	same "events of each kind and task" ours theirs
}
pprof() {
	folded
	does ctrace flame --pprof -o profile.gz "$recording"
	does go tool pprof -top -nodecount=0 -nodefraction=0 -edgefraction=0 profile.gz > text
	sed 's/^[^;]*;[^;]*;//' folded | by_function > ours
	awk '/ flat% /{on = 1; next} on {n = $4 " " $1; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, ""); print n, $0}' text > theirs
	same "samples of each function" ours theirs
	does go tool pprof -tags profile.gz > text
	awk -F';' '{sub(/.* /, "", $NF); n[$1] += $NF} END {for (c in n) print n[c], c}' folded > ours
	awk '/^ [^ ]*: Total /{on = $1 == "container:"; next} on && NF {print int($1), $NF}' text > theirs
	same "samples of each container" ours theirs
}

# chromium LOG SIZE URL: the document, once its scripts have run. What they print is in LOG
chromium() {
	does timeout 100 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-unsafe-swiftshader \
		--no-first-run --disable-extensions --allow-file-access-from-files --hide-scrollbars --user-data-dir="$tmp/chromium" \
		--enable-logging=stderr --window-size="$2" --virtual-time-budget=10000 --dump-dom "$3"
	# on a busy machine Chromium itself reports a slow network
	grep CONSOLE said | grep -v 'Slow network is detected' > "$1"
}
sizes="400,800 1200,900"
page() {
	local axe=()
	ctraces stats stats --json -i "$recording"
	jq -r '.rows[] | "\(.cid) \(.syscall) \(.calls) \(.errors)"' stats > ours
	does ctrace report --html page.html "$recording"
	[ ! -e /axe/axe.min.js ] || axe=(/axe/axe.min.js)
	mkdir pictures
	python3 "$here/page.py" "$tmp/page.html" ours "$tmp/pictures" "${axe[@]}" > wrongs 2>&1 || wrong "the page" wrongs
}
flame() {
	local size
	folded
	# what stacks have in common is one frame
	awk '{
		n = $NF
		sub(/ [0-9]+$/, "")
		depth = split($0, frame, ";")
		stack = ""
		all += n
		for (i = 1; i <= depth; i++) {
			stack = stack ";" frame[i]
			samples[stack] += n
			at[stack] = i
			name[stack] = frame[i]
		}
	} END {
		print 0, all, "all"
		for (s in samples)
			print at[s], samples[s], name[s]
	}' folded > ours
	does ctrace flame -o flame.svg "$recording"
	for size in $sizes; do
		chromium console "$size" "file://$tmp/flame.svg" > dom
		does python3 "$here/numbers.py" flame dom > theirs
		same "frames ($size)" ours theirs
		same_text "the console ($size)" "" "$(cat console)"
		# its script writes names that fit
		grep -q '<text [^>]*>all</text>' dom || wrong "its script has not run ($size)"
	done
	mkdir flames
	python3 "$here/flame.py" "$tmp/flame.svg" "$tmp/flames" > wrongs 2>&1 || wrong "the flame graph by itself" wrongs
}
speedscope() {
	[ -e /speedscope/index.html ] || { skip='no speedscope: npm could not fetch it'; return; }
	folded
	does ctrace flame --speedscope -o file.json "$recording"
	{ printf 'speedscope.loadFileFromBase64("file.json", "'; base64 -w 0 file.json; echo '")'; } > file.js
	chromium console 1200,2000 "file:///speedscope/index.html#localProfilePath=$tmp/file.js&view=sandwich" > dom
	does python3 "$here/numbers.py" speedscope dom > rows
	grep '^profile ' rows > theirs
	awk -F';' '{sub(/.* /, "", $NF); n[$1] += $NF} END {for (c in n) print "profile", c, n[c]}' folded > ours
	same "samples of each container" ours theirs
	# it shows the first container, and of a long table what fits the window
	grep -v '^profile ' rows > theirs
	awk -F';' -v first="$(jq -r '.profiles[0].name' file.json)" '$1 == first' folded | sed 's/^[^;]*;//' | by_function |
		grep -xFf theirs > ours
	same "samples of each function" ours theirs
	[ "$(wc -l < theirs)" -ge 20 ] || wrong "only $(wc -l < theirs) functions"
}

# analysis NAME: its output, in the file NAME, of a part of the recording
analysis() { does "lttng-$1" --no-progress --no-intersection --gmt --begin "$(at "$begin")" --end "$(at "$end")" "${recording%/*}" > "$1"; }
at() { date -u -d "@${1:0:10}" "+%F %T.${1:10}"; }
# within: the lines that are within the range that the analyses look at, $from to $to. These have 19 digits, and awk's
# numbers are exact to 16: texts are compared.
within() { awk -v from="$from" -v to="$to" '$1 "" >= from "" && $1 "" <= to ""' lines; }
lttng-analyses() {
	local range from to offset one begin end
	events
	# jq's numbers have 17 digits, and a time has 19
	paste -d ' ' <(sed -E 's/.*"realtime":([0-9]+).*/\1/' events) \
		<(jq -r '"\(.event) \(.tid) \(.fields.irq // .fields.next_tid // .fields.diskname // 0)"' events) > lines
	begin=$(head -n 1 lines) end=$(tail -n 1 lines)
	begin=${begin%% *} end=${end%% *} range=$((end - begin))
	end=$((end - range / 4))
	# the range begins within an interrupt, as any range may: with its end
	begin=$(awk -v from=$((begin + range / 4)) '$2 == "irq_handler_exit" && $1 "" >= from "" {print $1; exit}' lines)
	analysis syscallstats
	# "Timerange: [2026-11-25 12:52:34.999550927, 2026-11-25 12:52:37.693784064]"
	range=$(sed -n 's/^Timerange: \[\(.*\)\]$/\1/p' syscallstats)
	from=$(date -u -d "${range%%,*}" +%s%N) to=$(date -u -d "${range##*, }" +%s%N)
	# Each call that was left within the range. A call's task is the one that was switched to, so those before a
	# task's first switch do not count. rt_sigreturn returns as no call.
	awk -v from="$from" -v to="$to" '$1 "" > to "" {exit}
		$2 == "sched_switch" {known[$4] = 1}
		$2 ~ /^syscall_entry_/ && known[$3] {open[$3] = substr($2, 15)}
		$2 ~ /^syscall_exit_/ {
			if ($1 "" >= from "" && (open[$3] == substr($2, 14) || $2 == "syscall_exit_unknown"))
				n[open[$3]]++
			delete open[$3]
		}
		END {for (c in n) if (c != "") print c, n[c]}' lines > ours
	awk '$1 == "-" && $3 ~ /^[0-9]+$/ {n[$2] += $3} END {for (c in n) print c, n[c]}' syscallstats > theirs
	same "calls of each kind" ours theirs
	analysis irqstats
	# each that ended within the range, wherever it began
	awk -v from="$from" -v to="$to" '$1 "" > to "" {exit}
		$2 == "irq_handler_entry" {open[$4] = 1}
		$2 == "irq_handler_exit" && open[$4] {if ($1 "" >= from "") n[$4]++; open[$4] = 0}
		END {for (i in n) print i, n[i]}' lines > ours
	sed -nE 's/^([0-9]+): <[^>]*> +([0-9]+) .*/\1 \2/p' irqstats > theirs
	same "interrupts of each line" ours theirs
	# on CPUs, in percent of the range: by switches, cut at its ends; it shows the first ten tasks. Task 0 is idle
	analysis cputop
	does ctrace export --chrome chrome.json "$recording"
	offset=$(jq -n 'input | .realtime - .time' events)
	sed -nE 's/^[^0-9]* ([0-9.]+) % +.* \(([0-9]+)\) .*/\2 \1/p' cputop | grep -v '^0 ' > theirs
	jq -r --argjson from "$from" --argjson to "$to" --argjson offset "$offset" '
		[.traceEvents[] | select(.cat == "cpu") | {tid: .args.tid, b: (.ts * 1000 + $offset), e: ((.ts + .dur) * 1000 + $offset)}
		| {tid, ran: (([.e, $to] | min) - ([.b, $from] | max))} | select(.ran > 0)]
		| group_by(.tid)[] | "\(.[0].tid) \((map(.ran) | add) / ($to - $from) * 100)"' chrome.json |
		awk 'NR == FNR {ran[$1] = $2; next}
			{d = ran[$1] - $2; print $1, (d < 0.5 && d > -0.5 ? $2 : ran[$1])}' - theirs > ours
	same "tasks' shares of CPU time, to half a percent" ours theirs
	analysis iolatencystats
	# it knows a disk's name if the state dump is within the range
	within | awk '$2 == "lttng_statedump_block_device" {print $4}' > disks
	[ ! -s disks ] || grep -qwFf disks iolatencystats || wrong "iolatencystats has no disk by its name" iolatencystats
	for one in cputop iolatencyfreq iolatencytop iolog iousagetop irqfreq irqlog memtop schedfreq schedlog schedstats schedtop; do
		analysis "$one"
		! grep -qE 'Traceback|Error' "$one" || wrong "lttng-$one" "$one"
	done
}

count=0 failed=0
for viewer; do
	bad='' skip='' count=$((count + 1))
	"$viewer"
	[ -z "$bad" ] || { failed=1; printf 'not '; }
	echo "ok $count - $viewer${skip:+ # SKIP $skip}"
done
exit $failed
