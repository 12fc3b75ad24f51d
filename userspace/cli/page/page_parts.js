
/* --- verdicts: what why says --- */

/* The causes of why that hold a container up. */
const causeWords = {
	neighbour: "neighbours", host: "the host", ctrace: "ctrace itself", self: "its own threads",
	hypervisor: "the hypervisor", interrupts: "interrupts", cpu: "waits for a CPU", quota: "its CPU quota",
	disk: "disks", kernel: "the kernel", locks: "locks", network: "servers",
};
const isHeld = (c) => c.why && c.why.cause in causeWords;
const hasVerdict = data.containers.some((c) => c.why);

function causeOf(c) {
	if (isHeld(c))
		return h("span", { class: "cause bad" }, "held up by " + causeWords[c.why.cause]);
	return c.why && c.why.cause === "ran" ? h("span", { class: "cause" }, "busy") : "";
}

const spentWords = { ran: "on a CPU", waited: "waited for a CPU", throttled: "no CPU quota", disk: "disk",
	kernel: "in the kernel", locks: "locks", network: "network" };

/* What its threads' time went to, without rest, as one bar and in numbers. */
function evidence(w) {
	const busy = Object.keys(spentWords).filter((k) => w.spent[k] > 0);
	const all = busy.reduce((n, k) => n + w.spent[k], 0);
	const bar = h("div", { class: "bar", "aria-hidden": "true" }, busy.map((k) => {
		const part = h("i", { class: "of-" + k });
		part.style.flexGrow = w.spent[k] / (all || 1);
		return part;
	}));
	return [bar, h("p", { class: "legend" }, busy.map((k) =>
		h("span", { class: "key of-" + k }, spentWords[k] + " " + ns(w.spent[k]) + " (" +
			percent(w.spent[k], w.time) + ")")))];
}

/* The neighbour, with a link to it. */
function culprit(w) {
	const worst = w.cause === "neighbour" && (w.culprits || []).find((x) => x.culprit === "neighbour");
	if (!worst)
		return "";
	return h("p", {}, h("a", { href: "#c" + worst.cid }, name(worst.container)),
		" had the CPU for " + ns(worst.waited) + " of its waits",
		worst.comm ? [", mostly ", name(worst.comm)] : "", ".");
}

function verdict(c) {
	const w = c.why;
	return h("article", { class: isHeld(c) ? "verdict bad" : "verdict" },
		h("h3", {}, h("a", { href: "#c" + c.cid }, name(c.name))), w.verdict.split("\n").map((line) =>
			h("p", { class: "says" }, name(line))),
		culprit(w), evidence(w), h("p", { class: "next" }, w.why + ": ", h("code", {}, name(w.next))));
}

function verdicts() {
	const bad = data.containers.filter(isHeld), rest = data.containers.filter((c) => c.why && !isHeld(c));
	const parts = [h("h2", { id: "verdict-title" }, "What holds them up")];
	if (!hasVerdict)
		parts.push(missing("where threads' time goes, so there is no verdict",
			"ctrace record"));
	else if (!bad.length)
		parts.push(h("p", { class: "says" }, "Nothing holds a container up."));
	parts.push(h("div", { class: "verdicts" }, bad.map(verdict)));
	if (rest.length)
		parts.push(h("details", { open: !bad.length }, h("summary", {}, many(rest.length, "container") +
			(bad.length ? " more, in no trouble" : "")),
			h("div", { class: "verdicts" }, rest.map(verdict))));
	return h("section", { id: "verdict", "aria-labelledby": "verdict-title" }, parts);
}

/* --- who waited, and who had the CPU --- */

const culpritWords = { self: "its own threads", host: "host", observer: "ctrace (observer)", idle: "nobody (idle)",
	throttled: "no quota", earlier: "earlier, not known", hypervisor: "hypervisor", interrupts: "interrupts",
	rt_limit: "real-time limit", other: "(other)" };
const culpritOf = (b) => b.culprit === "neighbour" ? b.name : culpritWords[b.culprit];

function blame() {
	const box = h("div", {});
	const draw = () => {
		const cells = new Map(), columns = new Map(), rows = new Map();
		for (const b of data.blame) {
			const n = sum(b.ns), column = culpritOf(b);
			if (!n)
				continue;
			cells.set(b.victim + "\n" + column, (cells.get(b.victim + "\n" + column) || 0) + n);
			columns.set(column, (columns.get(column) || 0) + n);
			rows.set(b.victim, (rows.get(b.victim) || 0) + n);
		}
		const most = Math.max(0, ...cells.values());
		const heads = [...columns.keys()].sort((a, b) => columns.get(b) - columns.get(a));
		const list = [...rows.keys()].sort((a, b) => rows.get(b) - rows.get(a));
		if (!list.length) {
			replace(box, data.recorded.blame ? h("p", {}, "Nobody waited for a CPU.") :
				missing("who had the CPU", "ctrace record"));
			return;
		}
		const cellOf = (v, c) => {
			const n = cells.get(v + "\n" + c) || 0;
			if (!n)
				return h("span", { class: "dim" }, "·");
			const cell = h("span", { class: "shade" }, ns(n), h("small", {}, percent(n, rows.get(v))));
			cell.style.setProperty("--shade", (n / most).toFixed(3));
			return cell;
		};
		replace(box, table("Who waited for a CPU (rows), and who had it (columns)",
			["waited", "in all"].concat(heads.map(name)),
			list.map((v) => [name(titleOf(data.containers[v])), ns(rows.get(v)), ...heads.map((c) => cellOf(v, c))]),
			"matrix"));
	};
	follow(draw);
	return h("section", { id: "blame", "aria-labelledby": "blame-title" }, h("h2", { id: "blame-title" },
		"Who waited for whom"), box);
}

/* --- a container: numbers --- */

/* Of the whole recording: the numbers of report --summary. Of a range: what its parts of time have. */
function tiles(c) {
	const box = h("dl", { class: "tiles" });
	follow(() => {
		const s = c.series, r = c.row || {}, list = [];
		const whole = (part, value, key) => isWhole() && r[part] ? r[part][value] : sum(s[key]);
		const add = (key, text, what) => list.push(h("div", { class: key }, h("dt", {}, what), h("dd",
			{}, text)));
		if (data.recorded.run || sum(s.ran))
			add("ran", ns(whole("sched_run", "total", "ran")), "on a CPU");
		if (data.recorded.wait || sum(s.waited))
			add("waited", ns(whole("sched_wait", "total", "waited")), "waited for a CPU");
		if (sum(s.throttled))
			add("throttled", ns(whole("cpu_throttled", "total", "throttled")),
				"no quota, all CPUs together");
		if (sum(s.blocked))
			add("blocked", ns(sum(s.blocked)), "blocked");
		if (sum(s.observer))
			add("observer", ns(sum(s.observer)), "of it ctrace itself, the observer");
		if (data.recorded.calls)
			add("", count(whole("calls", "count", "calls")), "calls, " + count(whole("calls",
				"errors", "failed")) + " failed");
		if (data.recorded.disk)
			add("", bytes(whole("block_io", "bytes", "bytes")), "disk, " + many(whole("block_io",
				"count", "requests"), "request"));
		if (data.recorded.tcp)
			add("", bytes(whole("tcp_life", "tx_bytes", "sent") + whole("tcp_life", "rx_bytes",
				"received")),
				"network, " + many(whole("tcp_life", "count", "ended"), "connection") + " ended");
		if (r.lost)
			add("throttled", count(r.lost), "events lost");
		replace(box, list);
	});
	return box;
}

function tasks(c) {
	const list = c.row && c.row.sched_run ? c.row.sched_run.tasks.slice(0, 8) : [];
	const ours = (t) => c.host && /^ctrace(-|$)/.test(t.comm);
	return list.length ? h("p", { class: "dim" }, "On CPUs, in the whole recording: ", list.map((t, i) =>
		[i ? ", " : "", name(t.comm),
		ours(t) ? " (the observer) " : " ", ns(t.total)])) : "";
}

/* --- calls: what hurts first --- */

function callRow(c, call) {
	let n = 0, failed = 0, total = 0, most = 0;
	for (const i of chosen(call.cells, 5, data.each.calls)) {
		n += call.cells[i + 1];
		failed += call.cells[i + 2];
		total += call.cells[i + 3];
		most = Math.max(most, call.cells[i + 4]);
	}
	return { call: call, n: n, failed: failed, total: total, most: most };
}

function callTable(caption, list) {
	return table(caption, ["call", "calls", "failed", "total", "average", "longest", "p99 of all"],
		list.map((r) => [name(r.call.name), count(r.n),
		r.failed ? h("span", { class: "bad" }, count(r.failed)) : "", ns(r.total), ns(r.total / r.n),
			ns(r.most), "≤ " + ns(r.call.p99)]), "calls");
}

function calls(c) {
	const box = h("div", {});
	if (!data.recorded.calls)
		return missing("system calls", "ctrace record");
	follow(() => {
		const rows = c.calls.map((call) => callRow(c, call)).filter((r) => r.n).sort((a, b) =>
			b.total - a.total);
		const hurts = rows.filter((r) => !r.call.meant), meant = rows.filter((r) => r.call.meant);
		const sumOf = (list) => ns(list.reduce((n, r) => n + r.total, 0));
		replace(box, hurts.length ? callTable("Calls by the time in them", hurts.slice(0, 10)) : h("p",
			{}, "No calls."),
			hurts.length > 10 ? h("details", {}, h("summary", {}, many(hurts.length - 10,
				"other call") + ", " + sumOf(hurts.slice(10))),
				callTable("Other calls", hurts.slice(10))) : "",
			meant.length ? h("details", {}, h("summary", {}, "Calls that are meant to wait: " +
				sumOf(meant)),
				callTable("Calls that are meant to wait, such as sleep, poll, accept", meant)) : "");
	});
	return box;
}

function fails(c) {
	return c.fails.length ? table("What failed, in the whole recording", ["call", "times", "error",
		"where"], c.fails.map((f) =>
		[f.call, count(f.n), f.errno, f.where ? name(f.where) : ""]), "fails") : "";
}

/* --- latency over time --- */

const ROW = 9;
const topOf = (level) => 2 ** level;

/* The smallest power of two that a share of the durations does not exceed. */
function percentile(levels, n, share) {
	let left = n * share;
	for (let k = 0; k < levels.length; k++) {
		left -= levels[k] || 0;
		if (left <= 1e-9)
			return topOf(k);
	}
	return 0;
}

function heat(c, key, title, kinds) {
	/* fields that the eye can tell apart: as many parts of time in one as make 200 of them at most */
	const each = data.each.heat * Math.ceil(bins / data.each.heat / 200), columns = Math.ceil(bins / each);
	const fields = new Map(), cells = c.heat[key] || [];
	let low = Infinity, high = 0;
	for (let i = 0; i < cells.length; i += 3) {
		const bin = cells[i] * data.each.heat, at = Math.floor(bin / each) + "/" + cells[i + 1];
		const f = fields.get(at) || { column: Math.floor(bin / each), level: cells[i + 1], n: 0, parts: [] };
		f.n += cells[i + 2];
		f.parts.push([bin, cells[i + 2]]);
		fields.set(at, f);
		low = Math.min(low, f.level);
		high = Math.max(high, f.level);
	}
	if (!fields.size)
		return "";
	const most = Math.max(...[...fields.values()].map((f) => f.n));
	const says = h("p", { class: "dim" }), canvas = h("canvas", { width: columns, height: (high - low +
		1) * ROW, "aria-hidden": "true" });
	follow(() => {
		const g = canvas.getContext("2d"), levels = [];
		let n = 0, longest = 0;
		g.clearRect(0, 0, canvas.width, canvas.height);
		for (const f of fields.values()) {
			const here = f.parts.filter(([bin]) => bin + data.each.heat > range.from && bin < range.to)
				.reduce((k, part) => k + part[1], 0);
			/* from orange to red, which takes ten at least; what is not chosen is pale */
			const shade = Math.log(f.n + 1) / Math.log(Math.max(most, 10) + 1);
			g.fillStyle = "hsl(" + (38 - 34 * shade) + " 90% 50% / " + (here ? 0.35 + 0.65 * shade :
				0.12) + ")";
			g.fillRect(f.column, (high - f.level) * ROW, 1, ROW);
			if (here) {
				levels[f.level] = (levels[f.level] || 0) + here;
				n += here;
				longest = Math.max(longest, f.level);
			}
		}
		says.textContent = n ? count(n) + ": half took up to " + ns(percentile(levels, n, 0.5)) +
			", 99% up to " +
			ns(percentile(levels, n, 0.99)) + ", all up to " + ns(topOf(longest)) + "." :
				"None in this time.";
	});
	canvas.addEventListener("click", (e) => {
		const r = canvas.getBoundingClientRect();
		showEvents(c, Math.floor((e.clientX - r.left) / r.width * columns) * each, each, kinds);
	});
	const middle = Math.round((low + high) / 2);
	return h("figure", { class: "heat" }, h("figcaption", {}, title),
		h("div", { class: "map" }, h("div", { class: "y", "aria-hidden": "true" }, h("span", {},
			ns(topOf(high))),
			high - low > 3 ? h("span", {}, ns(topOf(middle))) : "", h("span", {}, low ?
				ns(topOf(low - 1)) : "0")), canvas),
		h("div", { class: "x", "aria-hidden": "true" }, h("span", {}, clock(0, binNs)), h("span", {},
			clock(data.time.ns, binNs))),
		h("p", { class: "legend" }, h("span", { class: "ramp" }), "1 to " + Math.max(most, 10) +
			" in a field; up: longer, each row twice the one below"),
		says);
}

function heats(c) {
	return h("div", { class: "heats" }, heat(c, "calls", "How long calls took", ["slow", "failed"]),
		heat(c, "waits", "How long threads waited for a CPU", ["wait"]), heat(c, "disk",
			"How long disks took", ["disk"]),
		data.recorded.disk ? "" : missing("disk requests", "ctrace record -e block_io"),
		data.recorded.wait ? "" : missing("waits for a CPU", "ctrace record -e sched_wait"),
		data.recorded.tcp ? "" : missing("connections", "ctrace record -e tcp_life"));
}

/* --- compared with an earlier recording --- */

const diffRows = [["ran", "ran", ns], ["waited", "waited for a CPU", ns], ["throttled", "had no quota", ns],
	["slept", "slept", ns],
	["call_time", "in system calls", ns], ["calls", "system calls", digits], ["errors", "that failed", digits],
	["disk_requests", "disk requests", digits], ["disk_bytes", "disk bytes", bytes], ["tcp_ended",
		"connections ended", digits],
	["tx_bytes", "bytes sent", bytes], ["rx_bytes", "bytes received", bytes]];

function change(a, b) {
	if (!a || !b)
		return a ? "gone" : b ? "new" : "";
	return b / a >= 10 ? "×" + (b / a).toFixed(0) : (b >= a ? "+" : "−") +
		Math.abs(100 * (b - a) / a).toFixed(1) + "%";
}

function difference() {
	const d = data.diff;
	if (!d)
		return "";
	const rate = (side, n) => n / (d[side].duration / 1e9 || 1);
	const one = (r) => {
		const rows = diffRows.filter(([k]) => r[k] && (r[k].a || r[k].b)).map(([k, text, form]) =>
			[text, form(Math.round(100 * rate("a", r[k].a)) / 100), form(Math.round(100 * rate("b",
				r[k].b)) / 100),
				change(rate("a", r[k].a), rate("b", r[k].b))]);
		for (const x of r.culprits.slice(0, 5))
			rows.push([["waited because of ", name(x.culprit)], ns(rate("a", x.waited.a)),
				ns(rate("b", x.waited.b)),
				change(rate("a", x.waited.a), rate("b", x.waited.b))]);
		return table(r.container + ", each second", ["what", "before", "now", "change"], rows, "diff");
	};
	return h("section", { id: "diff", "aria-labelledby": "diff-title" }, h("h2", { id: "diff-title" },
		"What changed"),
		h("p", { class: "dim" }, "Before: ", name(d.a.recording), ", for " + ns(d.a.duration) +
			". Now: ", name(d.b.recording), ", for " +
			ns(d.b.duration) + ". What changed most is first."), d.rows.slice(0, 24).map(one));
}

/* --- the recording itself --- */

function losses() {
	const l = data.lost, parts = [];
	for (const key of ["discarded", "missed", "unfollowed", "unfollowed_tasks", "unread"])
		if (l[key])
			parts.push(count(l[key]) + " " + key);
	if (l.blind_ns)
		parts.push("some events were not seen for " + ns(l.blind_ns));
	if (l.file)
		parts.push("the file " + l.file + " " + l.why + ": the rest of it is not here");
	else if (l.read_percent < 99.9)
		parts.push("only the first " + Math.floor(l.read_percent) + "% was read");
	return parts.length ? h("span", { class: "bad" }, parts.join("; ")) : "nothing";
}

function about() {
	const s = data.summary;
	const facts = [["Recorded", name(s.recording)], ["Machine", name([s.host || "?", "Linux " + (s.kernel ||
		"?"), data.machine].join(", "))],
		["Targets", name(s.targets)], ["Events", count(s.events) + ", " + bytes(s.bytes)], ["Lost",
			losses()], ["Asked for", name(s.asked)],
		["Only if", data.filter ? name(data.filter) : ""], ["Recorded by", "ctrace " + data.version]];
	return h("section", { id: "about", "aria-labelledby": "about-title" }, h("h2", { id: "about-title" },
		"The recording"),
		h("dl", { class: "facts" }, facts.filter((f) => f[1]).map(([k, v]) => [h("dt", {}, k), h("dd",
			{}, v)])));
}
