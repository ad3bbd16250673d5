"""A dump under construction: records are added in any order and composed together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from models_sim.simulator.log import Log

__all__ = ["BLOCK_IDS", "Dump", "Row"]

Row = dict[str, Any]
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
        filled = {table: rows for table, rows in tables.items() if rows}
        for table, rows in filled.items():
            if table in BLOCK_IDS:
                name, number = BLOCK_IDS[table]
                for row in rows:
                    row.setdefault(name, number)
        key = (record_type, subtype)
        self.records.append(_Record(moment, key, header, filled, pointers, lengths or {}, run))

    def compose(self) -> list[bytes]:
        """Return all records between a dump header and a trailer."""
        self.records.sort(key=lambda r: r.moment)
        self._number()
        groups: dict[tuple[Any, ...], list[tuple[int, _Record]]] = defaultdict(list)
        for index, record in enumerate(self.records):
            shape = (record.key, record.pointers, tuple(sorted(record.lengths.items())))
            groups[shape].append((index, record))
        log = Log(self.offset)
        for ((kind, subtype), pointers, lengths), group in groups.items():
            headers = [
                record.header
                | {"record_no": index, "place": index, "system": self.system}
                | {"moment": record.moment}
                for index, record in group
            ]
            tables: dict[str, list[Row]] = defaultdict(list)
            for index, record in group:
                for table, rows in record.tables.items():
                    tables[table] += [row | {"record_no": index} for row in rows]
            log.add(kind, subtype, pl.DataFrame(headers), tables, dict(lengths), pointers)
        return log.compose(timedelta(seconds=40))[self.system]

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
