/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The script of the page that 'ctrace report --html' writes: page.js, page_time.js, page_parts.js and page_flame.js,
 * one after another. Plain JavaScript, 41 KB: d3 (Debian's node-d3, 250 KB) would take the place of the axis and
 * the brush, 100 lines. It fetches nothing, and calls things as put.c does.
 */
"use strict";

/* --- the data --- */

/* Names are whatever containers chose. Characters that hide, reverse or break text are shown as their numbers. */
const hidden = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e" +
	"\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff\\u{e0000}-\\u{e007f}]", "gu");
const shown = (s) => s.replace(hidden, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
const data = JSON.parse(document.getElementById("data").textContent,
	(key, v) => typeof v === "string" ? shown(v) : v);
const bins = data.time.bins, binNs = data.time.bin_ns;

/* -N stands for N zeros. */
function numbers(list) {
	const v = new Array(bins).fill(0);
	let at = 0;
	for (const n of list || [])
		if (n < 0)
			at -= n;
		else
			v[at++] = n;
	return v;
}
for (const c of data.containers)
	for (const key of ["ran", "waited", "throttled", "blocked", "observer", "calls", "failed", "requests",
		"bytes",
		"ended", "sent", "received"])
		c.series[key] = numbers(c.series[key]);
for (const b of data.blame)
	b.ns = numbers(b.ns);

/* --- what is chosen: parts of time, from <= part < to --- */

const range = { from: 0, to: bins };
const followers = [];
const isWhole = () => range.from === 0 && range.to === bins;
function follow(update) {
	followers.push(update);
	update();
}
function choose(from, to) {
	range.from = Math.max(0, Math.min(from, bins - 1));
	range.to = Math.min(bins, Math.max(to, range.from + 1));
	for (const update of followers)
		update();
}
function sum(list) {
	let n = 0;
	for (let i = range.from; i < range.to; i++)
		n += list[i];
	return n;
}
/* Cells whose parts are `each` of the page's: those that begin in the range. size: numbers of each cell */
function* chosen(cells, size, each) {
	for (let i = 0; i < cells.length; i += size) {
		const bin = cells[i] * each;
		if (isWhole() || (bin + each > range.from && bin < range.to))
			yield i;
	}
}

/* --- text --- */

function digits(n) {
	return n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2);
}
function ns(n) {
	if (n >= 60e9)
		return digits(n / 60e9) + " min";
	return n >= 1e9 ? digits(n / 1e9) + " s" : n >= 1e6 ? digits(n / 1e6) + " ms" : n >= 1e3 ?
		digits(n / 1e3) + " µs" :
		Math.round(n) + " ns";
}
function bytes(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let u = 0;
	for (; n >= 1024 && u < 4; u++)
		n /= 1024;
	return (u ? digits(n) : n) + " " + units[u];
}
const count = (n) => n.toLocaleString("en").replace(/,/g, "\u202f");
const many = (n, one, several) => count(n) + " " + (n === 1 ? one : several || one + "s");
function percent(part, whole) {
	const p = whole ? 100 * part / whole : 0;
	return (p && p < 9.95 ? p.toFixed(1) : p.toFixed(0)) + "%";
}
/* The time of day; step: ns that two times beside each other differ by. */
function clock(at, step) {
	const ms = data.time.realtime_ms + at / 1e6, d = new Date(ms);
	const two = (n) => String(n).padStart(2, "0");
	const text = two(d.getHours()) + ":" + two(d.getMinutes()) + ":" + two(d.getSeconds());
	return step >= 1e9 ? text : text + "." + String(Math.floor(ms) % 1000).padStart(3, "0");
}
const clockOf = (bin) => clock(bin * binNs, binNs);

/* --- elements --- */

function fill(e, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {}))
		if (name.startsWith("on"))
			e.addEventListener(name.slice(2), value);
		else if (value === true)
			e.setAttribute(name, "");
		else if (value !== false && value !== undefined)
			e.setAttribute(name, value);
	for (const c of children.flat(3))
		if (c !== null && c !== undefined && c !== "")
			e.append(c);
	return e;
}
/* Text is never taken for markup. */
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
	fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
/* A name that others chose does not change the direction of the text around it. */
const name = (s) => h("bdi", {}, s);
const missing = (what, how) => h("p", { class: "missing" }, "Not recorded: " + what + ". Record it with ",
	h("code", {}, how), ".");

/* rows: lists of cells; the first cell of each is its name. heads: text, "" if the column is self-evident. */
function table(caption, heads, rows, className) {
	return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
		h("table", { class: className }, h("caption", {}, caption),
			h("thead", {}, h("tr", {}, heads.map((t) => h("th", { scope: "col" }, t)))),
			h("tbody", {}, rows.map((r) => h("tr", {},
				r.map((c, i) => i ? h("td", {}, c) : h("th", { scope: "row" }, c)))))));
}
/* What was open stays open. */
function replace(e, ...children) {
	const open = [...e.querySelectorAll("details")].map((d) => d.open);
	e.replaceChildren(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== ""));
	e.querySelectorAll("details").forEach((d, i) => { d.open = d.open || !!open[i]; });
}
const titleOf = (c) => c.others ? many(c.others, "other container") : c.name;
