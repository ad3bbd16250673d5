"""The SMF logs of systems: records are added by kind and composed together.

Records and their sections are frames, or lists of rows; `record_no` identifies the record that a
section belongs to, and is unique within a kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ingest.formats.binary.compose import Rows, compose
from ingest.formats.binary.section import schema
from ingest.formats.binary.write import dump_header, dump_trailer
from ingest.formats.layouts import AMS_RECORD, RECORDS

__all__ = ["Log", "Tables", "constant", "local_time", "section"]

Tables = Mapping[str, pl.DataFrame]
_LAYOUTS = {(r.record_type, r.subtype): r for r in (*RECORDS, AMS_RECORD)}
_FLAGS: dict[int, dict[str, Any]] = {  # header flags: MVS/ESA and later, with subtypes
    30: {"smf30flg": 0x5E},
    42: {"smf42flg": 0x5E},
    113: {"smf113ssf": False, "smf113sbt": True},
    115: {"sm115flg": 0x5E},
    116: {"sm116flg": 0x5E},
    180: {"smfrecflg": 0x5E},
}
_PREFIX = {115: "sm115", 116: "sm116", 180: "smfrec"}  # of the header's field names
_RMF_FLAGS = ("sut", "v4", "esa", "vxa", "os")


class _Kind(NamedTuple):
    """Records of one type and subtype, composed, in the order of their rows."""

    systems: list[str]
    moments: pl.Series
    places: list[int]
    records: list[bytes]


class Log:
    """Records of systems; moments are in UTC, record headers in local time."""

    def __init__(self, offset: timedelta) -> None:
        self.offset = offset
        self.kinds: list[_Kind] = []

    def add(
        self,
        record_type: int,
        subtype: int,
        records: pl.DataFrame,
        tables: Mapping[str, Rows],
        lengths: Mapping[str, int] | None = None,
        pointers: int | None = None,
    ) -> None:
        """Add records of a kind: `record_no`, `system`, `moment`, and header fields.

        `moment` is when SMF takes the record; of two at once, the one with the lower `place` is
        first, if there is that column. Sections must be in the order of their records. `lengths`
        gives, by table, lengths other than the newest release's, `pointers` how many there are
        (ingest.formats.binary.compose).
        """
        if not records.height:
            return
        layout = _LAYOUTS[record_type, subtype]
        layouts = {s.layout.table: s.layout for s in layout.sections}
        typed = {
            table: _typed_frame(rows, schema(layouts[table]))
            if isinstance(rows, pl.DataFrame)
            else rows
            for table, rows in tables.items()
        }
        header = _typed_frame(self._header(records, record_type, subtype), schema(layout.header))
        made = compose(
            layout, {layout.header.table: header, **typed}, lengths=lengths, pointers=pointers
        )
        places = records["place"].to_list() if "place" in records.columns else [0] * len(made)
        self.kinds.append(_Kind(records["system"].to_list(), records["moment"], places, made))

    def compose(self, after: timedelta = timedelta(seconds=30)) -> dict[str, list[bytes]]:
        """Return each system's records in time order, between a dump header and a trailer.

        after: from the last record to the dump.
        """
        moments = pl.concat([k.moments.cast(pl.Datetime("us")) for k in self.kinds])
        systems = np.array([name for k in self.kinds for name in k.systems])
        records = [record for k in self.kinds for record in k.records]
        places = [kind_place for k in self.kinds for kind_place in k.places]
        order = np.lexsort((np.array(places), moments.to_numpy()))
        logs = {}
        for system in sorted(set(systems.tolist())):
            at_system = order[systems[order] == system]
            end = moments[int(at_system[-1])] + self.offset + after
            body = [records[i] for i in at_system.tolist()]
            logs[system] = [dump_header(end, system), *body, dump_trailer(end, system)]
        return logs

    def _header(self, records: pl.DataFrame, record_type: int, subtype: int) -> pl.DataFrame:
        p = _PREFIX.get(record_type, f"smf{record_type}")
        moment = pl.col("moment")
        flags = _FLAGS.get(record_type) or {f"{p}{flag}": True for flag in _RMF_FLAGS} | {
            f"{p}ssi": "RMF",
            f"{p}trn": len(_LAYOUTS[record_type, subtype].pointers),
        }
        return records.select(
            pl.exclude("system", "moment", "place"),
            local_time(moment, self.offset).alias(f"{p}tme"),
            (moment + self.offset).dt.date().alias(f"{p}dte"),
            pl.col("system").alias(f"{p}sid"),
            *(constant(value).alias(name) for name, value in flags.items()),
        )


def section(frame: pl.DataFrame, *keys: str, **fields: Any) -> pl.DataFrame:
    """Return the rows of a section.

    They have `record_no`, other keys, and fields given as expressions or constants.
    """
    return frame.select(
        "record_no", *keys, *(constant(value).alias(name) for name, value in fields.items())
    )


def constant(value: Any) -> pl.Expr:
    """Return a value as an expression; an expression is returned unchanged."""
    if isinstance(value, pl.Expr):
        return value
    return pl.lit(pl.Series([value])).first() if isinstance(value, list) else pl.lit(value)


def local_time(moment: pl.Expr, offset: timedelta) -> pl.Expr:
    """Return microseconds since local midnight, in whole hundredths of a second."""
    local = moment + offset
    return (local - local.dt.truncate("1d")).dt.total_microseconds() // 10_000 * 10_000


def _typed_frame(frame: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return the frame with the fields in their own types."""
    changed = {n: types[n] for n in frame.columns if n in types and frame.schema[n] != types[n]}
    return frame.cast(changed)  # type: ignore[arg-type]
