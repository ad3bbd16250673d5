"""A dump under construction: records are added in any order and composed together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ingest.formats.binary.compose import compose
from ingest.formats.binary.write import dump_header, dump_trailer
from ingest.formats.layouts import AMS_RECORD, MQ_RECORDS

__all__ = ["BLOCK_IDS", "Dump", "Row"]

Row = dict[str, Any]
RECORDS = {(r.record_type, r.subtype): r for r in (*MQ_RECORDS, AMS_RECORD)}
# The first halfword of each structure, as the layouts' notes and real records have them.
BLOCK_IDS = {
    "smf115_qsst": ("qsstid", 0x003C),
    "smf115_qjst": ("qjstid", 0x0093),
    "smf115_qmst": ("qmstid", 0xD40F),
    "smf115_qist": ("qistid", 0xC90F),
    "smf115_qlst": ("qlstid", 0xD30F),
    "smf115_q5st": ("q5stid", 0xF50F),
    "smf115_qtst": ("qtstid", 0xA302),
    "smf115_qesd": ("qesdid", 0xC523),
    "smf115_qpst": ("qpstid", 0xD70F),
    "smf115_qis1": ("qis1id", 0xD90F),
    "smf115_qqst": ("qqstid", 0xD80F),
    "smf115_qsph": ("qsphid", 0xE20E),
    "smf115_qsgm": ("qsgmid", 0xE20D),
    "smf115_qsrs": ("qsrsid", 0xE20C),
    "smf115_qcct": ("qcctid", 0xE741),
    "smf116_qmac": ("qmacid", 0xD414),
    "smf116_wtid": ("wtidshex", 0xF700),
    "smf116_wtas": ("wtasshex", 0xF701),
    "smf116_wq": ("wqid", 0xF702),
    "smf116_qcst": ("qcstid", 0xE74A),
}
_FLAGS = 0x5E  # header flags of a record with a subtype
_NUMBERED_BEFORE = 400  # records of each kind written before the dump begins


@dataclass(slots=True)
class _Record:
    moment: datetime
    key: tuple[int, int]
    header: Row
    tables: Mapping[str, Sequence[Row]]
    pointers: int | None
    lengths: Mapping[str, int]
    run: int | None
    made: bytes = b""


@dataclass(slots=True)
class Dump:
    """Records of one system; moments are in UTC, record headers in local time."""

    system: str
    offset: timedelta
    records: list[_Record] = field(default_factory=list)

    def add(
        self,
        moment: datetime,
        record_type: int,
        subtype: int,
        header: Row,
        tables: Mapping[str, Sequence[Row]],
        *,
        pointers: int | None = None,
        lengths: Mapping[str, int] | None = None,
        run: int | None = None,
    ) -> None:
        """Add a record: header fields except time and flags, and its rows by table.

        A record that belongs to a queue manager's `run` is numbered within the run, by kind and
        overall.
        """
        found = {table: rows for table, rows in tables.items() if rows}
        for table, rows in found.items():
            if table in BLOCK_IDS:
                name, number = BLOCK_IDS[table]
                for row in rows:
                    row.setdefault(name, number)
        key = (record_type, subtype)
        self.records.append(_Record(moment, key, header, found, pointers, lengths or {}, run))

    def compose(self) -> list[bytes]:
        """Return all records between a dump header and a trailer."""
        groups: dict[tuple[Any, ...], list[_Record]] = defaultdict(list)
        self.records.sort(key=lambda r: r.moment)
        self._number()
        for record in self.records:
            shape = (record.key, record.pointers, tuple(sorted(record.lengths.items())))
            groups[shape].append(record)
        for group in groups.values():
            self._compose(group)
        local = [r.moment + self.offset for r in self.records]
        made = [r.made for r in self.records]
        end = local[-1] + timedelta(seconds=40)
        return [dump_header(end, self.system), *made, dump_trailer(end, self.system)]

    def _number(self) -> None:
        """Number the records of each run in sequence, from 1 unless it is the first run."""
        written: Counter[tuple[str, int]] = Counter()
        by_kind: Counter[tuple[str, int, int]] = Counter()
        for record in self.records:
            if record.run is None:
                continue
            (row,) = record.tables[f"smf{record.key[0]}_qwhs"]
            name, before = row["qwhsssid"], _NUMBERED_BEFORE if record.run == 0 else 0
            written[name, record.run] += 1
            by_kind[name, record.run, row["qwhsiid"]] += 1
            row["qwhswseq"] = before * 20 + written[name, record.run]
            row["qwhsiseq"] = before + by_kind[name, record.run, row["qwhsiid"]]

    def _compose(self, group: list[_Record]) -> None:
        layout = RECORDS[group[0].key]
        tables: dict[str, list[Row]] = defaultdict(list)
        for number, record in enumerate(group, start=1):
            header = self._header(record) | {"record_no": number}
            tables[layout.header.table].append(header)
            for table, rows in record.tables.items():
                tables[table] += [row | {"record_no": number} for row in rows]
        made = compose(layout, tables, lengths=group[0].lengths, pointers=group[0].pointers)
        for record, content in zip(group, made, strict=True):
            record.made = content

    def _header(self, record: _Record) -> Row:
        local = record.moment + self.offset
        day = local.replace(hour=0, minute=0, second=0, microsecond=0)
        prefix = "smfrec" if record.key[0] == 180 else f"sm{record.key[0]}"
        return record.header | {
            f"{prefix}flg": _FLAGS,
            f"{prefix}tme": (local - day) // timedelta(microseconds=1),
            f"{prefix}dte": local.date(),
            f"{prefix}sid": self.system,
        }
