(function () {
	"use strict";
	var side = 10, whole = 1180, width = whole, character = 6.6, root = document.documentElement;
	var frames = [].slice.call(document.querySelectorAll(".f")).map(function (g) {
		var t = g.querySelector("text");
		return {
			g: g, r: g.querySelector("rect"), t: t, name: t.getAttribute("data-n"), x: +g.getAttribute("data-x"),
			w: +g.getAttribute("data-w"), d: +g.getAttribute("data-d"), v: +g.getAttribute("data-v"),
			k: +g.getAttribute("data-k"), above: false
		};
	});
	var by = function (id) { return document.getElementById(id); };
	var height = +root.getAttribute("viewBox").split(" ")[3], said = by("info").textContent;
	var at = frames[0], word = "", kernel = frames.some(function (f) { return f.k; });

	function fit(f, w) {
		var room = Math.floor((w - 6) / character);
		f.t.textContent = room < 3 ? "" : f.name.length <= room ? f.name : f.name.slice(0, room - 2) + "..";
	}
	function match() {
		var spans = [], sum = 0, end = -1, re = null;
		try {
			re = word ? new RegExp(word) : null;
		} catch (e) {
			by("match").textContent = "not a regular expression: " + word;
			return;
		}
		frames.forEach(function (f) {
			/* what calls the frame that is shown is no part of it */
			var hit = re && f.d > 0 && !f.above && re.test(f.name);
			f.g.classList.toggle("hit", !!hit);
			if (hit && f.x < at.x + at.w && f.x + f.w > at.x)
				spans.push([Math.max(f.x, at.x), Math.min(f.x + f.w, at.x + at.w)]);
		});
		/* a frame above another that matches is counted once */
		spans.sort(function (a, b) { return a[0] - b[0]; }).forEach(function (s) {
			sum += Math.max(0, s[1] - Math.max(s[0], end));
			end = Math.max(end, s[1]);
		});
		by("match").textContent = re ? word + ": " + (100 * sum / at.w).toFixed(2) + "%" : "";
		by("search").textContent = re ? "clear" : "search";
	}
	/* Of what is shown. */
	function tell() {
		var share = function (n) { return (100 * n / at.v).toFixed(1) + "%"; };
		var text = at === frames[0] ? said : at.v + " " + by("info").getAttribute("data-unit") + " in " + at.name;
		by("info").textContent = text + (kernel && at.v ? ": kernel " + share(at.k) + ", user " + share(at.v - at.k) : "");
	}
	function zoom(to) {
		var scale = width / to.w, slack = 0.002;	/* data-x and data-w have three digits */
		at = to;
		frames.forEach(function (f) {
			var around = f.d <= to.d && f.x <= to.x + slack && f.x + f.w >= to.x + to.w - slack;
			var inside = f.d >= to.d && f.x >= to.x - slack && f.x + f.w <= to.x + to.w + slack;
			var x = around ? 0 : (f.x - to.x) * scale, w = around ? width : f.w * scale;
			/* narrower ones are only a blur */
			f.g.style.display = around || (inside && w >= 0.4) ? "" : "none";
			f.above = around && f !== to && f.d < to.d;
			f.g.classList.toggle("dim", f.above);
			f.r.setAttribute("x", side + x);
			f.r.setAttribute("width", w);
			f.t.setAttribute("x", side + x + 3);
			fit(f, w);
		});
		by("reset").setAttribute("visibility", to === frames[0] ? "hidden" : "visible");
		tell();
		match();
	}
	/* As the only thing in a window, it is as wide as that, in letters of their own size. */
	function lay() {
		var all = window.parent === window ? Math.max(320, root.clientWidth || innerWidth) : whole + 2 * side;
		width = all - 2 * side;
		root.setAttribute("viewBox", "0 0 " + all + " " + height);
		if (window.parent === window)
			root.setAttribute("height", height);
		by("reset").setAttribute("x", all - 150);
		by("search").setAttribute("x", all - 60);
		by("match").setAttribute("x", all - side);
		/* over the totals, if both do not fit beside each other */
		by("match").setAttribute("y", height - (all < 700 ? 0 : 10));
		by("info").setAttribute("y", height - (all < 700 ? 15 : 10));
		containers();
		zoom(at);
	}
	/* the containers, the largest first, as far as one line has room */
	function containers() {
		var x = side, list = frames.filter(function (f) { return f.d === 1; });
		by("containers").textContent = "";
		list.sort(function (a, b) { return b.w - a.w; }).forEach(function (f) {
			var t = document.createElementNS("http://www.w3.org/2000/svg", "text");
			t.textContent = f.name + " " + (100 * f.w / whole).toFixed(1) + "%";
			if (list.length < 2 || x + t.textContent.length * character > width)
				return;
			t.setAttribute("class", "b");
			t.setAttribute("x", x);
			t.setAttribute("y", 64);
			t.addEventListener("click", function () { zoom(f); });
			by("containers").appendChild(t);
			x += (t.textContent.length + 2) * character;
		});
	}
	frames.forEach(function (f) {
		f.g.setAttribute("tabindex", "0");
		f.g.addEventListener("click", function () { zoom(f); });
		f.g.addEventListener("keydown", function (e) {
			if (e.key === "Enter")
				zoom(f);
		});
	});
	by("reset").addEventListener("click", function () { zoom(frames[0]); });
	by("search").addEventListener("click", function () {
		word = word ? "" : prompt("Frames whose name matches this regular expression:", "") || "";
		match();
	});
	document.addEventListener("keydown", function (e) {
		if (e.key === "Escape")
			zoom(frames[0]);
		else if (e.key === "f" && (e.ctrlKey || e.metaKey)) {
			e.preventDefault();
			word = "";
			by("search").dispatchEvent(new MouseEvent("click"));
		}
	});
	window.addEventListener("resize", lay);
	lay();
}());
