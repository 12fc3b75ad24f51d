
/* --- one time axis for all: lanes, the brush, and the events of a moment --- */

const LANE = 64, STRIP = 7;
const stacked = ["ran", "waited", "blocked"];
const threads = (c, i) => (c.series.ran[i] + c.series.waited[i] + c.series.blocked[i]) / binNs;
const peak = (c) => c.series.ran.reduce((most, _, i) => Math.max(most, threads(c, i)), 0);
const lanes = [];
let ownScale = false;

/* The parts of time as steps from one list up to another. */
function area(low, high, most) {
	const y = (v) => (LANE - LANE * v / most).toFixed(1);
	let there = "", back = "";
	for (let i = 0; i < bins; i++) {
		there += "L" + i + " " + y(high[i]) + "H" + (i + 1);
		back = "L" + (i + 1) + " " + y(low[i]) + "H" + i + back;
	}
	return "M0 " + y(low[0]) + there + back + "Z";
}

function paint(lane) {
	const c = lane.c, most = (ownScale ? peak(c) : Math.max(...data.containers.map(peak))) || 1;
	let low = new Array(bins).fill(0);
	const paths = [];
	for (const key of stacked) {
		const high = low.map((v, i) => v + c.series[key][i] / binNs);
		if (c.series[key].some((n) => n))
			paths.push(svg("path", { class: key, d: area(low, high, most) }));
		if (key === "ran" && c.series.observer.some((n) => n))
			paths.push(svg("path", { class: "observer", d: area(low, c.series.observer.map((n) =>
				n / binNs), most) }));
		low = high;
	}
	for (let i = 0; i < bins; i++)
		if (c.series.throttled[i])
			paths.push(svg("rect", { class: "throttled", x: i, width: 1.2, y: LANE - STRIP,
				height: STRIP }));
	for (const g of data.gaps)
		if (g.cid === undefined || g.cid === c.cid)
			paths.push(svg("rect", { class: "lost", x: g.from / binNs, y: 0, height: STRIP,
				width: Math.max(2, (g.to - g.from) / binNs) }));
	lane.paths.replaceChildren(...paths);
	lane.most.textContent = digits(most) + " threads";
}

function cursorText(c, i) {
	return clockOf(i) + ": " + stacked.filter((k) => c.series[k][i])
		.map((k) => k + " " + digits(c.series[k][i] / binNs)).join(", ") + " threads";
}

function choice(lane) {
	lane.before.setAttribute("width", range.from);
	lane.after.setAttribute("x", range.to);
	lane.after.setAttribute("width", bins - range.to);
	const s = lane.c.series;
	const parts = [["ran", sum(s.ran)], ["waited", sum(s.waited)], ["blocked", sum(s.blocked)],
		["throttled", sum(s.throttled)]];
	replace(lane.sums, parts.filter((p) => p[1]).map(([key, n]) => h("span", { class: "key " + key }, key +
		" " + ns(n))));
}

function point(lane, bin) {
	lane.at = Math.max(0, Math.min(bins - 1, bin));
	lane.cursor.setAttribute("x", lane.at);
	lane.plot.setAttribute("aria-valuenow", lane.at);
	lane.plot.setAttribute("aria-valuetext", cursorText(lane.c, lane.at));
}

/* Left, right: the cursor; with Shift, it chooses. Enter: events; Escape: the whole recording. */
function keys(lane, e) {
	const step = { ArrowLeft: -1, ArrowRight: 1, PageDown: -30, PageUp: 30, Home: -bins, End: bins }[e.key];
	if (step) {
		const was = lane.at;
		point(lane, lane.at + step * (e.ctrlKey ? 10 : 1));
		if (e.shiftKey) {
			lane.anchor = lane.anchor === undefined ? was : lane.anchor;
			choose(Math.min(lane.anchor, lane.at), Math.max(lane.anchor, lane.at) + 1);
		} else {
			lane.anchor = undefined;
		}
	} else if (e.key === "Enter" || e.key === " ") {
		showEvents(lane.c, lane.at, 4);
	} else if (e.key === "Escape") {
		choose(0, bins);
	} else {
		return;
	}
	e.preventDefault();
}

/* Dragging chooses a range; a click shows what happened there. */
function drag(lane) {
	const plot = lane.plot;
	const binAt = (e) => {
		const r = plot.getBoundingClientRect();
		return Math.max(0, Math.min(bins - 1, Math.floor((e.clientX - r.left) / r.width * bins)));
	};
	let start = null;
	plot.addEventListener("pointerdown", (e) => {
		if (e.button)
			return;
		start = { bin: binAt(e), x: e.clientX, moved: false };
		plot.setPointerCapture(e.pointerId);
	});
	plot.addEventListener("pointermove", (e) => {
		if (!start || (!start.moved && Math.abs(e.clientX - start.x) < 5))
			return;
		start.moved = true;
		choose(Math.min(start.bin, binAt(e)), Math.max(start.bin, binAt(e)) + 1);
	});
	plot.addEventListener("pointerup", (e) => {
		if (!start)
			return;
		point(lane, binAt(e));
		if (!start.moved)
			showEvents(lane.c, lane.at, Math.max(3, Math.ceil(6 * bins / plot.clientWidth)));
		start = null;
	});
	plot.addEventListener("pointercancel", () => { start = null; });
}

function laneOf(c) {
	const lane = { c: c, at: 0, sums: h("span", { class: "sums" }), most: h("span", { class: "most" }) };
	lane.paths = svg("g");
	lane.before = svg("rect", { class: "out", x: 0, y: 0, height: LANE });
	lane.after = svg("rect", { class: "out", y: 0, height: LANE });
	lane.cursor = svg("rect", { class: "cursor", y: 0, width: 1.5, height: LANE });
	lane.plot = h("div", {
		class: "plot", tabindex: 0, role: "slider", "aria-label": "time of " + titleOf(c), "aria-valuemin": 0,
		"aria-valuemax": bins - 1, onkeydown: (e) => keys(lane, e),
	}, svg("svg", { viewBox: "0 0 " + bins + " " + LANE, preserveAspectRatio: "none", "aria-hidden": "true" },
		svg("line", { class: "grid", x1: 0, x2: bins, y1: LANE / 2, y2: LANE / 2 }), lane.paths,
			lane.before, lane.after,
		lane.cursor), lane.most);
	const link = c.others ? name(titleOf(c)) : h("a", { href: "#c" + c.cid }, name(titleOf(c)));
	lane.row = h("div", { class: "lane" }, h("div", { class: "who" }, link, causeOf(c), lane.sums), lane.plot);
	point(lane, 0);
	drag(lane);
	paint(lane);
	follow(() => choice(lane));
	return lane;
}

/* --- the axis --- */

/* ms between two times that the axis names: round ones, at most so many */
function step(ms, most) {
	const list = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5,
		9e5, 18e5, 36e5,
		72e5, 108e5, 216e5, 432e5, 864e5];
	return list.find((s) => ms / s <= most) || Math.ceil(ms / most / 864e5) * 864e5;
}

function axis() {
	const box = h("div", { class: "axis", "aria-hidden": "true" });
	const draw = () => {
		const each = step(data.time.ns / 1e6, Math.max(2, Math.floor(box.clientWidth / 110)));
		const began = data.time.realtime_ms, first = Math.ceil(began / each) * each - began;
		box.replaceChildren();
		/* the last one needs room for its text */
		for (let at = first; at * 1e6 < data.time.ns * (1 - 60 / (box.clientWidth + 60)); at += each) {
			const tick = h("span", { class: "tick" }, clock(at * 1e6, each * 1e6));
			tick.style.left = 100 * at * 1e6 / (bins * binNs) + "%";
			box.append(tick);
		}
	};
	new ResizeObserver(draw).observe(box);
	return h("div", { class: "lane head" }, h("div", { class: "who" }, "time of day"), box);
}

/* --- controls --- */

function slider(label, get, set) {
	const out = h("output", {});
	const input = h("input", { type: "range", min: 0, max: bins, "aria-label": label, oninput: () =>
		set(+input.value) });
	follow(() => {
		input.value = get();
		out.textContent = clockOf(get());
		input.setAttribute("aria-valuetext", out.textContent);
	});
	return h("label", {}, label + " ", input, out);
}

function controls() {
	const whole = h("button", { type: "button", onclick: () => choose(0, bins) }, "Whole recording");
	const scale = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
		ownScale = !ownScale;
		scale.setAttribute("aria-pressed", ownScale);
		lanes.forEach(paint);
	} }, "Each its own scale");
	const says = h("p", { class: "chosen", role: "status" });
	follow(() => {
		whole.disabled = isWhole();
		says.textContent = "Everything below is of " + (isWhole() ? "the whole recording, " + ns(data.time.ns) :
			clockOf(range.from) + " to " + clockOf(range.to) + ", " + ns((range.to - range.from) * binNs)) + ".";
	});
	return h("div", { class: "controls" },
		slider("From", () => range.from, (v) => choose(v, Math.max(range.to, v + 1))),
		slider("To", () => range.to, (v) => choose(Math.min(range.from, v - 1), v)), whole, scale, says);
}

/* --- the events of a moment --- */

const panel = h("div", { class: "events", id: "events", tabindex: -1, role: "region",
	"aria-label": "events of a moment" });

function eventRow(e) {
	const what = h("span", {}, h("b", {}, name(e.name)), " ", h("span", { class: "dim" }, name(e.text)));
	const stack = e.stack ? h("details", {}, h("summary", {}, "stack"), h("pre", {}, e.stack)) : "";
	return [clock(e.at, 1), ns(e.ns), [what, stack], e.kind, [e.comm ? [name(e.comm), "/"] : "", String(e.tid)]];
}

const eventTable = (caption, list) =>
	table(caption, ["at", "took", "what", "kind", "task"], list.map(eventRow), "eventlist");

/* Those of the container within `near` parts of time, the longest first. kind: only these, or undefined */
function showEvents(c, bin, near, kind) {
	const box = data.containers.indexOf(c), low = (bin - near) * binNs, high = (bin + near + 1) * binNs;
	const list = data.events.filter((e) => e.box === box && e.at >= low && e.at <= high)
		.filter((e) => !kind || kind.includes(e.kind))
		.sort((a, b) => (a.kind === "failed") - (b.kind === "failed") || b.ns - a.ns);
	replace(panel, h("h3", {}, name(titleOf(c)), " around " + clockOf(bin)),
		list.length ? eventTable("The longest events, and failures", list.slice(0, 12)) :
			h("p", {}, "Nothing is kept of this moment: it was spent on a CPU, or asleep."),
		list.length > 12 ? h("details", {}, h("summary", {}, many(list.length - 12, "other event")),
			eventTable("Other events", list.slice(12))) : "",
		data.recorded.stacks ? "" : missing("stacks of events", "ctrace record --stack"),
		h("button", { type: "button", onclick: () => panel.replaceChildren() }, "Close"));
	panel.focus({ preventScroll: true });
	panel.scrollIntoView({ block: "nearest" });
}

function timeline() {
	for (const c of data.containers)
		lanes.push(laneOf(c));
	const meanings = [
		["ran", "on a CPU"], ["waited", "waited for a CPU"], ["blocked", "blocked: slept, and no signal wakes it"],
		["throttled", "no CPU quota left"], ["lost", "events lost"], ["observer", "ctrace itself, the observer"],
	];
	const there = (k) => k === "lost" ? data.gaps.length : data.containers.some((c) => c.series[k].some((n) => n));
	const legend = meanings.filter(([k]) => there(k));
	return h("section", { id: "time", "aria-labelledby": "time-title" }, h("h2", { id: "time-title" }, "When"),
		h("p", { class: "legend" }, legend.map(([k, text]) => h("span", { class: "key " + k }, text))),
		h("p", { class: "dim" }, "Threads at once; each lane is one container, the most troubled first. " +
			"Drag over a lane to choose a time, click a peak for its events. By keys: arrows move, " +
			"Shift and arrows choose, Enter shows events, Escape is the whole recording."),
		controls(), h("div", { class: "lanes" }, axis(), lanes.map((l) => l.row)), panel);
}
