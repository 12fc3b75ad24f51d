# SPDX-License-Identifier: GPL-2.0-only
"""page.py PAGE CALLS OUT [AXE]: opens the page of 'report --html' in Chromium, and uses it as readers do.

CALLS has "CID CALL COUNT FAILED" of each call, from 'ctrace stats'. Pictures of the page are left in OUT. AXE is axe-core's
script. Prints what is wrong, a line each; the exit status is 1 then.

Two sizes, light and dark. The numbers that the page shows are compared with CALLS; those of a part of the time, and shares
of a flame graph, with what this program adds up from the page's data in its own way.
"""
import json
import re
import sys

from browser import Browser, Failed, bars

page, calls, out = sys.argv[1:4]
axe = open(sys.argv[4], encoding="utf-8").read() if len(sys.argv) > 4 else None
with open(page, encoding="utf-8") as f:
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', f.read(), re.S)[1])
with open(calls, encoding="utf-8") as f:
    wanted = sorted(f.read().splitlines())
named = [c for c in data["containers"] if "name" in c]
bad = []


def wrong(text):
    bad.append(text)
    print(f"{where}: {text}")


def same(what, expected, seen):
    if expected != seen:
        wrong(f"{what}: expected {str(expected)[:300]}, seen {str(seen)[:300]}")


def expand(numbers):
    for n in numbers:
        yield from [0] * -n if n < 0 else [n]


def shown_calls(b):
    """What the tables of calls have, of each container."""
    b.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    b.wait(f"document.querySelectorAll('.box .tiles').length === {len(named)}")
    b.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    return b.run(r"""[...document.querySelectorAll('.box')].flatMap((s) => [...s.querySelectorAll('table.calls tbody tr')].map((r) =>
        s.querySelector('h2').id.slice(1) + ' ' + r.children[0].textContent + ' ' + [1, 2].map((i) =>
        r.children[i].textContent.replace(/\D/g, '') || '0').join(' ')))""")


def box(b, selector):
    return b.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
                 "const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")


def drag(b, selector, start, end):
    left, top, width, height = box(b, selector)
    b.mouse("mousePressed", left + width * start, top + height / 2)
    for i in range(1, 6):
        b.mouse("mouseMoved", left + width * (start + (end - start) * i / 5), top + height / 2)
    b.mouse("mouseReleased", left + width * end, top + height / 2)


def totals(b):
    return b.run("[...document.querySelectorAll('.lane .sums')].map((e) => e.textContent)")


def look(b, dark):
    """The page as it is opened."""
    same("calls of each kind and container", wanted, sorted(shown_calls(b)))
    same("it is as wide as the window", True, b.run("document.documentElement.scrollWidth <= innerWidth"))
    # after json.loads() here, and JSON.parse() there, names are whatever they were
    same("characters that hide or reverse text", [], b.run(r"document.body.textContent.replace(/<script[^]*/, '').match(/[\u202a-\u202e\u2028\u2066-\u2069]/g) || []"))
    same("elements that names made", 0, b.run("document.querySelectorAll('#page b:not(bdi b, span b), #page script').length"))
    path = f"{out}/page-{where.replace(' ', '-')}.png"
    b.picture(path)
    same("rows of the wrong background", 0, bars(path, dark))
    verdicts = sorted(c["why"]["verdict"].split("\n")[0] for c in named if "why" in c)
    says = "[...document.querySelectorAll('.verdict')].map((v) => v.querySelector('.says').textContent)"
    same("verdicts", verdicts, sorted(b.run(says)))
    if axe:
        b.run(axe + "; 0")
        found = b.run("axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) =>"
                      "v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', ')))")
        same("what axe-core finds", [], found)


def brush(b):
    """By the mouse: everything below follows. A click lists events."""
    whole = totals(b)
    drag(b, ".plot", 0.25, 0.5)
    chosen = [int(n) for n in b.run("[range.from, range.to]")]
    if not (abs(chosen[0] - 150) < 4 and abs(chosen[1] - 301) < 4):
        wrong(f"a quarter was chosen, but it is {chosen}")
    if totals(b) == whole:
        wrong("the sums do not follow what is chosen")
    want = {}
    for c in named:
        for call in c["calls"]:
            n = failed = 0
            for i in range(0, len(call["cells"]), 5):
                at = call["cells"][i] * data["each"]["calls"]
                if at + data["each"]["calls"] > chosen[0] and at < chosen[1]:
                    n += call["cells"][i + 1]
                    failed += call["cells"][i + 2]
            if n:
                want[f"{c['cid']} {call['name']} {n} {failed}"] = 1
    same("calls of what is chosen", sorted(want), sorted(shown_calls(b)))
    series = [list(expand(b_["ns"])) for b_ in data["blame"]]
    waited = sum(sum(s[chosen[0]:chosen[1]]) for s in series)
    same("there are culprits of what is chosen", waited > 0, b.run("document.querySelectorAll('#blame .shade').length > 0"))
    b.run("choose(0, bins)")
    same("sums of the whole again", whole, totals(b))
    kept = max((e for e in data["events"] if e["box"] == 0), key=lambda e: e["ns"])
    left, top, width, height = box(b, ".plot")
    x = left + width * (kept["at"] / data["time"]["bin_ns"] + 0.5) / data["time"]["bins"]
    b.mouse("mousePressed", x, top + height / 2)
    b.mouse("mouseReleased", x, top + height / 2)
    text = b.run("document.getElementById('events').textContent")
    if kept["name"] not in text or str(kept["tid"]) not in text:
        wrong(f"a click does not list the longest event, {kept['name']} of {kept['tid']}: {text[:200]}")


def share(frames, at, word):
    """Samples of the frames below `at` that match, each once."""
    total, below = [0] * len(frames), [[] for _ in frames]
    for i in range(len(frames) - 1, -1, -1):
        total[i] += sum(frames[i].get("cells", [])[1::2])
        if i:
            total[frames[i]["of"]] += total[i]
            below[frames[i]["of"]].append(i)

    def matched(i):
        if i != at and word in frames[i]["name"].lower():
            return total[i]
        return sum(matched(k) for k in below[i])
    return total[at], matched(at)


def flame(b):
    """Search, zoom by a click: totals follow, and an ancestor that is not shown does not match."""
    first = next((i for i, c in enumerate(named) if c.get("flame") and len(c["flame"]) > 5), None)
    if first is None:
        wrong("no container has samples")
        return
    frames = [{"name": ""}] + named[first]["flame"]
    picture = f".box:nth-of-type(n) h2#c{named[first]['cid']}"
    root = f"document.querySelector({json.dumps(picture)}).closest('.box')"
    b.run(f"{root}.querySelector('details').open = true")
    b.wait(f"{root}.querySelector('.flame g')")
    word = max(((f["name"], len(f.get("cells", []))) for f in frames[1:]), key=lambda f: f[1])[0].lower()[:12]

    def search(text):
        b.run(f"(() => {{ const s = {root}.querySelector('input[type=search]'); s.value = {json.dumps(text)};"
              "s.dispatchEvent(new Event('input')); })()")
        return b.run(f"{root}.querySelector('.trail output').textContent")

    def says(part, whole):
        p = 100 * part / whole if whole else 0
        return f"{p:.1f}%" if p and p < 9.95 else f"{p:.0f}%"

    def near(seen, part, whole):
        # 0.5 is rounded up there, and to even here
        number = float(re.match(r"[\d.]+", seen)[0])
        return abs(number - (100 * part / whole if whole else 0)) <= 0.51
    all_samples, part = share(frames, 0, word)
    if not near(search(word), part, all_samples):
        wrong(f"a search for {word}: expected {says(part, all_samples)}, seen {search(word)}")
    program = max((i for i, f in enumerate(frames) if i and f["of"] == 0), key=lambda i: share(frames, i, "\0")[0])
    below, _ = share(frames, program, "\0")
    b.run(f"[...{root}.querySelectorAll('.flame g.program')].find((g) => g.getAttribute('aria-label').startsWith("
          f"{json.dumps(frames[program]['name'])} + ': ')).dispatchEvent(new Event('click'))")
    same("samples after a zoom", f"{below}", re.sub(r"\D", "", b.run(f"{root}.querySelector('h4 + .legend span').textContent")))
    name = frames[program]["name"].lower()
    seen, (_, part) = search(name), share(frames, program, name)
    if not near(seen, part, below):
        wrong(f"above what is shown, {name} matches: {seen}")
    small = b.run(f"[...{root}.querySelectorAll('.flame text')].every((t) => parseFloat(getComputedStyle(t).fontSize) >= 11 &&"
                  f"t.getBoundingClientRect().height >= 10)")
    same("names in frames can be read", True, small)
    search("")


def keyboard(b):
    """Nothing but keys."""
    focus = "document.activeElement"
    b.run("scrollTo(0, 0); document.activeElement.blur()")
    for _ in range(60):
        b.press("Tab")
        if b.run(f"{focus}.type === 'range'"):
            break
    before = b.run("range.from")
    b.press("ArrowRight")
    same("the slider moves the beginning", before + 1, b.run("range.from"))
    for _ in range(60):
        if b.run(f"{focus}.classList.contains('plot')"):
            break
        b.press("Tab")
    for _ in range(5):
        b.press("ArrowRight")
    for _ in range(10):
        b.press("ArrowRight", 8)
    same("arrows with Shift choose", [5, 16], b.run("[range.from, range.to]"))
    b.press("Enter")
    same("Enter shows events", "events", b.run(f"{focus}.id"))
    b.run("lanes[0].plot.focus()")
    b.press("Escape")
    same("Escape chooses the whole", True, b.run("isWhole()"))


def prints(b):
    path = f"{out}/page.pdf"
    b.printed(path)
    same("what is closed is printed, too", 0, b.run("document.querySelectorAll('details:not([open])').length"))
    with open(path, "rb") as pdf:
        same("pages", True, pdf.read().count(b"/Type /Page") > 2)


where = "start"
browser = Browser(out)
try:
    for width, height in (390, 844), (1280, 900):
        for theme in "light", "dark":
            where = f"{width} {theme}"
            for part in (lambda b: look(b, theme == "dark")), brush, flame, keyboard, prints:
                browser.open(f"file://{page}", width, height, theme == "dark")
                browser.wait("typeof range !== 'undefined' && lanes.length")
                part(browser)
                same("the console", [], browser.said)
                same("against its Content-Security-Policy", [], browser.violations)
except Failed as e:
    wrong(str(e))
finally:
    browser.close()
sys.exit(bool(bad))
