"""The answers to questions in SQL: the engine of the command, of Python, pages and assistants.

DuckDB has values that no other form holds as they are: months in intervals, infinite dates, columns
of the same name. `exact` is what a text says of them, `framed` what a data frame holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from ingest.lake.locked import LockedError, parse_query
from ingest.lake.sql import identifier

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["answers", "as_arrow", "data_frame", "exact", "write_parquet"]

_GROUP = 60 * 2048  # rows of a file that are written together, as DuckDB does

_INTERVALS = re.compile(r"INTERVAL(\[\])*")  # lists of intervals, at any depth
_NO_FRAME_HAS = re.compile(r"\b(BIGNUM|BIT|GEOMETRY|INTERVAL|UNION|VARIANT)\b")  # types
_HAS_MONTHS = "an interval has months, which have no fixed length: cast it to VARCHAR"
_ISO_8601 = """
    CASE WHEN {0} IS NOT NULL THEN 'P'
        || if(datepart('year', {0}) = 0, '', datepart('year', {0}) || 'Y')
        || if(datepart('month', {0}) = 0, '', datepart('month', {0}) || 'M')
        || if(datepart('day', {0}) = 0, '', datepart('day', {0}) || 'D')
        || if({0} <> INTERVAL 0 SECOND AND {1} = 0, '', 'T' || if({1} < 0, '-', '')
            || abs({1}) // 1000000
            || rtrim('.' || lpad((abs({1}) % 1000000)::VARCHAR, 6, '0'), '.0') || 'S')
    END
"""


def answers(
    db: duckdb.DuckDBPyConnection,
    text: str,
    parameters: Sequence[object] | Mapping[str, object] = (),
    holder: str = "",
) -> Iterator[duckdb.DuckDBPyRelation]:
    """Yield the answer to each query of a text, one after the other.

    parameters: by place, or by name. holder: what holds one answer only, in words; a text with more
    queries is refused then, and so is a name that no query has. Raises duckdb.Error, LockedError.
    """
    statements = parse_query(db, text)
    kinds: list[Any] = [statement.expected_result_type for statement in statements]
    queries = kinds.count([duckdb.ExpectedResultType.QUERY_RESULT])
    if holder and queries > 1:
        raise LockedError(
            f"sql: {queries} queries, and {holder} holds one answer: ask them one after the other"
        )
    named = {name for statement in statements for name in statement.named_parameters}
    if isinstance(parameters, Mapping) and (unknown := {*parameters} - named):
        raise LockedError(f"sql: no query has the parameter ${min(unknown)}")
    for statement in statements:
        given: Any = (
            {name: parameters[name] for name in statement.named_parameters & {*parameters}}
            if isinstance(parameters, Mapping)
            else list(parameters)
        )
        try:
            answer = db.sql(statement, params=given) if given else db.sql(statement)
        except (duckdb.BinderException, duckdb.CatalogException):
            db.execute(statement, given)  # says where it is in the text
            raise
        if answer is not None:
            yield answer


def exact(answer: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Return an answer whose values Python has as they are, each column under a name of its own.

    Intervals are text as in ISO 8601, and so is an infinite date or time: infinity.
    """
    columns = [_exact(f"#{number}", kind) for number, kind in enumerate(answer.types, 1)]
    names = _unique_names(answer.columns)
    if names == answer.columns and all(column.startswith("#") for column in columns):
        return answer
    return answer.project(
        ", ".join(
            f"{column} AS {identifier(name)}" for column, name in zip(columns, names, strict=True)
        )
    )


def _exact(value: str, kind: Any, depth: int = 0) -> str:
    """Return SQL for a value of a type of DuckDB as `exact` has it; `value` if that is the same."""
    within = f"x{depth}"
    match kind.id:
        case "interval":
            clock = f"(datepart('hour', {value}) * 3600000000 + datepart('minute', {value}) * "
            clock += f"60000000 + datepart('microsecond', {value}))"
            return _ISO_8601.format(value, clock)
        case moment if moment.startswith(("date", "timestamp")):
            both = f"UNION(moment {kind}, said VARCHAR)"
            text = f"{value}::VARCHAR::{both}"
            return f"CASE WHEN isfinite({value}) THEN {value}::{both} ELSE {text} END"
        case "list" | "array":
            held = _plain(f"{value}::{kind.children[0][1]}[]")
            parts, made = [within], f"list_transform({held}, lambda {within}: {{}})"
        case "map":
            parts = [f"{within}.key", f"{within}.value"]
            entry = f"lambda {within}: {{{{'key': {{}}, 'value': {{}}}}}}"
            made = f"map_from_entries(list_transform(map_entries({value}), {entry}))"
        case "struct":
            parts = [f"struct_extract_at({value}, {n + 1})" for n in range(len(kind.children))]
            names = [f"{_plain(identifier(name))} := " if name else "" for name, _ in kind.children]
            made = "struct_pack" if names[0] else "row"
            made += f"({', '.join(f'{name}{{}}' for name in names)})"
            made = f"CASE WHEN {value} IS NOT NULL THEN {made} END"
        case _:
            return value
    kinds = [child for _, child in kind.children[: len(parts)]]
    exact_parts = [_exact(*part, depth + 1) for part in zip(parts, kinds, strict=True)]
    return value if exact_parts == parts else made.format(*exact_parts)


def _plain(sql: str) -> str:
    """Return SQL as a part of a text that is formatted."""
    return sql.replace("{", "{{").replace("}", "}}")


def as_arrow(
    answer: duckdb.DuckDBPyRelation, rows: int
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Return an answer as Arrow that every data frame can hold: its schema, and batches of `rows`.

    Intervals become durations, infinite dates and times NULL, and types that no data frame has
    become text; columns of the same name are numbered. Raises duckdb.Error.
    """
    import pyarrow as pa

    names, columns, durations = _unique_names(answer.columns), [], []
    for index, (name, kind) in enumerate(zip(names, map(str, answer.types), strict=True)):
        column = f"#{index + 1}"
        if _INTERVALS.fullmatch(kind):
            durations.append(index)
            column = _microseconds(column, kind.count("["))
        elif kind.startswith(("DATE", "TIMESTAMP")) and "[" not in kind:
            column = f"if(isfinite({column}), {column}, NULL)"
        elif _NO_FRAME_HAS.search(kind):
            column = f"{column}::VARCHAR"
        columns.append(f"{column} AS {identifier(name)}")
    reader = answer.project(", ".join(columns)).to_arrow_reader(rows)
    schema = reader.schema
    for index in durations:
        schema = schema.set(index, pa.field(names[index], _duration(schema.field(index).type)))
    return schema, _read(reader, schema)


def data_frame(answer: duckdb.DuckDBPyRelation) -> pl.DataFrame:
    """Return all of an answer, as `framed` has it. Raises duckdb.Error."""
    import polars as pl
    import pyarrow as pa

    schema, batches = as_arrow(answer, _GROUP)
    return pl.DataFrame(pa.Table.from_batches(batches, schema))


def write_parquet(answer: duckdb.DuckDBPyRelation, out: Path) -> None:
    """Write all of an answer to a Parquet file, as `framed` has it. Raises duckdb.Error."""
    from pyarrow.parquet import ParquetWriter

    schema, batches = as_arrow(answer, _GROUP)
    with ParquetWriter(out, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _microseconds(value: str, depth: int) -> str:
    if depth:
        within = _microseconds(f"x{depth}", depth - 1)
        return f"list_transform({value}, lambda x{depth}: {within})"
    has_months = f"datepart('year', {value}) <> 0 OR datepart('month', {value}) <> 0"
    return f"CASE WHEN {has_months} THEN error('{_HAS_MONTHS}') ELSE epoch_us({value}) END"


def _duration(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_list(kind):
        return pa.list_(pa.field(kind.value_field.name, _duration(kind.value_type)))
    return pa.duration("us")


def _unique_names(names: list[str]) -> list[str]:
    """Return the names, each once: a, a_2, a_3."""
    last, taken = dict.fromkeys(names, 1), set[str]()
    unique = []
    for name in names:
        chosen = name
        while chosen in taken:
            last[name] += 1
            chosen = f"{name}_{last[name]}"
        taken.add(chosen)
        unique.append(chosen)
    return unique


def _read(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the batches of an answer. Raises duckdb.Error."""
    import pyarrow as pa

    try:
        for batch in reader:
            yield batch if batch.schema == schema else batch.cast(schema)
    except (OSError, pa.ArrowException) as error:  # what DuckDB raised within Arrow
        raise duckdb.Error(str(error)) from None
