# SPDX-License-Identifier: LGPL-2.1-only
"""Traces containers through the ctrace kernel module.

::

    import ctrace

    with ctrace.Session("nginx", ["call:openat", "sched_process_exec"]) as session:
        for event in session:
            print(event.name, event.fields)
        print(session.losses())

Sessions, targets, probes and tables are libctrace's: libctrace(3) describes them. Names of containers and recordings
are the command's: ctrace(1). Errors are ``ctrace.Error``, with ``errno`` and the library's sentence. To trace takes
CAP_SYS_ADMIN, or CAP_PERFMON where the kernel has it.
"""
from typing import List

from ._aggregate import Aggregate, Histogram, Row, Table
from ._ctrace import Event, EventType, version
from ._errors import Error
from ._names import ALL, HOST, Container, Target, container, containers
from ._recording import RecordedEvent, Recording
from ._session import Connection, Frozen, Losses, Probe, Reader, Session, open_view

__all__ = ["ALL", "Aggregate", "Connection", "Container", "Error", "Event", "EventType", "Frozen", "HOST", "Histogram",
           "Losses", "Probe", "Reader", "RecordedEvent", "Recording", "Row", "Session", "Table", "Target", "arguments",
           "container", "containers", "open_view", "version"]


def arguments(text: str) -> List[str]:
    """The arguments in ``argv`` of sched_process_exec: a blank ends each; one within, or a backslash, has a backslash before."""
    found, word, quoted = [], "", False
    for c in text:
        if quoted or c not in "\\ ":
            word, quoted = word + c, False
        elif c == "\\":
            quoted = True
        else:
            found.append(word)
            word = ""
    return found + [word]
