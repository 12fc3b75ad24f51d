# SPDX-License-Identifier: GPL-2.0-only
"""pictures.py PAGE OUT: what a reader of the page sees first, and the flame graph of the container that is held up most."""
import sys

from browser import Browser

page, out = sys.argv[1:3]
browser = Browser(out)
browser.open(f"file://{page}", 1000, 900, False)
browser.wait("typeof range !== 'undefined' && lanes.length")
browser.picture(f"{out}/report.png", whole=False)
browser.run("document.querySelectorAll('.box details').forEach((d) => { d.open = true; })")
browser.wait("document.querySelector('.box .flame g')")
browser.run("document.querySelector('.box .flame').closest('.box').querySelector('.trail').scrollIntoView()")
browser.picture(f"{out}/flame.png", whole=False)
browser.close()
