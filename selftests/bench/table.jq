# SPDX-License-Identifier: GPL-2.0-only
# table.jq: see table. It prints nothing that is not in the rows. Where another tool's figure is below
# ctrace's, it marks it.

def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def digits($n): if . == null then "-" else (. * pow(10; $n) | round) as $v
	| if $n == 0 then "\($v)" else (($v | fabs | tostring) | until(length > $n; "0" + .)) as $t
	| (if $v < 0 then "-" else "" end) + $t[:-$n] + "." + $t[-$n:] end end;
def plus: if . == null then "-" elif . < 0 then digits(0) else "+" + digits(0) end;
def row: "| " + join(" | ") + " |";
def header($names): ($names | row), "| --- |" + ($names[1:] | map(" --: |") | add);

. as $all
| def rows($part): $all.rows | map(select(.part == $part));
def name: {
	none: "untraced", ctrace: "**ctrace record**", flight: "**ctrace**, nobody reads", ftrace: "ftrace, nobody reads",
	trace_cmd: "trace-cmd record", perf_record: "perf record", perf_trace: "perf trace -s", lttng: "LTTng",
	lttng_context: "LTTng, told who", sysdig: "sysdig -w", bpftrace: "bpftrace printf", strace: "strace -f"}[.];
def ours: . == "ctrace" or . == "flight";
def tools($part): rows($part) | map(.tool) | reduce .[] as $t ([]; if index($t) then . else . + [$t] end);
# how much of what was made was kept: 100 % only if all was
def kept($part; $tool): rows($part) | map(select(.tool == $tool and .work == "kept" and .events != null and .made > 0))
	| if length == 0 then "-" else (map(.events / .made) | min) as $k
	| if $k >= 1 then "100 %" elif $k > 0.9995 then "99.9 %" else ($k * 100 | digits(1)) + " %" end end;
def lost($part; $tool): rows($part) | map(select(.tool == $tool and .work == "kept") | .lost) | map(select(. != null))
	| if length == 0 then "-" else "\(max)" end;
def per_record($part; $tool): rows($part) | map(select(.tool == $tool and .work == "kept" and .bytes != null and (.events // 0) > 0) | .bytes / .events)
	| median;
# mark($tool; $mine): marks another tool's figure if it is below ours
def mark($text; $tool; $value; $mine):
	if $value != null and $mine != null and $tool != "none" and ($tool | ours | not) and $value < $mine then "*\($text)*" else $text end;

def bytes($part; $tool): per_record($part; $tool) as $v | mark($v | digits(0); $tool; $v; per_record($part; "ctrace"));

def failures($part): rows($part) | map(select(has("failed"))) | unique_by(.tool) | .[] | "Not measured: \(.tool | name): \(.failed).", "";

def instructions:
	def of($tool; $work): [rows("instructions")[] | select(.tool == $tool and .work == $work) | .value] | median;
	def added($tool; $work): of($tool; $work) as $v | of("none"; $work) as $n | if $v == null or $n == null then null else $v - $n end;
	if (rows("instructions") | length) == 0 then empty else
	"Instructions that are added to one `getppid()` of the traced container, to one of a container beside it that nobody asked for, and to",
	"`openat()` and `close()` together (untraced: \(of("none"; "getppid")) and \(of("none"; "openclose"))); what the tool kept of the records made",
	"of these calls, what it says it lost, and the bytes on disk for each:",
	"",
	header(["", "getppid", "neighbour", "open, close", "kept", "lost, it says", "bytes"]),
	(tools("instructions")[] | select(. != "none") | select(of(.; "getppid") != null) | . as $t
		| [name] + (["getppid", "neighbour", "openclose"] | map(. as $w | added($t; $w) as $v
			| mark($v | plus; $t; $v; if $w == "neighbour" then added("ctrace"; $w) else ([added("ctrace"; $w), added("flight"; $w)] | map(select(. != null)) | min) end)))
		+ [kept("instructions"; $t), lost("instructions"; $t), bytes("instructions"; $t)] | row),
	"", failures("instructions") end;

def slow($part; $text):
	["dd", "openclose", "pingpong", "sysbench", "hackbench"] as $works
	| def all_of($tool; $work): [rows($part)[] | select(.tool == $tool and .work == $work) | .value];
	def factor($tool; $work): (all_of($tool; $work) | median) as $v | (all_of("none"; $work) | median) as $n
		| if $v == null or $n == null then null else $v / $n end;
	def spread($tool): [$works[] as $w | all_of($tool; $w) | select(length > 0) | (max - min) / median] | if length == 0 then null else max * 100 end;
	(all_of("none"; "dd") | length > 1) as $rounds
	| if (rows($part) | length) == 0 then empty else
	$text, "",
	header([""] + ["dd bs=1", "open, close", "ping-pong", "sysbench threads", "messaging", "kept", "lost, it says", "bytes"] + if $rounds then ["spread"] else [] end),
	(tools($part)[] | select(. != "none" or $rounds) | select(factor(.; "dd") != null) | . as $t
		| [name] + ($works | map(. as $w | factor($t; $w) as $v | mark($v | digits(2); $t; $v; [factor("ctrace"; $w), factor("flight"; $w)] | map(select(. != null)) | min)))
		+ [kept($part; $t), lost($part; $t), bytes($part; $t)] + (if $rounds then [(spread($t) | digits(0)) + " %"] else [] end) | row),
	"", failures($part) end;

def loss:
	def good: .events >= .made and (.lost // 0) == 0;
	if (rows("loss") | length) == 0 then empty else
	([rows("loss")[] | select(.tool == "ctrace" and good) | .rate] | max) as $mine
	| "The highest rate of system calls, two records each, of those tried (40,000, and from there twice or half, a second long; last as fast as the CPU can), of which",
	"nothing was lost, with 4 MiB of buffer and a recorder to disk, on one CPU that both share:",
	"",
	header(["", "calls a second", "above it kept"]),
	(tools("loss")[] | . as $t | [rows("loss")[] | select(.tool == $t and (has("failed") | not))] | select(length > 0)
		| ([.[] | select(good) | .rate] | max) as $best | (map(select(good | not)) | min_by(.rate)) as $bad
		| ($best // 0 | tostring) as $text
		| [($t | name), (if ($t | ours | not) and ($best // 0) > ($mine // 0) then "*\($text)*" else $text end),
			if $bad then "\($bad.rate): " + ($bad.events / $bad.made * 100 | digits(1)) + " %" else "it cannot be faster" end] | row),
	"", failures("loss") end;

def reader:
	def of($work; $idle): rows("reader") | map(select(.work == $work and .idle == $idle)) | first // {};
	([rows("reader")[] | .idle] | unique) as $idle
	| if (rows("reader") | length) == 0 then empty else
	"What ctrace's readers execute while a container makes 400,000 `getppid()`:",
	"",
	header(["instructions"] + ($idle | map(if . == 0 then "alone" else "beside \(.) idle containers" end))),
	(["`ctrace record`, a byte"] + ($idle | map(of("record"; .) | if .bytes then .value / .bytes | digits(2) else "-" end)) | row),
	(["of it the kernel's `write()`, as dd has it"] + ($idle | map(of("write"; .) | if .bytes then .value / .bytes | digits(2) else "" end)) | row),
	(["`ctrace record`, a record"] + ($idle | map(of("record"; .) | if .events then .value / .events | digits(0) else "-" end)) | row),
	(["a C program with libctrace, a record"] + ($idle | map(of("consume"; .) | if .events then .value / .events | digits(0) else "-" end)) | row),
	"",
	(rows("bytes")[] | "Of dpkg, find, tar, ls, grep, sort and gcc in a container, \(.events) records, \(.lost) lost: \(.bytes / .events | digits(1)) bytes a record on disk."),
	"" end;

def latency:
	if (rows("latency") | length) == 0 then empty else
	"From a record to the program that waited for it, of each waking the oldest record; a session wakes 5 ms after the first one, or as soon as",
	"it is told to:",
	"",
	header(["to be woken", "calls a second", "records", "lost", "wakings", "median, µs", "99th of 100", "longest"]),
	(rows("latency")[] | [if .mode == "prompt" then "at once" else "after 5 ms" end, "\(.rate)", "\(.events)", "\(.lost)", "\(.wakings)", "\(.median_us)", "\(.p99_us)", "\(.longest_us)"] | row),
	"" end;

def scale:
	def of($over; $n; $work): [rows("scale")[] | select(.over == $over and .n == $n and .work == $work) | .value] | first;
	def ns($over): [rows("scale")[] | select(.over == $over) | .n] | unique;
	def added($over; $n; $work): of($over; $n; $work) as $v | of($over; $n; "\($work)-without") as $u | if $v == null or $u == null then null else $v - $u end;
	def table($over; $head; $works): ns($over) | if length == 0 then empty else header($head), (.[] | . as $n
		| ["\($n)"] + ($works | map(if . == "traced" or . == "neighbour" then added($over; $n; .) | plus else of($over; $n; .) | digits(0) end)) | row), "" end;
	if (rows("scale") | length) == 0 then empty else
	"A call's instructions as containers, CPUs and sessions become more, the module's memory (kB, an arena of 8 MiB among it), and instructions for",
	"making and removing a container, with the module and without:",
	"",
	"![the same, plotted](selftests/bench/scale.svg)",
	"",
	table("containers"; ["containers", "traced", "neighbour", "memory", "made", "without", "removed", "without"];
		["traced", "neighbour", "memory", "born", "born-without", "died", "died-without"]),
	table("cpus"; ["CPUs", "traced", "neighbour"]; ["traced", "neighbour"]),
	table("sessions"; ["sessions", "traced", "neighbour"]; ["traced", "neighbour"]) end;

"`make bench`, \(.date), Linux \(.kernel), cgroup v2, with Debian's",
"\([.packages | to_entries[] | "\(.key) \(.value)"] | join(", ")).",
"Time is instructions, as the emulator counts them: 1 ns each. A figure of another tool that is better than ctrace's is *slanted*.",
"",
instructions,
slow("slowdown"; "Slow-down: all that the machine of one CPU executes until the workload has ended, the reader's part of it too, times the same of the\n"
	+ "untraced; each tool has 4 MiB of buffer, and what it kept of the first three's records is told:"),
loss, reader, latency,
slow("wall"; "By the clock, medians of alternating rounds, two CPUs, the workload on one, the reader on the other, 4 MiB of buffer for each; in the last\n"
	+ "column the largest distance within the rounds of one workload (the host's load was \($all.load[0]) before, \($all.load[1]) after):"),
scale
