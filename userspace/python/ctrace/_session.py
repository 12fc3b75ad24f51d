# SPDX-License-Identifier: LGPL-2.1-only
"""Connections, sessions and readers."""
from __future__ import annotations

import errno
import fnmatch
from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from . import _ctrace
from ._aggregate import Aggregate
from ._ctrace import Event, EventType
from ._errors import Error
from ._names import Container, Target, targets_of


@dataclass(frozen=True)
class Losses:
    """What a reader saw, and what was not recorded, by cause; see libctrace(3), Losses.

    Once the reader has taken all, ``seen + overrun`` is exactly the number of records that the kernel published.
    """

    seen: int = 0  #: events handed out
    overrun: int = 0  #: overwritten before this reader took them
    full: int = 0  #: refused: the ring was full (``stop_when_full``)
    nested: int = 0  #: refused: nested interrupts wrote more than a ring
    frozen: int = 0  #: refused: the container was frozen
    missed: int = 0  #: hits of kprobes, samples
    unfollowed: int = 0  #: calls, requests: too many at once
    unfollowed_tasks: int = 0  #: tasks of ``pid:`` targets: too many
    unread: int = 0  #: calls that a filter on a string could not decide
    limited: int = 0  #: held back by the session's ``rate``: no loss

    @property
    def lost(self) -> int:
        """The sum of all losses."""
        return (self.overrun + self.full + self.nested + self.frozen + self.missed + self.unfollowed
                + self.unfollowed_tasks + self.unread)


@dataclass(frozen=True)
class Frozen:
    """A container whose rings keep what they have, and the event that asked for it; see libctrace(3)."""

    cid: int
    time: int  #: the event's, CLOCK_MONOTONIC, ns: records of other CPUs may be younger
    event_id: int  #: its type, ``connection.schema.by_id()``
    tid: int  #: as the host numbers it
    left_ms: int  #: the container is thawed by itself after as many ms


class Connection:
    """A connection to the kernel module; root's first one loads it.

    Sessions and definitions that are made on it end with it: by ``close()``, at the end of a ``with``, or with the process.
    """

    def __init__(self) -> None:
        self._c = _ctrace.Connection()
        self._schema: Optional[_ctrace.Schema] = None

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what was made on the connection. What readers have mapped can still be read."""
        self._c.close()

    def info(self) -> Dict[str, Any]:
        """The module: version, abi, features, containers, sessions, ..., as in ``struct ctrace_info``."""
        return self._c.info()

    @property
    def schema(self) -> "_ctrace.Schema":
        if self._schema is None:
            self._schema = _ctrace.Schema(self._c)
        return self._schema

    def event_types(self) -> List[EventType]:
        """All types of events that the module knows; of one that this kernel lacks, ``reason`` says why."""
        self.schema.refresh()
        return self.schema.types()

    def event_type(self, name: str) -> Optional[EventType]:
        return self.schema.by_name(name)

    def tracepoints(self) -> List[str]:
        """The names of all tracepoints of this kernel, without their systems; ``raw:NAME`` is a probe of any."""
        return self._c.tracepoints()

    def containers(self) -> List[Container]:
        """The containers, as the kernel knows them: without names. ``ctrace.containers()`` has those."""
        return [Container._of(c) for c in self._c.containers()]

    def watch(self) -> int:
        """Begins to listen to births and deaths of containers. Returns a descriptor to wait on; it stays the connection's."""
        return self._c.subscribe()

    def births(self) -> List[Tuple[Container, bool]]:
        """What has come since: containers, with True at a birth or when more is known of one, with False at a death.

        Error with ENOBUFS: some were missed, so list the containers again.
        """
        return [(Container._of(c), born) for c, born in self._c.notices()]

    def sessions(self) -> List[Dict[str, Any]]:
        """All sessions, other programs' too."""
        return self._c.sessions()

    def define(self, definition: str, keep: bool = False) -> str:
        """Defines a kprobe's event, as ``p:ovl ovl_open file=+0(%si):x64``, for use by its name in any session.

        keep: until ``undefine()``; else it ends with the connection. Returns the event's name.
        """
        number = self._c.define(definition, _ctrace.EVENT_F_KEEP if keep else 0)
        self.schema.refresh()
        return self.schema.by_id(number).name

    def undefine(self, name: str) -> None:
        self._c.undefine(name)


class Reader:
    """Events of a session, or of one container of it, from a mapping of the kernel's rings; an iterator.

    Use it in one thread at a time.
    """

    def __init__(self, schema: "_ctrace.Schema", **how: Any) -> None:
        self._r = _ctrace.Reader(schema, **how)

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        return self._r.until(None)

    def events(self, duration: Optional[float] = None) -> Iterator[Event]:
        """The events, in order of time, as they come; for so many seconds, or until the session has ended."""
        return self._r.until(duration)

    def read(self, most: int = 1000, timeout: Optional[float] = 0) -> List[Event]:
        """Up to ``most`` of the events that are there. If there are none, waits for the first for so long (None: for ever)."""
        return self._r.read(most, timeout)

    def losses(self) -> Losses:
        """What this reader saw and lost; a session's has what the session as a whole did not record, too."""
        return Losses(**self._r.losses())

    def fileno(self) -> int:
        """For select() and asyncio, and to hand on: see ``Session.view()``. It is readable once for what has come: read all."""
        return self._r.fileno()

    @property
    def shows(self) -> Tuple[int, int]:
        """The numbers of the session and the container that it shows; ``ctrace.ALL``: all of them."""
        return self._r.shows()

    def revoke(self) -> None:
        """Takes a view back from all processes that were given its descriptor."""
        self._r.revoke()

    def close(self) -> None:
        self._r.close()


def open_view(fd: int) -> Reader:
    """The reader of a descriptor that another process gave: see ``Session.view()``. It takes the descriptor over.

    It needs no permission.
    """
    return Reader(_ctrace.Schema(_ctrace.Connection()), fd=fd)


Callback = Callable[[Event], Any]
#: A probe: its name, or its name and a filter.
Probe = Union[str, Tuple[str, str]]


class Session:
    """Records events of some containers.

    ::

        with ctrace.Session("nginx", ["calls", "sched_process_exec"]) as session:
            for event in session:
                print(event)

    targets: whose events; one, or several, which add up. Without any, nothing is recorded.
    probes: which events, in the forms of ``ctrace trace -e`` and libctrace: ``sched_switch``, ``syscalls``,
    ``syscall:openat`` (entry and exit), ``calls``, ``call:openat`` (a whole call as one event), ``kprobe:SYMBOL``,
    ``func:SYMBOL``, ``SYSTEM:TRACEPOINT``, ``sample:99``; one, or several. A pair among several is a probe and its filter.

    filter: for every event, of ``$comm``, ``$uid``, ... alone. buffer_size: bytes of all rings (default 32 MiB);
    ring_size, subbuf_size: of each ring, and of its parts. rate: records a second of each container, at most.
    containers: sizes the rings for so many. data: first bytes of what calls read and write. table_size: bytes for
    ``aggregate()``. wakeup: seconds that a waiting reader sleeps on after a first record, at most 1 (default 0.005; 0: none).
    stop_when_full: the rings keep the oldest records, not the newest. statedump: begins with the tasks that there are.
    paths: names of descriptors. neighbours: events between two containers once, with both sides (then no views).
    freeze_time: seconds after which a container that an event froze (``add_probe()``) is thawed by itself (default 10).

    ``with`` starts it, and closes it at its end. Without ``with``: ``start()`` and ``close()``.
    """

    def __init__(self, targets: Union[Target, Iterable[Target]] = (), probes: Union[str, Iterable[Probe]] = (), *,
                 connection: Optional[Connection] = None, name: Optional[str] = None, filter: Optional[str] = None,
                 buffer_size: int = 0, ring_size: int = 0, subbuf_size: int = 0, rate: int = 0, containers: int = 0,
                 data: int = 0, table_size: int = 0, wakeup: Optional[float] = None, stop_when_full: bool = False,
                 statedump: bool = False, paths: bool = False, neighbours: bool = False, files: bool = False,
                 freeze_time: float = 0) -> None:
        flags = ((_ctrace.SESSION_F_STOP_FULL if stop_when_full else 0)
                 | (_ctrace.SESSION_F_STATEDUMP if statedump else 0) | (_ctrace.SESSION_F_PATHS if paths else 0)
                 | (_ctrace.SESSION_F_NEIGHBOURS if neighbours else 0) | (_ctrace.SESSION_F_FILES if files else 0))
        wakeup_ns = 0 if wakeup is None else max(_ctrace.WAKEUP_AT_ONCE, int(wakeup * 1e9))
        self._own = connection is None
        self.connection = connection or Connection()
        self._reader: Optional[Reader] = None
        self._handlers: List[Tuple[str, Callback]] = []
        self._last: Optional[Losses] = None
        self._recording = False
        try:
            self._s = _ctrace.Session(self.connection._c, name=name, filter=filter, arena_size=buffer_size,
                                      ring_size=ring_size, subbuf_size=subbuf_size, rate=rate, containers=containers,
                                      data=data, table_size=table_size, wakeup_ns=wakeup_ns, flags=flags,
                                      freeze_ms=int(freeze_time * 1000))
            for target in [targets] if isinstance(targets, (int, str, Container)) else targets:
                self.add_target(target)
            for probe in [probes] if isinstance(probes, str) else probes:
                self.add_probe(*([probe] if isinstance(probe, str) else probe))
        except BaseException:
            if self._own:
                self.connection.close()
            raise

    # --- what to record -----------------------------------------------------------

    @property
    def id(self) -> int:
        """Its number, as in ``ctrace status``."""
        return self._s.id

    def add_target(self, target: Target, exclude: bool = False) -> List[int]:
        """Records this target's events, too; exclude: leaves it out, whatever the others say.

        Returns the numbers for ``remove_target()``: one, or one for each container that a glob means.
        """
        return [self._s.add_target(kind, **{**more, **({"exclude": True} if exclude else {})})
                for kind, more in list(targets_of(target))]

    def add_births(self) -> int:
        """Records each container that is born from now on, from its first event on; see ``let_go()``."""
        return self._s.add_target(_ctrace.TARGET_BORN)

    def let_go(self, target: int, cid: int) -> None:
        """Of a target of ``add_births()``: this container is not meant."""
        self._s.let_go(target, cid)

    def remove_target(self, number: int) -> None:
        self._s.del_target(number)

    def add_probe(self, name: str, filter: Optional[str] = None, *, stack: bool = False, user_stack: bool = False,
                  user_copy: int = 0, one_of: int = 0, freeze: Union[bool, "Session"] = False) -> int:
        """Records this event, too. filter: an expression, as ``'prev_comm ~ "nginx*" && prev_prio < 100'``.

        stack, user_stack: a ``kernel_stack``, ``user_stack`` event follows each; the latter needs frame pointers. user_copy:
        so many bytes of the program's stack, at most 32768, follow each in ``user_memory`` events, then its registers in a
        ``user_registers``: see libctrace(3), Stacks. one_of: N records one of N on each CPU. freeze: its container's rings
        keep what they have from this event on, until ``thaw()``; another session of the same connection, made with
        ``neighbours``: that session's rings. Returns the number for ``remove_probe()``.
        """
        flags = ((_ctrace.PROBE_F_STACK if stack else 0) | (_ctrace.PROBE_F_USER_STACK if user_stack else 0)
                 | (_ctrace.PROBE_F_USER_COPY if user_copy else 0) | (_ctrace.PROBE_F_FREEZE if freeze else 0))
        number, event = self._s.add_probe(name, filter=filter, flags=flags, one_of=one_of, copy=user_copy,
                                          freezes=freeze.id if isinstance(freeze, Session) else 0)[:2]
        self._learn(event)
        return number

    def _learn(self, event: int) -> None:
        """A kprobe has made a new type of event."""
        if 0x1000 <= event < 0x4000:
            self.connection.schema.refresh()

    def remove_probe(self, number: int) -> None:
        self._s.del_probe(number)

    def aggregate(self, name: str, text: str, filter: Optional[str] = None, rows: int = 0) -> Aggregate:
        """Counts events in the kernel in place of recording them: ``session.aggregate("calls", "count() by syscall")``.

        The session's ``table_size`` has to have room. rows: of the table, on each CPU (default 1024).
        """
        _, event, _, table = self._s.add_probe(name, filter=filter, aggregate=text, rows=rows)
        self._learn(event)
        return Aggregate(self.reader._r, table)

    # --- recording ---------------------------------------------------------------------

    def start(self) -> "Session":
        """Begins to record."""
        self.reader._r.draining = False
        self._s.start()
        self._recording = True
        return self

    def stop(self) -> None:
        """Stops recording. An iteration continues until all is read, and ends. It may be called in a callback or another thread."""
        self._s.stop()
        self._recording = False
        self.reader._r.draining = True

    def frozen(self) -> List[Frozen]:
        """The containers that an event has frozen, see ``add_probe()``; in no order."""
        return [Frozen(*one) for one in self._s.frozen()]

    def thaw(self, cid: int = _ctrace.CID_ALL) -> None:
        """Lets this container write again, or all of them. ENOENT: it is not frozen, or was thawed by itself."""
        self._s.thaw(cid)

    def close(self) -> None:
        """Ends the session in the kernel. ``losses()`` still answers."""
        if self._last is None:
            try:
                self._last = self.losses()
            except Error as e:
                if e.errno == errno.EBUSY:  # a thread waits for events: stop() ends that
                    raise
                self._last = Losses()
        if self._reader is not None:
            self._reader.close()
        self._s.close()
        if self._own:
            self.connection.close()

    def __enter__(self) -> "Session":
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- events --------------------------------------------------------------------------

    @property
    def reader(self) -> Reader:
        """The session's own reader. It is opened before recording starts, so it sees every event."""
        if self._reader is None:
            self._reader = Reader(self.connection.schema, session=self._s)
        return self._reader

    def __iter__(self) -> Iterator[Event]:
        return iter(self.reader)

    def events(self, duration: Optional[float] = None) -> Iterator[Event]:
        """The events, in order of time, as they come; for so many seconds, or until ``stop()``."""
        return self.reader.events(duration)

    def read(self, most: int = 1000, timeout: Optional[float] = 0) -> List[Event]:
        """See ``Reader.read()``."""
        return self.reader.read(most, timeout)

    def on(self, pattern: str, callback: Optional[Callback] = None) -> Callable[[Callback], Callback]:
        """Calls a function for each event whose name, or whose system call's name, matches the glob; in ``run()``.

        As a decorator, ``@session.on("sched_process_exec")``, or as ``session.on("openat", function)``.
        """
        def add(fn: Callback) -> Callback:
            self._handlers.append((pattern, fn))
            return fn
        if callback is not None:
            add(callback)
        return add

    def _handlers_of(self, kind: EventType) -> List[Callback]:
        names = [kind.name] + ([kind.syscall] if kind.syscall else [])
        return [fn for pattern, fn in self._handlers if any(fnmatch.fnmatchcase(n, pattern) for n in names)]

    def run(self, duration: Optional[float] = None) -> Losses:
        """Calls the functions of ``on()`` for so many seconds, or until ``stop()``. Starts a session that is stopped."""
        known: Dict[EventType, List[Callback]] = {}
        if not self._recording:
            self.start()
        for event in self.events(duration):
            handlers = known.get(event.type)
            if handlers is None:
                handlers = known[event.type] = self._handlers_of(event.type)
            for handler in handlers:
                handler(event)
        return self.losses()

    def losses(self) -> Losses:
        """What was seen and lost since the session was made; after ``close()``: until then."""
        if self._last is not None:
            return self._last
        seen = asdict(self._reader.losses()) if self._reader is not None else {}
        return Losses(**{**seen, **self._s.losses()})

    # --- elsewhere --------------------------------------------------------------------------

    def view(self, target: Union[int, str, Container], from_now: bool = False) -> Reader:
        """A reader of one container, whose ``fileno()`` may be given to any process, which reads it by ``open_view()``.

        It shows that container alone, and ends by ``revoke()``, or with the session or the container.
        """
        found = [more["cid"] for _, more in targets_of(target) if "cid" in more]
        if len(found) != 1:
            raise ValueError("a view is of one container: %r" % (target,))
        return Reader(self.connection.schema, session=self._s, cid=found[0], from_now=from_now)

    def record(self, directory: str, duration: Optional[float] = None, replace: bool = False) -> Dict[str, int]:
        """Writes a CTF 1.8 trace for so many seconds, or until ``stop()``; returns its records, bytes, streams, lost.

        babeltrace2 and Trace Compass read it. It lacks the names of containers, so ``Recording`` and ``ctrace report`` do not:
        those read what ``ctrace record`` has written.
        """
        from ._recording import write
        if not self._recording:
            self.start()
        return write(self, directory, duration, replace)
