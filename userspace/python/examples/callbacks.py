#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only
"""callbacks.py CONTAINER SECONDS: the programs that a container starts, and its calls that fail."""
import errno
import sys

import ctrace

session = ctrace.Session(sys.argv[1], ["sched_process_exec", ("calls", "ret < 0")])


@session.on("sched_process_exec")
def started(event: ctrace.Event) -> None:
    print("exec", event["filename"], ctrace.arguments(event["argv"]))


@session.on("syscall_*")
def failed(event: ctrace.Event) -> None:
    print(event.vtid, event.syscall, event.get("filename", ""), errno.errorcode.get(-event["ret"], event["ret"]))


with session:
    print(session.run(float(sys.argv[2])))
