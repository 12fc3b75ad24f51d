# SPDX-License-Identifier: LGPL-2.1-only
"""Recordings: what ``ctrace record`` has written is read by the command, what libctrace writes is CTF for others."""
from __future__ import annotations

import json
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Optional, Tuple, Union

from . import _ctrace
from ._names import ask, command, complaint

if TYPE_CHECKING:
    from ._session import Session


class RecordedEvent:
    """An event of a recording; used as a live one is: ``event.name``, ``event["filename"]``, ``event.get(...)``.

    Its fields are as ``ctrace report --json`` shows them: addresses as ``"0x..."``, what arguments point to as objects.
    """

    __slots__ = ("name", "time", "realtime", "cid", "container", "tid", "vtid", "syscall", "errno", "duration",
                 "kernel_stack", "user_stack", "fields")

    def __init__(self, line: Dict[str, Any]) -> None:
        self.name: str = line["event"]
        self.time: int = line["time"]  #: CLOCK_MONOTONIC of the machine that recorded, ns
        self.realtime: int = line["realtime"]  #: CLOCK_REALTIME, ns
        self.cid: int = line["cid"]
        self.container: str = line["container"]  #: the container's name
        self.tid: int = line["tid"]
        self.vtid: int = line["vtid"]
        self.fields: Dict[str, Any] = line["fields"]
        self.syscall: Optional[str] = line.get("syscall")
        self.errno: Optional[str] = line.get("errno")  #: the name of the error that a call returned
        #: of a call that has returned, and of other spans, ns
        self.duration: Optional[int] = line.get("duration", self.fields.get("duration"))
        #: names, innermost first
        self.kernel_stack: Optional[Tuple[str, ...]] = tuple(line["kernel_stack"]) if "kernel_stack" in line else None
        self.user_stack: Optional[Tuple[str, ...]] = tuple(line["user_stack"]) if "user_stack" in line else None

    def __getitem__(self, field: str) -> Any:
        return self.fields[field]

    def __contains__(self, field: str) -> bool:
        return field in self.fields

    def get(self, field: str, default: Any = None) -> Any:
        return self.fields.get(field, default)

    def __repr__(self) -> str:
        return "%d.%09d %s %s tid=%d vtid=%d %r" % (*divmod(self.time, 10**9), self.name, self.container, self.tid,
                                                    self.vtid, self.fields)


class Recording:
    """What ``ctrace record -o DIRECTORY`` has written, as an iterable of events in order of time.

    ::

        for event in ctrace.Recording("/tmp/web", "web"):
            print(event)

    The events come from ``ctrace report --json``, a child process, line by line: in bounded memory, without the module and
    without privileges. targets: as the command takes them; none: all. Each iteration reads anew.
    """

    def __init__(self, directory: str, targets: Union[str, Iterable[str]] = ()) -> None:
        self.directory = directory
        self.targets = [targets] if isinstance(targets, str) else list(targets)
        #: records that the recording lacks, as far as it has been read
        self.lost = 0

    def __iter__(self) -> Iterator[RecordedEvent]:
        self.lost = 0
        with tempfile.TemporaryFile() as said, subprocess.Popen(
                [command(), "report", "--json", "--", self.directory, *self.targets], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=said, encoding="utf-8", errors="surrogateescape") as child:
            assert child.stdout is not None
            line = ""
            try:
                for line in child.stdout:
                    one = json.loads(line)
                    if "event" in one:
                        yield RecordedEvent(one)
                    else:
                        self.lost += one.get("lost", 0)
            except GeneratorExit:
                child.kill()
                raise
            if child.wait():
                said.seek(0)
                raise complaint(line, said.read().decode("utf-8", "replace"), child.returncode)

    def summary(self) -> Dict[str, Any]:
        """What ``ctrace report --summary --json`` says: what was asked for, and of each container its numbers."""
        found: Dict[str, Any] = ask("report", "--summary", "--", self.directory, *self.targets)[0]
        return found


def write(session: "Session", directory: str, duration: Optional[float], replace: bool) -> Dict[str, int]:
    """Session.record()"""
    reader = session.reader._r
    writer = _ctrace.Writer(directory, session.connection.schema, reader, _ctrace.CTF_REPLACE if replace else 0)
    end = None if duration is None else time.monotonic() + duration
    try:
        while True:
            wrote = writer.drain()
            if wrote == 0 and reader.draining or wrote < 0:
                break
            if end is not None and time.monotonic() >= end and not reader.draining:
                session.stop()
            if wrote == 0:
                time.sleep(0.01)
        return writer.info()
    finally:
        writer.close()
