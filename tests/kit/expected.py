"""What a parser must find: EXCERPT.TABLE.csv, beside its tests, has columns of that table."""

from pathlib import Path

import polars as pl


def expected(folder: Path) -> list[Path]:
    """Return the files of a folder, for parametrize."""
    return sorted(folder.glob("*.csv"))


def excerpt_of(file: Path) -> str:
    """Return the name of the excerpt that an expected table belongs to."""
    return file.stem.rpartition(".")[0]


def check(file: Path, tables: dict[str, pl.DataFrame]) -> None:
    """Compare all rows of a table with a file, in the file's columns."""
    text = file.read_text()
    columns = text.partition("\n")[0].split(",")
    assert tables[file.stem.rpartition(".")[2]].select(columns).write_csv() == text
