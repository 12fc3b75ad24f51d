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
	lttng_context: "LTTng with contexts", sysdig: "sysdig -w", bpftrace: "bpftrace printf", strace: "strace -f",
	empty: "probes that do nothing", stats: "**ctrace stats**", bpftrace_count: "bpftrace `@[comm] = count()`", runqlat: "**ctrace runqlat**",
	bcc_runqlat: "bcc's runqlat", libbpf_runqlat: "libbpf-tools' runqlat", bpftrace_runqlat: "bpftrace's runqlat.bt",
	blame: "**ctrace blame**", bio: "**ctrace bio**", bcc_biolatency: "bcc's biolatency", libbpf_biolatency: "libbpf-tools' biolatency"}[.];
def ours: IN("ctrace", "flight", "stats", "runqlat", "blame", "bio");
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
	if $value != null and $mine != null and ($tool | IN("none", "empty") | not) and ($tool | ours | not) and $value < $mine then "*\($text)*" else $text end;

def bytes($part; $tool): per_record($part; $tool) as $v | mark($v | digits(0); $tool; $v; per_record($part; "ctrace"));

def failures($part): rows($part) | map(select(has("failed"))) | unique_by(.tool) | .[] | "Not measured: \(.tool | name): \(.failed).", "";

def instructions:
	def of($tool; $work): [rows("instructions")[] | select(.tool == $tool and .work == $work) | .value] | median;
	def added($tool; $work): of($tool; $work) as $v | of("none"; $work) as $n | if $v == null or $n == null then null else $v - $n end;
	if (rows("instructions") | length) == 0 then empty else
	"The instructions that tracing adds to a `getppid()` of the traced container, to a `getppid()` of a neighbour that nobody traces, and to",
	"`openat()` and `close()` together (untraced: \(of("none"; "getppid")) and \(of("none"; "openclose"))). Then: how many of these calls' records the tool",
	"kept, how many it says it lost, and the bytes on disk for each record:",
	"",
	header(["", "getppid", "neighbour", "open, close", "kept", "lost, by its count", "bytes"]),
	(tools("instructions")[] | select(. != "none") | select(of(.; "getppid") != null) | . as $t
		| [name] + (["getppid", "neighbour", "openclose"] | map(. as $w | added($t; $w) as $v
			| mark($v | plus; $t; $v; if $w == "neighbour" then added("ctrace"; $w) else ([added("ctrace"; $w), added("flight"; $w)] | map(select(. != null)) | min) end)))
		+ [kept("instructions"; $t), lost("instructions"; $t), bytes("instructions"; $t)] | row),
	"", failures("instructions") end;

def aggregates:
	def of($tool; $work): [rows("aggregates")[] | select(.tool == $tool and .work == $work) | .value] | median;
	def added($tool; $work; $n): of($tool; $work) as $v | of("none"; $work) as $u | if $v == null or $u == null then null else ($v - $u) / $n end;
	def table($works; $n; $mine; $kept): tools("aggregates")[] | select(. != "none") | select(of(.; $works[0]) != null) | . as $t
		| [name] + ($works | map(. as $w | added($t; $w; $n) as $v | mark($v | plus; $t; $v; added($mine; $w; $n))))
		+ if $kept then [kept("aggregates"; $t)] else [] end;
	if (rows("aggregates") | length) == 0 then empty else
	"Counting in the kernel, with no records: the instructions added to a `getppid()`, of the container and of the neighbour that nobody traces,",
	"and how many of the container's calls were counted:",
	"",
	header(["", "getppid", "neighbour", "counted"]),
	(table(["getppid", "neighbour"]; 1; "stats"; true) | row),
	"",
	"The instructions added to a switch from one task to another, with the wake-up before it, while run-queue latency is counted (untraced, with",
	"the `read()` and `write()` that cause it: \(of("none"; "switch-box") / 2 | digits(0))). The other tools count all tasks of the machine:",
	"",
	header(["", "switch, wake-up", "neighbour"]),
	(table(["switch-box", "switch-neighbour"]; 2; "runqlat"; false) | row),
	"", failures("aggregates") end;

def events:
	[["pingpong", "switch, wake-up", 2], ["fault", "page fault", 1], ["request", "request", 1], ["packet", "packet", 1]] as $kinds
	| def of($tool; $work): [rows("events")[] | select(.tool == $tool and .work == $work) | .value] | median;
	def added($tool; $work; $n): of($tool; $work) as $v | of("none"; $work) as $u | if $v == null or $u == null then null else ($v - $u) / $n end;
	def cells: . as $t | $kinds | map(. as [$kind, $text, $n] | "\($kind)-box", "\($kind)-next" | added($t; .; $n) as $v
		| mark($v | plus; $t; $v; added("ctrace"; .; $n)));
	if (rows("events") | length) == 0 then empty else
	"Other events: the instructions added to a switch from one task to another, with the wake-up before it; to a page fault; to a request of 4 kB",
	"of a disk that ends it at once, with its start and its end; to a packet of 64 bytes that the container sends to itself, going out and coming",
	"in; and to the same of a neighbour (untraced, with the calls that cause them: \([$kinds[] as [$kind, $text, $n] | (of("none"; "\($kind)-box") // 0) / $n | digits(0)] | join(", "))):",
	"",
	header([""] + ($kinds | map(.[1], "neighbour")) + ["kept"]),
	(tools("events")[] | select(. != "none") | . as $t | [name] + cells + [kept("events"; $t)] | row),
	"", failures("events") end;

def views:
	def of($tool; $work): [rows("views")[] | select(.tool == $tool and .work == $work) | .value] | median;
	def table($work; $n; $mine): (of("none"; $work) // 0) as $u | (of($mine; $work) // 0) as $m
		| tools("views")[] | select(. != "none") | of(.; $work) as $v | select($v != null)
		| [name, mark(($v - $u) / $n | plus; .; $v; $m)] | row;
	if (rows("views") | length) == 0 then empty else
	"Views: the instructions added to a switch from one task to another, with the wake-up before it (untraced, with the `read()` and `write()`",
	"that cause it: \(of("none"; "switch") / 2 | digits(0))), and to a request of 4 kB of a disk that ends it at once (untraced: \(of("none"; "request") // 0 | digits(0))):",
	"",
	header(["", "switch, wake-up"]), table("switch"; 2; "blame"), "",
	header(["", "request"]), table("request"; 1; "bio"), "",
	"`ctrace top -b --interval 1 --top 40`: the CPU time of an interval, and of the beginning with the first interval. In the last line a",
	"container makes some 20,000 system calls a second" + ([rows("views")[] | select(.tool == "csysdig") | .value] | if length > 0 then
		" (csysdig, each second: \(median / 1e7 | digits(2)) % of a CPU):" else ":" end),
	"",
	header(["", "% of a CPU", "beginning, ms", "events"]),
	(rows("views")[] | select(.tool == "top") | [{"top-1": "no container but one", "top-1000": "1,000 containers", "top-1000-busy": "1,000 containers, one of which makes calls"}[.work],
		(.value / 1e7 | digits(2)), (.begin / 1e6 | digits(1)), "\(.events)"] | row),
	"" end;

def agree:
	def of($tool; $work): rows("agree") | map(select(.tool == $tool and .work == $work)) | first // {};
	def table($tools; $works; cells): $tools[] | . as $t
		| [{runqlat: "**ctrace runqlat**", bpftrace_runqlat: "bpftrace", perf_sched: "perf sched timehist", stats: "**ctrace stats**",
		perf_trace: "perf trace -s"}[$t]] + ($works | map(of($t; .) | cells)) | row;
	if (rows("agree") | length) == 0 then empty else
	"Do they agree? Calls that both counted at once:",
	"",
	header(["", "openat", "close"]),
	table(["stats", "perf_trace"]; ["openat", "close"]; .events | digits(0)),
	"",
	"Waits for a CPU that all three counted at once: of two tasks that wake each other 20,000 times, and of three that share the CPU for a",
	"second. bpftrace counts the waits of the container's pid namespace, in the way of its runqlat.bt. The tools' own work on each wait is",
	"in the waits that they time:",
	"",
	header(["", "in turns: waits", "ms", "shared: waits", "ms"]),
	table(["runqlat", "bpftrace_runqlat", "perf_sched"]; ["takers", "sharers"]; (.events | digits(0)), (if .value then .value / 1e6 else null end | digits(1))),
	"" end;

def slow($part; $text):
	["dd", "openclose", "pingpong", "sysbench", "hackbench"] as $works
	| def all_of($tool; $work): [rows($part)[] | select(.tool == $tool and .work == $work) | .value];
	def factor($tool; $work): (all_of($tool; $work) | median) as $v | (all_of("none"; $work) | median) as $n
		| if $v == null or $n == null then null else $v / $n end;
	def spread($tool): [$works[] as $w | all_of($tool; $w) | select(length > 0) | (max - min) / median] | if length == 0 then null else max * 100 end;
	(all_of("none"; "dd") | length > 1) as $rounds
	| if (rows($part) | length) == 0 then empty else
	$text, "",
	header([""] + ["dd bs=1", "open, close", "ping-pong", "sysbench threads", "messaging", "kept", "lost, by its count", "bytes"] + if $rounds then ["spread"] else [] end),
	(tools($part)[] | select(. != "none" or $rounds) | select(factor(.; "dd") != null) | . as $t
		| [name] + ($works | map(. as $w | factor($t; $w) as $v | mark($v | digits(2); $t; $v; [factor("ctrace"; $w), factor("flight"; $w)] | map(select(. != null)) | min)))
		+ [kept($part; $t), lost($part; $t), bytes($part; $t)] + (if $rounds then [(spread($t) | digits(0)) + " %"] else [] end) | row),
	"", failures($part) end;

def loss:
	def good: .events >= .made and (.lost // 0) == 0;
	if (rows("loss") | length) == 0 then empty else
	([rows("loss")[] | select(.tool == "ctrace" and good) | .rate] | max) as $mine
	| "The highest rate of system calls, with two records each, at which nothing was lost, with 4 MiB of buffer and a recorder to disk, on one",
	"CPU that both share. Each rate was tried for a second: 40,000 first, then double or half of it, up to as fast as the CPU can go:",
	"",
	header(["", "calls a second", "kept at the next rate"]),
	(tools("loss")[] | . as $t | [rows("loss")[] | select(.tool == $t and (has("failed") | not))] | select(length > 0)
		| ([.[] | select(good) | .rate] | max) as $best | (map(select(good | not)) | min_by(.rate)) as $bad
		| ($best // 0 | tostring) as $text
		| [($t | name), (if ($t | ours | not) and ($best // 0) > ($mine // 0) then "*\($text)*" else $text end),
			if $bad then "\($bad.rate): " + ($bad.events / $bad.made * 100 | digits(1)) + " %" else "no faster rate is possible" end] | row),
	"", failures("loss") end;

def reader:
	def of($work; $idle): rows("reader") | map(select(.work == $work and .idle == $idle)) | first // {};
	([rows("reader")[] | .idle] | unique) as $idle
	| if (rows("reader") | length) == 0 then empty else
	"The instructions of ctrace's readers while a container makes 400,000 `getppid()` calls:",
	"",
	header(["instructions"] + ($idle | map(if . == 0 then "alone" else "beside \(.) idle containers" end))),
	(["`ctrace record`, per byte"] + ($idle | map(of("record"; .) | if .bytes then .value / .bytes | digits(2) else "-" end)) | row),
	(["the kernel's `write()` in it, measured with dd, per byte"] + ($idle | map(of("write"; .) | if .bytes then .value / .bytes | digits(2) else "" end)) | row),
	(["`ctrace record`, per record"] + ($idle | map(of("record"; .) | if .events then .value / .events | digits(0) else "-" end)) | row),
	(["a C program with libctrace, per record"] + ($idle | map(of("consume"; .) | if .events then .value / .events | digits(0) else "-" end)) | row),
	"",
	(rows("bytes")[] | "With dpkg, find, tar, ls, grep, sort and gcc in a container: \(.events) records, \(.lost) lost, \(.bytes / .events | digits(1)) bytes on disk for each."),
	"" end;

def latency:
	if (rows("latency") | length) == 0 then empty else
	"The time from a record to the program that waits for it, measured on the oldest record of each wake-up. A session wakes its reader 5 ms",
	"after the first record, or at once if asked to:",
	"",
	header(["to be woken", "calls a second", "records", "lost", "wake-ups", "median, µs", "99th percentile", "longest"]),
	(rows("latency")[] | [if .mode == "prompt" then "at once" else "after 5 ms" end, "\(.rate)", "\(.events)", "\(.lost)", "\(.wakings)", "\(.median_us)", "\(.p99_us)", "\(.longest_us)"] | row),
	"" end;

def watch:
	def of($tool; $work): [rows("watch")[] | select(.tool == $tool and .work == $work)] | first // {};
	def added($work): of("watch"; $work).value - of("none"; $work).value | plus;
	if (rows("watch") | length) == 0 then empty else
	"`ctrace watch`, as its configuration file comes: the instructions that it adds in a container, while nothing is triggered (untraced: "
		+ (["getppid", "openclose", "switch"] | map(of("none"; .).value | digits(0)) | join(", ")) + "):",
	"",
	header(["getppid", "open, close", "switch, wake-up"]),
	(["getppid", "openclose", "switch"] | map(added(.)) | row),
	"",
	"Its own share of a CPU over a minute: \(of("watch"; "idle-1").value / 1e7 | digits(2)) % with no container, \(of("watch"; "idle-1000").value / 1e7 | digits(2)) % beside 1,000 that are idle.",
	"While 10,000 containers come and go, 1,000 at a time, its memory, in kB: "
		+ ([rows("watch")[] | select(.work == "churn") | "\(.kb)"] | join(", ")) + "; the module's, with the recorder's: "
		+ ([rows("watch")[] | select(.work == "churn") | "\(.module_kb)"] | join(", ")) + ".",
	(of("watch"; "dump") | "A dump of 30 s of a busy container: \(.value / 1e9 | digits(2)) s until it is whole, \(.events) records, \(.kb) kB."),
	"" end;

def scale:
	def of($over; $n; $work): [rows("scale")[] | select(.over == $over and .n == $n and .work == $work) | .value] | first;
	def ns($over): [rows("scale")[] | select(.over == $over) | .n] | unique;
	def added($over; $n; $work): of($over; $n; $work) as $v | of($over; $n; "\($work)-without") as $u | if $v == null or $u == null then null else $v - $u end;
	def table($over; $head; $works): ns($over) | if length == 0 then empty else header($head), (.[] | . as $n
		| ["\($n)"] + ($works | map(if . == "traced" or . == "neighbour" then added($over; $n; .) | plus else of($over; $n; .) | digits(0) end)) | row), "" end;
	if (rows("scale") | length) == 0 then empty else
	"The instructions of a call with more and more containers, CPUs and sessions; the module's memory (in kB, with the session's arena, which",
	"may take 8 MiB); and the instructions for making and removing a container, with the module and without it:",
	"",
	"![the same, plotted](scale.svg)",
	"",
	table("containers"; ["containers", "traced", "neighbour", "memory", "made", "without", "removed", "without"];
		["traced", "neighbour", "memory", "born", "born-without", "died", "died-without"]),
	table("cpus"; ["CPUs", "traced", "neighbour"]; ["traced", "neighbour"]),
	table("sessions"; ["sessions", "traced", "neighbour"]; ["traced", "neighbour"]) end;

"`make bench`, \(.date), Linux \(.kernel), cgroup v2, with Debian's",
"\([.packages | to_entries[] | "\(.key) \(.value)"] | join(", ")).",
"The guest's clock counts executed instructions, 1 ns each. A figure of another tool that is better than ctrace's is in *italics*.",
"",
instructions, aggregates, agree, events, views, watch,
slow("slowdown"; "Slow-down: the instructions that a machine of one CPU executes until the workload has ended, the reader's included, divided by those of\n"
	+ "the untraced workload. Each tool has 4 MiB of buffer. \"Kept\", \"lost\" and \"bytes\" are of the first three workloads:"),
loss, reader, latency,
slow("wall"; "By the clock: medians of alternating rounds, on two CPUs, with the workload on one, the reader on the other, and 4 MiB of buffer for each\n"
	+ "CPU. The last column is the largest spread between the rounds of one workload. (The host's load was \($all.load[0]) before, \($all.load[1]) after.)"),
scale
