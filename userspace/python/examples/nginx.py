#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only
"""nginx.py CONTAINER [SECONDS]: what a container opens, connects to and starts, as it happens."""
import sys

import ctrace

with ctrace.Session(sys.argv[1], ["call:openat", "call:connect", "sched_process_exec"]) as session:
    for event in session.events(float(sys.argv[2]) if len(sys.argv) > 2 else None):
        print(event.vtid, event.syscall or event.name, event.get("filename", ""), event.get("ret", ""), flush=True)
    print(session.losses().lost, "lost")
