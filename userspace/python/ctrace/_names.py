# SPDX-License-Identifier: LGPL-2.1-only
"""Containers with their names, and what the words of a target mean.

libctrace knows containers by number. Their names are in the files of many runtimes, and whose files are believed is a
matter of security; the command ctrace decides both. So it is run here (``ctrace ps``, ``ctrace explain``): the same
word means the same container in a program and on the command line.
"""
from __future__ import annotations

import errno
import fnmatch
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from . import _ctrace
from ._errors import Error

#: The host itself has this number.
HOST = _ctrace.CID_HOST
#: Of a row of a table: containers that have ended, and those without a row of their own.
ALL = _ctrace.CID_ALL


@dataclass(frozen=True)
class Container:
    """A container, as ``ctrace ps --json`` has it; what is not known is empty, 0 or None."""

    cid: int  #: its number, which every event has; never given twice
    name: str = ""  #: its label: unique among those that live
    named: bool = False  #: false: it has no name, and the label is its id or its cgroup
    named_by: str = ""  #: whose files say so: ``system``, ``user:UID``, ``in:CID``
    runtime: str = ""  #: docker, podman, ...
    id: str = ""  #: 64 hexadecimal digits
    parent: int = 0  #: cid of the container around it
    init_pid: int = 0  #: of its first process, as the host numbers it
    pid_ns: int = 0
    cgroup: str = ""
    cgroup_id: int = 0
    hierarchy: int = 0  #: 0: cgroup v2
    first_seen: int = 0  #: CLOCK_MONOTONIC, ns
    gone: int = 0  #: the same; 0: it lives
    dead: bool = False
    host_pid: bool = False  #: it has no pid namespace of its own
    image: str = ""
    namespace: Optional[str] = None
    pod: Optional[str] = None
    labels: Dict[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def _of(cls, facts: Dict[str, Any]) -> "Container":
        known = {k: v for k, v in facts.items() if k in cls.__dataclass_fields__ and v is not None}
        return cls(**known)


#: Whose events a session records. A number is a container's; words are those of the command line: a name, a glob, an id
#: or its first digits, ``cid:N``, ``pid:N``, ``cgroup:DIRECTORY``, ``host``, ``all``, and any but ``pid:`` and ``all``
#: with ``not:`` before it.
Target = Union[int, str, Container]


def command() -> str:
    """The command ctrace: ``$CTRACE_COMMAND``, or the one in ``PATH``."""
    found = os.environ.get("CTRACE_COMMAND") or shutil.which("ctrace")
    if not found:
        raise Error(errno.ENOENT, "the command ctrace is not in PATH, and it knows the names of containers: install it, "
                    "set CTRACE_COMMAND, or use numbers")
    return found


def complaint(out: str, err: str, status: int) -> Error:
    """The error that the command reported: in JSON on its output, or on its standard error."""
    text = "the command ctrace ended with status %d" % status
    for line in err.splitlines()[:1]:
        text = line[len("ctrace: "):] if line.startswith("ctrace: ") else line
    for line in out.splitlines()[-1:]:
        try:
            text = json.loads(line)["error"]
        except (ValueError, KeyError, TypeError):
            pass
    return Error(errno.EINVAL if status == 2 else errno.ENOENT, text)


def ask(*words: str) -> List[Any]:
    """What the command prints as JSON, one object a line."""
    done = subprocess.run([command(), words[0], "--json", *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="surrogateescape", check=False)
    if done.returncode:
        raise complaint(done.stdout, done.stderr, done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()]


def containers(*, ended: bool = False, host: bool = False) -> List[Container]:
    """The containers that the kernel sees now, with their names.

    ended: those that have just ended, too. host: the host, too, as container 0.
    """
    found = [Container._of(facts) for facts in ask("ps", "--all")]
    return [c for c in found if (ended or not c.dead) and (host or c.cid != HOST)]


def container(word: Union[str, int]) -> Container:
    """The one container that a name, an id or its first digits, or a number means.

    Error with ENOENT: there is none, or there are several; the sentence says which.
    """
    cid = word if isinstance(word, int) else _explain(word)
    for c in containers(ended=True, host=True):
        if c.cid == cid:
            return c
    raise Error(errno.ENOENT, "no container has the number %d" % cid)


def _explain(word: str) -> int:
    return int(ask("explain", "--", word)[0]["cid"])


def _is_glob(word: str) -> bool:
    return any(c in word for c in "*?[")


def _number(word: str, text: str) -> int:
    if not text.isdigit():
        raise Error(errno.EINVAL, "'%s' is no target: a number follows the colon" % word)
    return int(text)


def _cgroup(path: str) -> str:
    """The directory: as it is, or below the root of the v2 hierarchy."""
    below = os.path.join("/sys/fs/cgroup", path.lstrip("/"))
    return below if not os.path.isdir(path) and os.path.isdir(below) else path


def _named(word: str) -> List[int]:
    if word.isdigit():
        return [int(word)]
    if not _is_glob(word):
        return [_explain(word)]
    # A glob means names that the system's files give, as on the command line.
    found = [c.cid for c in containers() if c.named and ":" not in c.named_by and fnmatch.fnmatchcase(c.name, word)]
    if not found:
        raise Error(errno.ENOENT, "no container's name matches '%s'" % word)
    return found


_ELSEWHERE = ("pod", "ns", "image", "label", "runtime", "user", "in", "unit")


def targets_of(target: Target) -> Iterator[Tuple[int, Dict[str, Any]]]:
    """The kinds and arguments of libctrace's targets that a word means."""
    more: Dict[str, Any] = {}
    if isinstance(target, Container):
        target = target.cid
    if isinstance(target, int):
        yield _ctrace.TARGET_CID, {"cid": target}
        return
    word = target
    if word.startswith(("not:", "!")):
        word = word[4:] if word.startswith("not:") else word[1:]
        more = {"exclude": True}
    kind, colon, rest = word.partition(":")
    if word == "all":
        yield _ctrace.TARGET_ALL, more
    elif word == "host":
        yield _ctrace.TARGET_CID, {"cid": HOST, **more}
    elif colon and kind == "cid":
        yield _ctrace.TARGET_CID, {"cid": _number(word, rest), **more}
    elif colon and kind == "pid":
        yield _ctrace.TARGET_PID, {"pid": _number(word, rest), **more}
    elif colon and kind == "cgroup":
        yield _ctrace.TARGET_CGROUP, {"cgroup": _cgroup(rest), **more}
    elif colon and kind in _ELSEWHERE:
        raise Error(errno.EINVAL, "'%s': targets of this kind are the command's alone: choose from ctrace.containers(), "
                    "and give their numbers" % word)
    else:
        for cid in _named(word):
            yield _ctrace.TARGET_CID, {"cid": cid, **more}
