# SPDX-License-Identifier: LGPL-2.1-only
"""Tables of events that the kernel counts."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import _ctrace


class Histogram:
    """A ``hist()``: how many values were how large. Two buckets to each power of two."""

    __slots__ = ("_words",)

    def __init__(self, words: bytes) -> None:
        self._words = words

    @property
    def count(self) -> int:
        """Of all values."""
        return _ctrace.hist_count(self._words)

    @property
    def min(self) -> int:
        """All values are at least this: the bottom of the lowest bucket."""
        return _ctrace.hist_min(self._words)

    @property
    def max(self) -> int:
        """All values are at most this: the top of the highest bucket."""
        return _ctrace.hist_max(self._words)

    def percentile(self, share: float) -> int:
        """The value that a share (0.99) of all values does not exceed, wrong by less than its bucket is wide."""
        return _ctrace.hist_percentile(self._words, share)

    def buckets(self) -> List[Tuple[int, int]]:
        """(smallest value, count) of each bucket that is not empty."""
        return _ctrace.hist_buckets(self._words)

    def __repr__(self) -> str:
        return "<ctrace.Histogram of %d: p50 %d, p99 %d, max %d>" % (self.count, self.percentile(.5),
                                                                    self.percentile(.99), self.max)


@dataclass(frozen=True)
class Row:
    """The events of one container that have one key. ``row["count()"]``, ``row["syscall"]``."""

    cid: int  #: ctrace.ALL: of containers that have ended, and of those without rows of their own
    other: bool  #: all of the container's events that found no row; the keys then say nothing
    keys: Dict[str, Any]
    #: numbers; of avg() a float; of min(), max() and avg() None if there was nothing; of hist() a Histogram
    values: Dict[str, Any]

    def __getitem__(self, column: str) -> Any:
        return self.values[column] if column in self.values else self.keys[column]


@dataclass(frozen=True)
class Table:
    """All rows at a moment, or what they gained between two."""

    rows: List[Row]
    lost: int  #: events that are in no row
    stacks_lost: int  #: events that are in a row without their stack
    recycled: int  #: rows of ended containers that were given away
    busy: int  #: rows that could not be read now; the next look has them

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class Aggregate:
    """Events that the kernel counts, from ``Session.aggregate()``.

    ``table()`` is all that was counted, ``gain()`` what came since the last ``gain()``. The kernel only adds, so any
    number of readers have intervals of their own.
    """

    def __init__(self, reader: "_ctrace.Reader", table: int) -> None:
        self._a = _ctrace.Aggregate(reader, table)
        self.keys, self.values = self._a.columns()
        self._before: Optional[_ctrace.Look] = None

    def _table(self, look: "_ctrace.Look") -> Table:
        rows = []
        for cid, other, keys, values in look.rows():
            named = {n: Histogram(v) if isinstance(v, bytes) else v for n, v in zip(self.values, values)}
            rows.append(Row(cid, other, dict(zip(self.keys, keys)), named))
        return Table(rows, **look.account())

    def table(self) -> Table:
        return self._table(self._a.take())

    def gain(self) -> Table:
        now = self._a.take()
        gained = now.gain(self._before)
        self._before = now
        return self._table(gained)
