# SPDX-License-Identifier: GPL-2.0-only
"""flame.py SVG OUT: opens a flame graph by itself in Chromium, and uses it as readers do. Pictures are left in OUT. Prints what
is wrong, a line each; the exit status is 1 then.

Two sizes, light and dark: names are as large as letters are, the window has one background, a zoom's totals are those of the
frame, and a search finds nothing in what is not shown.
"""
import sys

from browser import Browser, Failed, bars

picture, out = sys.argv[1:3]
bad = []


def same(what, expected, seen):
    if expected != seen:
        bad.append(what)
        print(f"{where}: {what}: expected {expected}, seen {seen}")


def look(b, dark):
    same("the console", [], b.said)
    same("letters", True, b.run("[...document.querySelectorAll('.f text')].every((t) => !t.textContent || t.getBoundingClientRect().height > 9)"))
    same("as wide as the window", True, b.run("Math.abs(document.documentElement.getBoundingClientRect().width - innerWidth) < 20"))
    path = f"{out}/flame-{where.replace(' ', '-')}.png"
    b.picture(path, whole=False)
    same("rows of the wrong background", 0, bars(path, dark))
    same("kernel and user code are in the legend", True, b.run("/user code.*kernel/.test(document.getElementById('legend').textContent)"))
    # the largest frame of a program, which is below that of its container
    b.run("window.frame = [...document.querySelectorAll('.f')].filter((g) => g.dataset.d === '2').sort((a, b) => b.dataset.w - a.dataset.w)[0]")
    name, samples, kernel = b.run("[frame.querySelector('text').dataset.n, +frame.dataset.v, +frame.dataset.k]")
    b.run("frame.dispatchEvent(new Event('click'))")
    want = f"{samples} samples in {name}: kernel {100 * kernel / samples:.1f}%, user {100 - 100 * kernel / samples:.1f}%"
    same("totals after a zoom", want, b.run("document.getElementById('info').textContent"))
    container = b.run("[...document.querySelectorAll('.f')].find((g) => g.dataset.d === '1' && g.classList.contains('dim')).querySelector('text').dataset.n")
    b.run(f"window.prompt = () => '^' + {container!r} + '$'; document.getElementById('search').dispatchEvent(new Event('click'))")
    same("what is faded does not match", f"^{container}$: 0.00%", b.run("document.getElementById('match').textContent"))
    same("and is not marked", 0, b.run("document.querySelectorAll('.hit').length"))


where = "start"
browser = Browser(out)
try:
    for width, height in (390, 844), (1200, 900):
        for theme in "light", "dark":
            where = f"{width} {theme}"
            browser.open(f"file://{picture}", width, height, theme == "dark")
            browser.wait("document.getElementById('containers')")
            look(browser, theme == "dark")
except Failed as e:
    bad.append(e)
    print(f"{where}: {e}")
finally:
    browser.close()
sys.exit(bool(bad))
