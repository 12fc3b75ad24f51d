#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only
"""calls.py TARGET SECONDS: the calls of each container by their time; they are counted in the kernel, not recorded."""
import sys
import time

import ctrace

with ctrace.Session(sys.argv[1], table_size=16 << 20) as session:
    calls = session.aggregate("calls", "count(), sum(duration), hist(duration) by syscall")
    time.sleep(float(sys.argv[2]))
    table = calls.table()
    names = {c.cid: c.name for c in ctrace.containers(ended=True, host=True)}
    names[ctrace.ALL] = "(ended)"
    for row in sorted(table, key=lambda r: r["sum(duration)"], reverse=True):
        print("%-16s %-20s %8d calls %10.3f ms, p99 %8.3f ms" % (
            names.get(row.cid, row.cid), "(other)" if row.other else row["syscall"], row["count()"],
            row["sum(duration)"] / 1e6, row["hist(duration)"].percentile(.99) / 1e6))
    print(table.lost, "lost")
