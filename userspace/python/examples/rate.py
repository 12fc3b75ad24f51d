#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only
"""rate.py [EVENTS]: how many events a second the package takes from the kernel's rings.

It makes its own load, before it reads: the rings are filled with EVENTS (default 100,000) whole calls of this process, and
then only reading is timed, in processor time of this process: iterating; iterating and looking at a field; all fields.
"""
import os
import sys
import time
from typing import Callable, Iterable

import ctrace


def nothing(events: Iterable[ctrace.Event]) -> int:
    n = 0
    for _ in events:
        n += 1
    return n


def one_field(events: Iterable[ctrace.Event]) -> int:
    n = 0
    for event in events:
        event["ret"]
        n += 1
    return n


def all_fields(events: Iterable[ctrace.Event]) -> int:
    n = 0
    for event in events:
        event.fields
        n += 1
    return n


def measure(label: str, work: Callable[[Iterable[ctrace.Event]], int], count: int) -> None:
    # 64 bytes a record and more; the ring of the one CPU that we run on has to hold them all
    ring = 1 << (count * 96).bit_length()
    with ctrace.Session("pid:%d" % os.getpid(), "call:getpriority", ring_size=ring,
                        buffer_size=ring * 4 * (os.cpu_count() or 1)) as session:
        for _ in range(count):
            os.getpriority(os.PRIO_PROCESS, 0)
        session.stop()
        began = time.process_time()
        n = work(session)
        took = time.process_time() - began
        print("%s: %d events, %d a second; %d lost" % (label, n, n / took, session.losses().lost), flush=True)


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    measure("iterated", nothing, number)
    measure("one field", one_field, number)
    measure("all fields", all_fields, number)
