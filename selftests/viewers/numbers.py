# SPDX-License-Identifier: GPL-2.0-only
"""numbers.py KIND FILE: prints numbers that a viewer shows, a line each, for check.sh.

kshark      FILE is a trace.dat, read by KernelShark's own library: "TID EVENT" of each entry
flame       FILE is what Chromium made of a flame graph: "DEPTH SAMPLES NAME" of each frame
speedscope  of speedscope: "TOTAL SELF NAME" of each row of its table of functions, "profile NAME TOTAL" of each profile
"""
import ctypes
import html.parser
import re
import sys


def kshark(path):
    # As in libkshark.h of KernelShark 2.
    class Entry(ctypes.Structure):
        _fields_ = [("next", ctypes.c_void_p), ("visible", ctypes.c_uint16), ("stream", ctypes.c_int16),
                    ("event", ctypes.c_int16), ("cpu", ctypes.c_int16), ("pid", ctypes.c_int32),
                    ("offset", ctypes.c_int64), ("ts", ctypes.c_int64)]

    lib = ctypes.CDLL("libkshark.so.2")
    pointer = ctypes.POINTER(Entry)
    lib.kshark_get_event_name.restype = ctypes.c_char_p
    lib.kshark_get_event_name.argtypes = [pointer]
    lib.kshark_load_entries.restype = ctypes.c_ssize_t
    lib.kshark_load_entries.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(pointer))]
    context = ctypes.c_void_p()
    if not lib.kshark_instance(ctypes.byref(context)):
        sys.exit("no instance of KernelShark")
    stream = lib.kshark_open(context, path.encode())
    if stream < 0:
        sys.exit(f"KernelShark does not open {path}: {stream}")
    rows = ctypes.POINTER(pointer)()
    for i in range(lib.kshark_load_entries(context, stream, ctypes.byref(rows))):
        # the name is like sched/sched_switch
        print(rows[i].contents.pid, lib.kshark_get_event_name(rows[i]).decode().split("/")[-1])


class Document(html.parser.HTMLParser):
    """Tells of each element's text, when it ends, by found(tag, attributes, text)."""

    def __init__(self, found):
        super().__init__()
        self.found, self.open = found, []

    def handle_starttag(self, tag, attrs):
        self.open.append([tag, dict(attrs), ""])

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_data(self, data):
        for element in self.open:
            element[2] += data

    def handle_endtag(self, tag):
        # elements without an end are within it
        while self.open:
            element = self.open.pop()
            if element[0] == tag:
                self.found(self, *element)
                break


def read(path, found):
    with open(path, encoding="utf-8") as f:
        Document(found).feed(f.read())


def read_rows(path, found):
    """Tells of each row of a table by found(document, cells). A row of titles has no cells."""
    cells = []

    def ended(document, tag, _, text):
        if tag == "td":
            cells.append(text)
        elif tag == "tr":
            found(document, cells)
            cells.clear()
    read(path, ended)


def flame(path):
    def found(document, tag, _, text):
        if tag == "title" and "data-d" in document.open[-1][1]:
            name, samples = re.fullmatch(r"(.*) \((\d+) samples, [^()]*\)", text, re.S).groups()
            print(document.open[-1][1]["data-d"], samples, name)
    read(path, found)


def speedscope(path):
    def found(_, cells):
        if len(cells) == 3 and "%" in cells[0]:
            print(cells[0].split()[0], cells[1].split()[0], cells[2])
        elif len(cells) == 3:
            print("profile", cells[1], cells[2])
    read_rows(path, found)


{"kshark": kshark, "flame": flame, "speedscope": speedscope}[sys.argv[1]](sys.argv[2])
