"""Compare two warehouses: the rows, types and comments of every mart, and what each is made of.

    python scripts/same_marts.py BEFORE.duckdb AFTER.duckdb

Prints each difference and a summary. Exits with 1 if rows, types or the raw tables behind a mart
differ, or if a comment was lost; a changed comment is only printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

#: Columns that differ between two loads of the same files.
_OF_THE_LOAD = {
    "dim_load": ("loaded_at_utc", "path", "decoder_version", "decoder", "stored_bytes"),
    "fct_run": ("declared_at_utc",),
    "fct_run_output": ("path",),
    "fct_run_sample": ("path",),
    "fct_pipeline_step": None,
    "fct_pipeline_day": None,
}
_COMMENTS = """
    SELECT table_name || '.' || column_name, data_type, comment FROM duckdb_columns()
    WHERE database_name = ? AND schema_name = 'marts'
    UNION ALL
    SELECT table_name, 'table', comment FROM duckdb_tables()
    WHERE database_name = ? AND schema_name = 'marts'
"""
_BEHIND = """
    WITH RECURSIVE behind AS (
        SELECT name AS mart, unnest(parents) AS parent FROM {0}.meta.lineage WHERE layer = 'marts'
        UNION
        SELECT mart, unnest(parents) FROM behind JOIN {0}.meta.lineage ON name = parent
    )
    SELECT DISTINCT mart, parent FROM behind WHERE parent LIKE 'raw.%' OR parent LIKE 'meta.%'
"""


def _rounded(name: str, kind: str) -> str:
    """Return SQL for a column without last digits, which depend on the order of a sum."""
    if kind == "DOUBLE":
        return f'format(\'{{:.6e}}\', if(abs("{name}") < 1e-9, 0, round("{name}", 9)))'
    return f'"{name}"::{kind.replace("DOUBLE", "FLOAT")}'


def _differing_rows(db: duckdb.DuckDBPyConnection, mart: str) -> tuple[int, int] | None:
    """Return how many rows only the first and only the second warehouse has."""
    left_out = _OF_THE_LOAD.get(mart, ())
    if left_out is None:
        return None
    kept = ", ".join(
        _rounded(name, kind)
        for name, kind, *_ in db.execute(f'DESCRIBE before.marts."{mart}"').fetchall()
        if name not in left_out
    )
    before, other = (f'SELECT {kept} FROM {side}.marts."{mart}"' for side in ("before", "after"))
    counts = [
        db.execute(f"SELECT count(*) FROM ({first} EXCEPT ALL {second})").fetchone()
        for first, second in ((before, other), (other, before))
    ]
    return tuple(count[0] for count in counts if count)


def main(before: Path, after: Path) -> int:
    """Print the differences; return 0 if there are none that matter."""
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    db.execute(f"ATTACH '{before}' AS before (READ_ONLY); ATTACH '{after}' AS after (READ_ONLY)")
    described = [
        {n: (kind, text) for n, kind, text in db.execute(_COMMENTS, [side] * 2).fetchall()}
        for side in ("before", "after")
    ]
    faults, changed = 0, 0
    for name in sorted(described[0].keys() | described[1].keys()):
        if "." in name and any(name.split(".")[0] not in side for side in described):
            continue  # said of the table
        old, other = (side.get(name, (None, None)) for side in described)
        if old[0] != other[0]:
            print(f"type: {name}: {old[0]} -> {other[0]}")
            faults += 1
        elif old[1] and not other[1]:
            print(f"comment lost: {name}: {old[1]}")
            faults += 1
        elif old[1] != other[1]:
            print(f"comment: {name}: {old[1]} -> {other[1]}")
            changed += 1
    marts = sorted(name for name, (kind, _) in described[0].items() if kind == "table")
    rows = 0
    for mart in marts:
        counts = _differing_rows(db, mart) if mart in described[1] else None
        if counts and any(counts):
            print(f"rows: {mart}: {counts[0]} only before, {counts[1]} only after")
            faults += 1
        rows += db.execute(f'SELECT count(*) FROM before.marts."{mart}"').fetchall()[0][0]
    behind = [set(db.execute(_BEHIND.format(side)).fetchall()) for side in ("before", "after")]
    for pair in sorted(behind[0] ^ behind[1]):
        print(f"lineage: {pair} only {'before' if pair in behind[0] else 'after'}")
        faults += 1
    print(
        f"{len(marts)} marts, {rows:,} rows, {len(described[0])} comments and types, "
        f"{len(behind[0])} pairs of mart and raw table: {faults} faults, {changed} comments changed"
    )
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
