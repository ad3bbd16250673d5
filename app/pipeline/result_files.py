"""Files of results as two sides of a comparison: the columns of the marts that it reads.

No warehouse is needed: runs, figures, factors and labels become views of a database in memory, with
the names of the marts, so app.results.comparison judges files as it judges runs. A side is a
campaign here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from expectations.metrics import dictionary
from ingest.base.errors import PerfhouseError
from ingest.base.files import name_of
from ingest.formats.about import about
from ingest.formats.bench.factors import FACTORS
from ingest.formats.bench.manifest import KIND
from ingest.formats.limits import limit, setting
from ingest.formats.parsers import find_parser
from ingest.formats.sources import expand, open_source
from ingest.formats.text.parser import Parsed, ParserOfFile
from ingest.lake.sql import literal

__all__ = ["LeftOut", "ResultFilesError", "database"]

_OF_SYSTEM = ("machine", "mq_level")
_FACTORS = ", ".join(f"f['{name}'] AS {name}" for name in FACTORS if name not in _OF_SYSTEM)
#: Table -> its columns beside side, file and record_no.
_TABLES = {
    "bench_run": "start_utc TIMESTAMP",
    "bench_run_factor": "factor VARCHAR, value VARCHAR",
    "bench_run_label": "label VARCHAR, value VARCHAR",
    "bench_measurement": "metric VARCHAR, value DOUBLE, unit VARCHAR, more_is_better BOOLEAN, "
    "address_space VARCHAR",
}
_MARTS = f"""
CREATE SCHEMA marts;
CREATE TABLE runs AS
SELECT r.side AS campaign, r.file || ' ' || r.record_no AS run_id, r.start_utc,
    coalesce(map_from_entries(f.factors), map {{}})::MAP(VARCHAR, VARCHAR) AS f,
    l.git_revision, l.machine, l.mq_level
FROM bench_run r
LEFT JOIN (SELECT file, record_no, list((factor, value) ORDER BY factor) AS factors
    FROM bench_run_factor GROUP BY ALL) f USING (file, record_no)
LEFT JOIN (SELECT file, record_no, any_value(value) FILTER (label = 'git_revision') AS git_revision,
        any_value(value) FILTER (label = 'machine') AS machine,
        any_value(value) FILTER (label = 'mq_level') AS mq_level
    FROM bench_run_label GROUP BY ALL) l USING (file, record_no);
CREATE TABLE marts.fct_run AS
SELECT 'measured' AS origin, run_id, campaign, git_revision, mq_level, machine, start_utc,
    true AS is_compared, hash(f, machine, mq_level)::VARCHAR AS configuration_id
FROM runs;
CREATE VIEW marts.fct_run_session AS
SELECT origin, run_id, coalesce(git_revision, strftime(start_utc, '%Y-%m-%d')) AS build
FROM marts.fct_run;
CREATE TABLE marts.dim_configuration AS
SELECT DISTINCT hash(f, machine, mq_level)::VARCHAR AS configuration_id,
    coalesce(nullif(concat_ws(', ', nullif(array_to_string(list_transform(map_entries(f),
        lambda e: regexp_replace(e.key, '^x_', '') || ' ' || e.value), ', '), ''),
        machine, 'MQ ' || mq_level), ''), 'no factors') AS configuration,
    machine, mq_level, {_FACTORS},
    map_from_entries(list_filter(map_entries(f), lambda e: starts_with(e.key, 'x_'))) AS x_factors
FROM runs;
CREATE TABLE marts.fct_measurement AS
SELECT 'measured' AS origin, m.file || ' ' || m.record_no AS run_id, m.metric, m.unit, m.value,
    m.value AS value_low, m.value AS value_high, 'given' AS value_source,
    coalesce(m.more_is_better, d.more_is_better) AS more_is_better, true AS is_compared
FROM bench_measurement m LEFT JOIN direction d USING (metric) WHERE m.address_space IS NULL;
"""


class ResultFilesError(PerfhouseError):
    """A file has no results that can be compared; the message is one line."""


class LeftOut(NamedTuple):
    """A part of a file that was not read."""

    file: str
    line: int
    reason: str


def database(
    sides: Mapping[str, Sequence[str | Path]],
) -> tuple[duckdb.DuckDBPyConnection, list[LeftOut]]:
    """Return a database with the marts of some sides, and what was left out of their files.

    sides: name -> files, folders or patterns. Raises ResultFilesError, SourceError, SettingsError.
    """
    db = duckdb.connect(config={"threads": 2})
    for table, columns in _TABLES.items():
        db.execute(f"CREATE TABLE {table} (side VARCHAR, file INT, record_no INT, {columns})")
    left_out: list[LeftOut] = []
    pairs = [(side, file) for side, paths in sides.items() for file in _files(paths)]
    for number, (side, file) in enumerate(pairs):
        parsed = _read(file)
        left_out += [LeftOut(name_of(file), part.line, part.reason) for part in parsed.rejected]
        for table in _TABLES.keys() & parsed.tables.keys():
            # As an Arrow table: DuckDB would import pandas to look at a frame.
            db.register("parsed", parsed.tables[table].to_arrow())
            names = ", ".join(column.split()[0] for column in _TABLES[table].split(", "))
            select = f"SELECT {literal(side)}, {number}, record_no, {names} FROM parsed"
            db.execute(f"INSERT INTO {table} {select}")
    directions = [
        f"({literal(metric)}, {entry.more_is_better})"
        for metric, entry in dictionary().items()
        if entry.more_is_better is not None
    ]
    db.execute(
        f"CREATE TABLE direction AS FROM (VALUES {', '.join(directions)}) _(metric, more_is_better)"
    )
    db.execute(_MARTS)
    return db, left_out


def _files(paths: Sequence[str | Path]) -> Sequence[Path]:
    inputs = expand(paths).with_members()
    for file, reason in inputs.unread.items():
        raise ResultFilesError(f"{name_of(file)}: {reason}")
    return inputs.files


def _read(file: Path) -> Parsed:
    """Return the runs of a file. Raises ResultFilesError if it has none."""
    most, name = limit("text_mb") << 20, name_of(file)
    with open_source(file) as source:
        reader_of_file, content = find_parser(source.head), b""
        is_ours = reader_of_file and (
            isinstance(reader_of_file[0], ParserOfFile) or reader_of_file[1] == KIND
        )
        parser = reader_of_file[0] if reader_of_file and is_ours else None
        while parser and len(content) <= most and (block := source.read(1 << 22)):
            content += block
    if parser is None:
        raise ResultFilesError(
            f"{name}: no results of a known tool, no table of results and no manifest "
            "(docs/your-results.md)"
        )
    if len(content) > most:
        raise ResultFilesError(f"{name}: too long ({setting('text_mb')})")
    if isinstance(parser, ParserOfFile):
        known_of = about(file)  # when a run was does not matter here
        zone = known_of.time_zone or "UTC"
        parsed = parser.parse_file(content, known_of._replace(any_time=True, time_zone=zone))
    else:
        parsed = parser.parse(content)
    if "bench_measurement" not in parsed.tables or parsed.tables["bench_measurement"].is_empty():
        first = parsed.rejected[0] if parsed.rejected else None
        where = f"{name}:{first.line}: {first.reason}" if first else f"{name}: no figures of runs"
        raise ResultFilesError(where)
    return parsed
