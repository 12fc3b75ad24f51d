(function () {
	"use strict";
	var side = 10, width = 1180, character = 6.6;
	var frames = [].slice.call(document.querySelectorAll(".f")).map(function (g) {
		var t = g.querySelector("text");
		return {
			g: g, r: g.querySelector("rect"), t: t, name: t.getAttribute("data-n"),
			x: +g.getAttribute("data-x"), w: +g.getAttribute("data-w"), d: +g.getAttribute("data-d")
		};
	});
	var by = function (id) { return document.getElementById(id); };
	var at = frames[0], word = "";

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
			var hit = re && f.d > 0 && re.test(f.name);
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
	function zoom(to) {
		var scale = width / to.w, slack = to.w * 1e-6;
		at = to;
		frames.forEach(function (f) {
			var around = f.d <= to.d && f.x <= to.x + slack && f.x + f.w >= to.x + to.w - slack;
			var inside = f.d >= to.d && f.x >= to.x - slack && f.x + f.w <= to.x + to.w + slack;
			var x = around ? 0 : (f.x - to.x) * scale, w = around ? width : f.w * scale;
			f.g.style.display = around || inside ? "" : "none";
			f.g.classList.toggle("dim", around && f !== to && f.d < to.d);
			f.r.setAttribute("x", side + x);
			f.r.setAttribute("width", w);
			f.t.setAttribute("x", side + x + 3);
			fit(f, w);
		});
		by("reset").setAttribute("visibility", to === frames[0] ? "hidden" : "visible");
		match();
	}
	frames.forEach(function (f) {
		f.g.addEventListener("click", function () { zoom(f); });
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
	/* the containers, the largest first, as far as one line has room */
	var x = side, list = frames.filter(function (f) { return f.d === 1; });
	list.sort(function (a, b) { return b.w - a.w; }).forEach(function (f) {
		var t = document.createElementNS("http://www.w3.org/2000/svg", "text");
		if (list.length < 2 || x > width - 100)
			return;
		t.textContent = f.name + " " + (100 * f.w / width).toFixed(1) + "%";
		t.setAttribute("class", "b");
		t.setAttribute("x", x);
		t.setAttribute("y", 46);
		t.addEventListener("click", function () { zoom(f); });
		by("containers").appendChild(t);
		x += (t.textContent.length + 2) * character;
	});
}());
