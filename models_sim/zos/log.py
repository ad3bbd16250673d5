"""The SMF log of one synthetic system: records are added in any order and composed all at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ingest.binary.compose import compose
from ingest.binary.write import dump_header, dump_trailer
from ingest.layouts import RECORDS
from models_sim.zos.profile import LOCAL_HOURS

__all__ = ["OFFSET", "Log", "Row", "Tables", "local_time"]

Row = dict[str, Any]
Tables = Mapping[str, Sequence[Row]]
OFFSET = timedelta(hours=LOCAL_HOURS)
_LAYOUTS = {(r.record_type, r.subtype): r for r in RECORDS}
_FLAGS: dict[int, Row] = {  # of the header: MVS/ESA and later, with subtypes
    30: {"smf30flg": 0x5E},
    42: {"smf42flg": 0x5E},
    113: {"smf113ssf": False, "smf113sbt": True},
}
_RMF_FLAGS = ("sut", "v4", "esa", "vxa", "os")


@dataclass(slots=True)
class Log:
    """Records of one system; moments are UTC, headers bear local time."""

    system: str
    records: list[tuple[datetime, tuple[int, int], Row, Tables]] = field(default_factory=list)

    def add(
        self, moment: datetime, record_type: int, subtype: int, tables: Tables, header: Row
    ) -> None:
        """Add a record that SMF takes at `moment`: its rows by table, and fields of its header."""
        key = (record_type, subtype)
        self.records.append((moment, key, header | self._header(moment, *key), tables))

    def compose(self) -> list[bytes]:
        """All records in the order of their moments, between a dump header and a trailer."""
        self.records.sort(key=lambda r: r[0])
        made: list[bytes] = [b""] * len(self.records)
        groups: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i, (_, key, _, _) in enumerate(self.records):
            groups[key].append(i)
        for key, members in groups.items():
            layout = _LAYOUTS[key]
            tables: dict[str, list[Row]] = defaultdict(list)
            for i in members:
                _, _, header, rows_of = self.records[i]
                tables[layout.header.table].append(header | {"record_no": i})
                for table, rows in rows_of.items():
                    tables[table] += [row | {"record_no": i} for row in rows]
            for i, content in zip(members, compose(layout, tables), strict=True):
                made[i] = content
        end = self.records[-1][0] + OFFSET + timedelta(seconds=30)
        return [dump_header(end, self.system), *made, dump_trailer(end, self.system)]

    def _header(self, moment: datetime, record_type: int, subtype: int) -> Row:
        p = f"smf{record_type}"
        local = moment + OFFSET
        row: Row = {f"{p}tme": local_time(moment), f"{p}dte": local.date(), f"{p}sid": self.system}
        if record_type in _FLAGS:
            return row | _FLAGS[record_type]
        row |= {f"{p}{flag}": True for flag in _RMF_FLAGS}
        return row | {f"{p}ssi": "RMF", f"{p}trn": len(_LAYOUTS[record_type, subtype].pointers)}


def local_time(moment: datetime) -> int:
    """Microseconds since local midnight, in whole hundredths of a second."""
    local = moment + OFFSET
    day = local.replace(hour=0, minute=0, second=0, microsecond=0)
    return (local - day) // timedelta(milliseconds=10) * 10_000
