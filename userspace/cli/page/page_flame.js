
/* --- where the CPUs were: a flame graph of a container, outermost frames on top --- */

const FRAME = 19, NARROW = 2, LETTER = 6.8;

/* Frames of a container, with what they and those they call had in the range. A caller comes before what it calls. */
function weigh(frames) {
	for (const f of frames) {
		f.self = 0;
		for (const i of chosen(f.cells || [], 2, data.each.flame))
			f.self += f.cells[i + 1];
		f.total = f.self;
	}
	for (let i = frames.length - 1; i > 0; i--)
		frames[frames[i].of].total += frames[i].total;
}

/* The frames with their depth and what they call. The first one is the container. */
function treeOf(c) {
	const frames = [{ name: c.name, depth: 0, calls: [] }].concat(c.flame);
	frames.forEach((f, i) => {
		f.index = i;
		f.calls = [];
		if (i) {
			f.depth = frames[f.of].depth + 1;
			frames[f.of].calls.push(f);
		}
		f.kind = !i ? "box" : f.name === "(idle)" ? "idle" : f.kernel ? "in-kernel" : f.depth === 1 ?
			"program" : "in-user";
	});
	for (const f of frames)
		f.calls.sort((a, b) => a.name < b.name ? -1 : 1);
	return frames;
}

const inFrame = (f, top, frames) => {
	for (; f !== top && f.index; f = frames[f.of])
		;
	return f === top;
};

function flame(c) {
	if (!data.recorded.samples)
		return missing("where the CPUs were", "ctrace record");
	if (!c.flame)
		return h("p", { class: "dim" }, "No sample hit it.");
	const frames = treeOf(c);
	let top = frames[0], word = "", focus = 0, drawn = [];
	const picture = svg("svg", { class: "flame", role: "group", "aria-label": "flame graph of " + c.name });
	const says = h("p", { class: "frame", role: "status" }), totals = h("p", { class: "legend" });
	const trail = h("p", { class: "trail" }), found = h("output", {}), functions = h("div", {});
	const search = h("input", { type: "search", placeholder: "part of a name",
		"aria-label": "search frames of " + c.name,
		oninput: () => { word = search.value.toLowerCase(); draw(); } });
	const matches = (f) => word && f.index && f.name.toLowerCase().includes(word);
	const share = (f) => f.name + ": " + many(f.total, "sample") + ", " + percent(f.total, top.total) +
		(top.index ? " of what is shown" : "") +
		(f.self ? ", " + many(f.self, "sample") + " in it itself" : "");

	function zoom(f) {
		top = f;
		focus = 0;
		draw();
	}
	function point(i) {
		focus = Math.max(0, Math.min(drawn.length - 1, i));
		drawn.forEach((d, k) => d.g.setAttribute("tabindex", k === focus ? 0 : -1));
		says.textContent = share(drawn[focus].f);
	}
	/* The frame to which an arrow leads. */
	function lead(key) {
		const at = drawn[focus], level = drawn.filter((d) => d.f.depth === at.f.depth), k = level.indexOf(at);
		if (key === "ArrowLeft" || key === "ArrowRight")
			return level[k + (key === "ArrowLeft" ? -1 : 1)];
		if (key === "ArrowUp")
			return drawn.find((d) => d.f === frames[at.f.of]);
		return drawn.find((d) => d.f.index && frames[d.f.of] === at.f);
	}
	function onKey(e) {
		if (e.key.startsWith("Arrow")) {
			const to = lead(e.key);
			if (to) {
				point(drawn.indexOf(to));
				to.g.focus();
			}
		} else if (e.key === "Enter" || e.key === " ") {
			zoom(drawn[focus].f);
			drawn[0].g.focus();
		} else if (e.key === "Escape") {
			zoom(frames[0]);
			drawn[0].g.focus();
		} else {
			return;
		}
		e.preventDefault();
	}
	/* Names are cut at what fits, about. */
	function put(f, x, y, w) {
		const room = Math.floor((w - 8) / LETTER);
		const text = room < 3 ? "" : f.name.length <= room ? f.name : f.name.slice(0, room - 1) + "…";
		const g = svg("g", { class: f.kind + (matches(f) ? " hit" : ""), tabindex: -1, role: "button",
			"aria-label": share(f) },
			svg("rect", { x: x + 0.5, y: y, width: Math.max(1, w - 1), height: FRAME - 1, rx: 2 }),
			text ? svg("text", { x: x + 5, y: y + 13 }, text) : "");
		const i = drawn.push({ f: f, g: g }) - 1;
		g.addEventListener("click", () => zoom(f));
		g.addEventListener("pointerenter", () => point(i));
		g.addEventListener("focus", () => point(i));
	}
	function walk(f, x, w, depth) {
		put(f, x, depth * FRAME, w);
		let deepest = depth;
		for (const d of f.calls) {
			const part = f.total ? w * d.total / f.total : 0;
			if (part >= NARROW)
				deepest = Math.max(deepest, walk(d, x, part, depth + 1));
			x += part;
		}
		return deepest;
	}
	/* A frame that calls one of the same name again counts once; the callers of what is shown do not count. */
	function matched(f) {
		return matches(f) && f !== top ? f.total : f.calls.reduce((n, d) => n + matched(d), 0);
	}
	function draw() {
		const width = picture.clientWidth || picture.parentNode && picture.parentNode.clientWidth || 600;
		weigh(frames);
		drawn = [];
		const deepest = top.total ? walk(top, 0, width, 0) : -1;
		picture.replaceChildren(...drawn.map((d) => d.g));
		picture.setAttribute("viewBox", "0 0 " + width + " " + (deepest + 1) * FRAME);
		picture.setAttribute("height", (deepest + 1) * FRAME);
		let kernel = 0, user = 0, idle = 0;
		for (const f of frames)
			if (f.self && inFrame(f, top, frames))
				if (f.kind === "idle")
					idle += f.self;
				else if (f.kind === "in-kernel")
					kernel += f.self;
				else
					user += f.self;
		replace(totals, h("span", {}, many(top.total, "sample")), h("span", { class: "key in-user" },
			"user code " + percent(user, top.total)),
			h("span", { class: "key in-kernel" }, "kernel " + percent(kernel, top.total)),
			idle ? h("span", { class: "key idle" }, "idle " + percent(idle, top.total)) : "",
				h("span", { class: "key program" }, "program"));
		replace(trail, path(), found);
		found.textContent = word ? percent(matched(top), top.total) + " in frames that match" : "";
		replace(functions, list());
		if (drawn.length)
			point(Math.min(focus, drawn.length - 1));
		else
			says.textContent = "No sample in this time.";
	}
	function path() {
		const above = [];
		for (let f = top; f.index; f = frames[f.of])
			above.unshift(f);
		return top.index ? [h("button", { type: "button", onclick: () => zoom(frames[0]) }, "All"),
			above.slice(0, -1).slice(-3).map((f) =>
			h("button", { type: "button", onclick: () => zoom(f) }, name(f.name))), " " + top.name +
				" "] : "";
	}
	/* The same for who does not see the picture. */
	function list() {
		const self = new Map();
		for (const f of frames)
			if (f.self && inFrame(f, top, frames))
				self.set(f.name, (self.get(f.name) || 0) + f.self);
		const rows = [...self].sort((a, b) => b[1] - a[1]).slice(0, 20);
		return rows.length ? h("details", {}, h("summary", {}, "Functions by samples in them"),
			table("Functions by samples in them", ["function", "samples", "share"], rows.map(([f,
				n]) => [name(f), count(n), percent(n, top.total)]))) : "";
	}
	picture.addEventListener("keydown", onKey);
	follow(draw);
	let width = 0;
	new ResizeObserver(() => {
		if (picture.clientWidth === width)
			return;
		width = picture.clientWidth;
		draw();
	}).observe(picture);
	return h("div", {}, h("h4", {}, "Where the CPUs were"), totals, h("p", { class: "controls" }, h("label",
		{}, "Search ", search), trail), picture, says,
		functions);
}

/* --- the page --- */

function facts(c) {
	const at = (t, word) => t > data.time.began && t < data.time.began + data.time.ns ? ", " + word + " " +
		clock(t - data.time.began, 1) : "";
	return c.host ? h("p", { class: "dim" }, "What is in no container.") : h("p", { class: "dim" },
		[c.runtime, c.image, c.cgroup].filter((s) => s).map((s, i) => [i ? ", " : "", name(s)]),
			at(c.first_seen, "began"), c.gone ? at(c.gone, "ended") : "");
}

/* It is drawn when it is first opened. */
function container(c, open) {
	const body = h("div", {});
	const box = h("details", { open: open, ontoggle: () => { if (box.open) fillIn(); } },
		h("summary", {}, h("h2", { id: "c" + c.cid }, name(c.name)), causeOf(c)), body);
	let there = false;
	function fillIn() {
		if (there)
			return;
		there = true;
		body.append(...[facts(c), tiles(c), tasks(c), h("h3", {}, "Calls"), calls(c), fails(c), h("h3",
			{}, "Latency"), heats(c),
			h("h3", {}, "Code"), flame(c)].filter((e) => e));
	}
	box.fillIn = fillIn;
	if (open)
		fillIn();
	return h("section", { class: "box" }, box);
}

function head() {
	const s = data.summary, title = s.recording.replace(/\/+$/, "").split("/").pop();
	const day = new Date(data.time.realtime_ms);
	return h("header", {}, h("h1", {}, name(title)), h("p", { class: "dim" }, name(s.host || "?") , ", " +
		day.toLocaleDateString("en-GB", { day: "numeric",
		month: "long", year: "numeric" }) + ", " + clock(0, 1e9) + " for " + ns(data.time.ns) + ", " +
			many(s.events, "event") + ", lost: ", losses()));
}

function start() {
	const named = data.containers.filter((c) => !c.others);
	/* those in trouble, and at least one */
	const boxes = named.map((c, i) => container(c, i === 0 || (i < 4 && isHeld(c))));
	const links = [["#verdict", "Verdict"], ["#time", "When"], ["#blame", "Who waited for whom"],
		data.diff ? ["#diff", "What changed"] : null,
		["#about", "The recording"]].filter((l) => l);
	document.getElementById("page").replaceChildren(head(),
		h("nav", { "aria-label": "parts of the page" }, links.map(([to, text]) => h("a", { href: to },
			text))),
		verdicts(), named.length ? timeline() : h("p", {}, "There are no events."), named.length ?
			blame() : "", ...boxes,
		...[difference(), about()].filter((e) => e));
	const openAt = () => {
		const at = location.hash && document.getElementById(location.hash.slice(1));
		if (at && at.closest("details"))
			at.closest("details").open = true;
	};
	addEventListener("hashchange", openAt);
	openAt();
	addEventListener("beforeprint", () => {
		document.querySelectorAll("details").forEach((d) => d.fillIn && d.fillIn());
		document.querySelectorAll("details").forEach((d) => { d.open = true; });
	});
}
start();
