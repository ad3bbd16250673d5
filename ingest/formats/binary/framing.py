"""Split a stream of bytes into records: descriptor words, blocks, spanned segments, damage.

Three framings are known: each record preceded by its record descriptor word ("rdw"), the same
inside blocks with block descriptor words ("bdw"), and records alone ("none"). (DFSMS Using Data
Sets, "Variable-length record formats"; for the block descriptor's extended form of 31 bits, "Large
block interface" in the same book.) A file has the framing that divides it without a remainder.

If the chain breaks, the bytes up to the next record that looks sound are set aside as damage, and
reading continues there. A record looks sound if its standard header holds a possible time and a
possible packed date.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from operator import sub
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ingest.formats.binary.extent import HEADER, Buffer, extent
from ingest.formats.binary.record import RecordLayout

__all__ = ["CHUNK", "Buffer", "Damage", "Framing", "RecordBatch", "detect_framing", "read_batches"]

CHUNK = 32 * 1024 * 1024
RDW = 4  # bytes of a record descriptor word
_PROBE = 14  # bytes needed to check whether a record is sound
_LONGEST = 1 << 20  # a record whose segments add up to more than this is damage
_KEPT = 1 << 16  # bytes of a damaged part that are kept
_FEW = 16  # records that are checked one by one, because Numpy would take longer
_STRIDE = 1 << 15  # bytes of chain that are followed after damage before they are checked
_WHOLE, _FIRST, _LAST, _MIDDLE = range(4)

Records = Mapping[tuple[int, int], RecordLayout]
_NO_RECORDS: Records = {}
_halfwords = struct.Struct(">HH").unpack_from


class Readable(Protocol):
    """What a stream must offer."""

    def readinto(self, buffer: memoryview, /) -> int | None: ...


class Framing(StrEnum):
    """How the records of a file are delimited."""

    RDW = "rdw"
    BDW = "bdw"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a file that is not a record: where, how long, why, and its first bytes.

    `record_no` is the number of the record that was expected there.
    """

    record_no: int
    file_offset: int
    length: int
    reason: str
    content: bytes


@dataclass(slots=True)
class RecordBatch:
    """Records in one buffer.

    `start` is where a record's descriptor word is, or would be, in `buffer`; `length` includes the
    4 bytes of that word; the arrays are (n,) int64. The next batch overwrites the buffer.
    """

    buffer: NDArray[np.uint8]
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    record_no: NDArray[np.int64]
    file_offset: NDArray[np.int64]
    damages: list[Damage] = field(default_factory=list)
    bytes_read: int = 0

    def content(self, i: int) -> bytes:
        """Return the bytes of the i-th record, including its descriptor word or what is there."""
        start = int(self.start[i])
        return self.buffer[start : start + int(self.length[i])].tobytes()


def detect_framing(head: bytes, *, whole: bool, records: Records = _NO_RECORDS) -> Framing | None:
    """Detect the framing from `head`, the beginning of a file (all of it if `whole`).

    `records` are the layouts by type and subtype. Without descriptor words, records of other types
    (except MQ's) cannot be separated. If no framing divides the file without damage, choose one
    that begins with a record, otherwise the one that links the most records. None if no framing
    finds any.
    """
    best, most = None, (False, 0, 0)
    for framing in Framing:
        scanner = _Scanner(framing, records)
        scanner.scan(bytearray(RDW) + head + bytes(len(head)), RDW, RDW + len(head), final=whole)
        complete = sum(scanner.lengths)
        if complete and not scanner.damages and scanner.lost is None:
            return framing
        links = len(scanner.starts) - len(scanner.damages)
        at_once = bool(complete) and scanner.offsets[0] == RDW * (framing is Framing.BDW)
        if complete and (best is None or (at_once, links, complete) > most):
            best, most = framing, (at_once, links, complete)
    return best


def read_batches(
    stream: Readable,
    framing: Framing,
    chunk: int = CHUNK,
    records: Records = _NO_RECORDS,
    next_buffer: Callable[[int], Buffer] | None = None,
) -> Iterator[RecordBatch]:
    """Yield the records of a stream in batches of about `chunk` bytes, in bounded memory.

    `records` is as in `detect_framing`. `next_buffer` gives each batch a buffer of that many bytes;
    without it, all have the same. Damage is never raised: it is listed in the batch in which it
    ends.
    """
    window_end = RDW + chunk + _LONGEST
    # Beyond the window is room for records assembled from segments: all of it and what came before.
    size = 2 * window_end + _LONGEST
    target = None if next_buffer else bytearray(size)
    before: Buffer = bytearray()
    scanner = _Scanner(framing, records)
    consumed = kept = 0
    final = False
    while not final:
        buffer = next_buffer(size) if next_buffer else target
        assert buffer is not None
        view = memoryview(buffer)
        buffer[RDW : RDW + kept] = before[consumed : consumed + kept]
        end = RDW + kept
        while end < window_end and not final:
            count = stream.readinto(view[end:window_end])
            final = not count
            end += count or 0
        consumed = scanner.scan(buffer, RDW, end, final=final)
        yield scanner.take(buffer, bytes_read=end - RDW - kept)
        kept = end - consumed
        before = buffer


def _sound(buffer: Buffer, window: NDArray[np.uint8], at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether the record at each position has a header with a possible time and date.

    `window` is the buffer as an array.
    """
    if len(at) <= _FEW:
        return np.array([_is_sound(buffer, position) for position in at.tolist()], bool)
    date = window[at[:, None] + np.arange(10, 14)]
    high, low = date >> 4, date & 15
    possible = (high[:, 1:] <= 9).all(axis=1) & (low[:, 1:3] <= 9).all(axis=1)
    possible &= (date[:, 0] <= 1) & (low[:, 3] == 15)
    day = 100 * high[:, 2].astype(np.int16) + 10 * low[:, 2] + high[:, 3]
    possible &= (day >= 1) & (day <= 366)
    return possible & (window[at + 6] == 0) & (window[at + 7] <= 0x83)


def _is_sound(buffer: Buffer, at: int) -> bool:
    """Return whether one record has a header with a possible time and date."""
    if not _likely(buffer, at) or buffer[at + 7] > 0x83:
        return False
    year, of_year, last = buffer[at + 11], buffer[at + 12], buffer[at + 13]
    if max(year >> 4, year & 15, of_year >> 4, of_year & 15, last >> 4) > 9:
        return False
    return 1 <= 100 * (of_year >> 4) + 10 * (of_year & 15) + (last >> 4) <= 366


def _likely(buffer: Buffer, at: int) -> bool:
    """Check one record quickly: whether its time and date may be possible."""
    return buffer[at + 6] == 0 and buffer[at + 10] <= 1 and buffer[at + 13] & 15 == 15


class _Scanner:
    """Finds the records in successive windows of one file."""

    def __init__(self, framing: Framing, records: Records) -> None:
        self.framing = framing
        self.records = records
        self.lead = 0 if framing is Framing.NONE else RDW  # descriptor bytes before a header
        self.record_no = 0
        self.shift = 0  # from a position in the window to one in the file
        self.base = 0  # position in the file where the window begins
        self.block_end: int | None = 0  # in the file; None if damage hides it
        self.segments: list[bytes] = []  # of a spanned record that is not complete
        self.segments_at = 0
        self.unit, self.unit_records = -1, 0  # last segment since damage, records before it
        self.lost: Damage | None = None  # a damaged part whose end is not yet found
        self.system = b""  # name of the system that wrote the first record
        self._clear()

    def _clear(self) -> None:
        self.starts: list[int] = []
        self.lengths: list[int] = []
        self.numbers: list[int] = []
        self.offsets: list[int] = []
        self.damages: list[Damage] = []

    def take(self, buffer: Buffer, bytes_read: int) -> RecordBatch:
        """Return what the last scan found."""
        batch = RecordBatch(
            np.frombuffer(buffer, np.uint8),
            np.array(self.starts, np.int64),
            np.array(self.lengths, np.int64),
            np.array(self.numbers, np.int64),
            np.array(self.offsets, np.int64),
            self.damages,
            bytes_read,
        )
        self._clear()
        return batch

    def scan(self, buffer: Buffer, begin: int, end: int, *, final: bool) -> int:
        """Find the records in buffer[begin:end]; return where the next window must begin.

        `final` says that the file ends with this window. Records assembled from segments are placed
        after `end`.
        """
        self.buffer, self.window = buffer, np.frombuffer(buffer, np.uint8)
        self.end, self.spare, self.final = end, end, final
        self.shift = self.base - begin
        at = begin if self.lost is None else self._recover(begin)
        since, stride, self.unit = len(self.starts), _STRIDE, -1
        while at < end and self.lost is None:
            first, stop = len(self.starts), min(at + stride, end)
            at, reason = self._walk(at, stop)
            at, reason = self._unsound_since(first) or (at, reason)
            if reason:
                at = self._lose(at, reason, since)
                since, stride, self.unit = len(self.starts), _STRIDE, -1
            elif at < stop:
                break
            else:
                stride *= 2
        if final:
            self._drop_segments("the file ends before the record's last segment")
            self._close_loss(end)
        if self.lost is not None:
            self.lost = self._kept(self.lost, end)
        self.base = at + self.shift
        self._system()
        del self.buffer, self.window
        return at

    # --- following the chain: each step returns where it stopped, and why if the chain broke

    def _walk(self, at: int, stop: int) -> tuple[int, str]:
        """Follow the chain to `stop`, or until it breaks or more bytes must be read first."""
        if self.framing is Framing.NONE:
            return self._walk_bare(at, stop)
        buffer, end = self.buffer, self.end
        blocked = self.framing is Framing.BDW
        while at + RDW <= end:
            if at >= stop:
                return at, ""
            if blocked and (self.block_end is None or at + self.shift >= self.block_end):
                inside, reason = self._enter_block(at)
                if reason or inside < 0:
                    return at, reason
                at = inside
            if not self.segments:
                at = self._run(
                    at, min(stop, (self.block_end or 0) - self.shift) if blocked else stop
                )
                if at >= stop or (blocked and at + self.shift == self.block_end):
                    continue
                if at + RDW > end:
                    break
            length, segment = _halfwords(buffer, at)
            position = segment >> 8
            if length <= RDW or position > _MIDDLE or segment & 0xFF:
                return at, f"no record descriptor: X'{buffer[at : at + RDW].hex().upper()}'"
            if position == _WHOLE and length < HEADER:
                return at, f"a record of {length} bytes is shorter than its header"
            if at + length > end:
                missing = at + length - end
                return at, f"the file ends {missing} bytes before the record does" * self.final
            if position == _FIRST and length >= HEADER and not _likely(buffer, at):
                return at, "the header has no possible time and date"
            if position == _WHOLE:
                self._drop_segments("the next record begins before the last segment")
                self._add(at, length, at + self.shift)
            else:
                self.unit, self.unit_records = at, len(self.starts)
                self._add_segment(at, length, position)
            at += length
        return at, f"{end - at} bytes are left over at the end" * (self.final and at < end)

    def _run(self, at: int, end: int) -> int:
        """Take whole records, one after another, until something else comes."""
        buffer, starts, first = self.buffer, self.starts, len(self.starts)
        while at + RDW <= end:
            length, segment = _halfwords(buffer, at)
            if segment or length < HEADER or at + length > end:
                break
            starts.append(at)
            at += length
        run = starts[first:]
        if run:
            self.lengths += map(sub, [*run[1:], at], run)
            self.offsets += [start + self.shift for start in run]
            self.numbers += range(self.record_no + 1, self.record_no + len(run) + 1)
            self.record_no += len(run)
        return at

    def _enter_block(self, at: int) -> tuple[int, str]:
        """Skip the block descriptor at `at`; return -1 if more bytes must be read first."""
        if at + RDW + _PROBE > self.end and not self.final:
            return -1, ""
        high, low = _halfwords(self.buffer, at)
        if self.block_end is None and self._is_record(at, low):
            return at, ""
        length = (high & 0x7FFF) << 16 | low if high & 0x8000 else high
        if length < 2 * RDW or (low and not high & 0x8000):
            return at, f"no block descriptor: X'{self.buffer[at : at + RDW].hex().upper()}'"
        self.block_end = at + self.shift + length
        return at + RDW, "" if at + 2 * RDW <= self.end else "the file ends in a block descriptor"

    def _is_record(self, at: int, segment: int) -> bool:
        """Return whether, after damage, a record continues here rather than a block beginning."""
        if segment >> 8 in (_LAST, _MIDDLE) and not segment & 0xFF:
            return True
        return at + _PROBE <= self.end and _is_sound(self.buffer, at)

    def _walk_bare(self, at: int, stop: int) -> tuple[int, str]:
        """Take records without descriptor words, whose length follows only from their content."""
        while at + HEADER - RDW <= self.end:
            if at >= stop:
                return at, ""
            start, available = at - RDW, self.end - at + RDW
            if not _likely(self.buffer, start):
                return at, "the header has no possible time and date"
            length = extent(self.buffer, start, available, self.records)
            # The next header must be in the window: it confirms this length.
            needed = length + HEADER if length else _LONGEST
            if available < min(needed, _LONGEST) and not self.final:
                return at, ""
            if length == 0:
                return at, "without descriptor words, the length of this record is unknown"
            if length > available:
                return at, f"the file ends {length - available} bytes before the record does"
            self._add(start, length, at + self.shift)
            at = start + length
        left = self.end - at
        return at, f"{left} bytes are left over at the end" * (self.final and left > 0)

    def _add(self, start: int, length: int, offset: int) -> None:
        self.record_no += 1
        self.starts.append(start)
        self.lengths.append(length)
        self.numbers.append(self.record_no)
        self.offsets.append(offset)

    # --- spanned records

    def _add_segment(self, at: int, length: int, position: int) -> None:
        if position == _FIRST:
            self._drop_segments("the next record begins before the last segment")
            self.segments_at = at + self.shift
            self.segments.append(bytes(self.buffer[at : at + length]))
            return
        if not self.segments:
            name = "last" if position == _LAST else "middle"
            content = bytes(self.buffer[at : at + min(length, _KEPT)])
            self._damage(at + self.shift, length, f"a {name} segment without its first", content)
            return
        self.segments.append(bytes(self.buffer[at + RDW : at + length]))
        total = sum(map(len, self.segments))
        if total > _LONGEST:
            self._drop_segments(f"its segments make it longer than {_LONGEST} bytes")
        elif position == _LAST and total < HEADER:
            self._drop_segments(f"a record of {total} bytes is shorter than its header")
        elif position == _LAST:
            record = b"".join(self.segments)
            self.segments.clear()
            self.buffer[self.spare : self.spare + total] = record
            self._add(self.spare, total, self.segments_at)
            self.spare += total

    def _drop_segments(self, reason: str) -> None:
        if self.segments:
            content = b"".join(self.segments)
            self.segments.clear()
            self._damage(self.segments_at, len(content), reason, content[:_KEPT])

    # --- damage

    def _damage(self, offset: int, length: int, reason: str, content: bytes) -> None:
        self.record_no += 1
        self.damages.append(Damage(self.record_no, offset, length, reason, content))

    def _unsound_since(self, first: int) -> tuple[int, str] | None:
        """Return where the first unsound record of this part is; remove those from there on."""
        if first == len(self.starts):
            return None
        starts = np.array(self.starts[first:], np.int64)
        for i in first + np.flatnonzero(~_sound(self.buffer, self.window, starts)):
            if self.starts[i] < self.end:
                at = self.offsets[i] - self.shift
                self._take_back(int(i))
                return at, "the header has no possible time and date"
        self._drop_unsound_spanned(first)
        return None

    def _drop_unsound_spanned(self, first: int) -> None:
        """Remove records assembled from segments whose header is unsound; the chain itself held."""
        starts = np.array(self.starts[first:], np.int64)
        spanned = first + np.flatnonzero(starts >= self.end)
        sound = _sound(self.buffer, self.window, starts[spanned - first])
        for i in spanned[~sound].tolist()[::-1]:
            start, length = self.starts[i], self.lengths[i]
            content = bytes(self.buffer[start : start + min(length, _KEPT)])
            reason = "the header has no possible time and date"
            self.damages.append(Damage(self.numbers[i], self.offsets[i], length, reason, content))
            for values in (self.starts, self.lengths, self.numbers, self.offsets):
                del values[i]

    def _take_back(self, i: int) -> None:
        self.record_no = self.numbers[i] - 1
        self.spare = min([self.spare, *(s for s in self.starts[i:] if s >= self.end)])
        for values in (self.starts, self.lengths, self.numbers, self.offsets):
            del values[i:]
        while self.damages and self.damages[-1].record_no > self.record_no:
            self.damages.pop()
        self.segments.clear()

    def _take_back_segment(self, at: int) -> None:
        """Forget that the segment at `at` was the last one."""
        if self.segments:
            self.segments.pop()
        elif self.damages and self.damages[-1].file_offset == at + self.shift:
            self.record_no = self.damages.pop().record_no - 1

    def _lose(self, at: int, reason: str, first: int) -> int:
        """The chain broke at `at`: set aside what follows, and return where to continue.

        The fault may be in the length of the previous record, so the search begins inside it. A
        record found there counts only if a sound record follows it.
        """
        self.block_end = None
        before, end, is_record = self._before(at, first)
        inner = self._next_sound(before + 1, at) if before >= 0 else None
        liar = inner is not None and inner < end
        if liar and is_record:
            self._take_back(len(self.starts) - 1)
        elif liar:
            self._take_back_segment(before)
        self._drop_segments("the chain of records breaks before the last segment")
        if inner is not None and not liar:
            return inner  # its own descriptor was mistaken for a block's
        if inner is not None:
            self._open_loss(before, f"its length is wrong: {reason}")
            return self._recover(inner)
        self._open_loss(at, reason)
        return self._recover(at + 1)

    def _before(self, at: int, first: int) -> tuple[int, int, bool]:
        """Return the record or segment before `at`: begin, end, and whether a record ended with it.

        A block descriptor may lie between. The result is -1 if there is none, in which case nothing
        before `at` can be at fault.
        """
        last = len(self.starts) - 1
        if last >= first and self.starts[last] < self.end:
            begin = self.offsets[last] - self.shift
            end = begin + self.lengths[last] - RDW + self.lead
            if at - end in (0, RDW):
                return begin, end, True
        if 0 <= self.unit < at:
            end = self.unit + _halfwords(self.buffer, self.unit)[0]
            if at - end in (0, RDW):
                return self.unit, end, len(self.starts) > self.unit_records
        return -1, -1, False

    def _open_loss(self, at: int, reason: str) -> None:
        self.record_no += 1
        self.lost = Damage(self.record_no, at + self.shift, 0, reason, b"")

    def _close_loss(self, at: int) -> None:
        if self.lost is not None:
            lost, self.lost = self._kept(self.lost, at), None
            length = at + self.shift - lost.file_offset
            self.damages.append(replace(lost, length=length))

    def _kept(self, lost: Damage, end: int) -> Damage:
        """Return a damaged part with its first bytes, of those before `end`, if it has none yet."""
        at = lost.file_offset - self.shift
        if lost.content or at < 0:
            return lost
        return replace(lost, content=bytes(self.buffer[at : min(at + _KEPT, end)]))

    def _recover(self, begin: int) -> int:
        """Return where the next sound record is, or else how far the search has come."""
        result = self._next_sound(begin, self.end)
        if result is None:
            return self.end if self.final else max(begin, self.end - _PROBE - RDW)
        self._close_loss(result)
        return result

    def _next_sound(self, begin: int, end: int) -> int | None:
        """Return the first position in [begin, end) with a record that can be trusted."""
        # Positions are those of the descriptor word; without one the header is 4 bytes after it.
        offset = RDW - self.lead
        low, high = begin - offset, min(end - offset, self.end - _PROBE)
        step = 1 << 12  # the next record is usually near, so look there first
        while low < high:
            stop = min(low + step, high)
            at = low + np.flatnonzero(self._candidates(low, stop))
            for candidate in at[_sound(self.buffer, self.window, at)].tolist():
                if self._trusted(candidate):
                    return candidate + offset
            low, step = stop, min(2 * step, 1 << 20)
        return None

    def _candidates(self, begin: int, end: int) -> NDArray[np.bool_]:
        def byte(i: int) -> NDArray[np.uint8]:
            return self.window[begin + i : end + i]

        likely = (byte(6) == 0) & (byte(10) <= 1) & (byte(13) & 15 == 15)
        if self.framing is Framing.NONE:
            return likely
        return likely & (byte(2) <= _FIRST) & (byte(3) == 0) & ((byte(0) > 0) | (byte(1) >= HEADER))

    def _trusted(self, start: int) -> bool:
        """Return whether the sound record at `start` is followed by another or by the file's end.

        A time and date inside a record's data can look like a header. If no record follows, this
        one is trusted only if it has the name of the system that wrote the first record.
        """
        if self.framing is Framing.NONE:
            length = extent(self.buffer, start, self.end - start, self.records)
        else:
            length = _halfwords(self.buffer, start)[0]
        after = start + length
        if length == 0 or after > self.end:
            return length > 0 and not self.final
        if after == self.end or self.buffer[start + 14 : start + 18] == self._system():
            return True
        if self.framing is Framing.NONE:
            return self._goes_on(after - RDW, first=False)
        first = self.buffer[start + 2] == _FIRST
        gaps = (0, RDW) if self.framing is Framing.BDW else (0,)
        return any(self._goes_on(after + gap, first=first) for gap in gaps)

    def _goes_on(self, at: int, *, first: bool) -> bool:
        """Return whether a sound record begins at `at`, or follows it after a `first` segment."""
        if at + _PROBE > self.end:
            return False
        if first:
            length, segment = _halfwords(self.buffer, at)
            return length > RDW and segment >> 8 in (_LAST, _MIDDLE) and not segment & 0xFF
        return _is_sound(self.buffer, at)

    def _system(self) -> bytes:
        if not self.system and self.starts:
            first = self.starts[0]
            self.system = bytes(self.buffer[first + 14 : first + 18])
        return self.system
