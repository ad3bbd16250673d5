"""What a declared page says, as tables: for the terminal, assistants and Python."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import polars as pl

from app.results.pages import KEYS, about_of, files, own_folder, page_of
from app.results.queries.lines import lines
from app.results.queries.owners import OWNERS, record_owners
from app.results.queries.scope import EVERYTHING, Keyed, Scope
from app.results.queries.systems import (
    Page,
    Picked,
    Section,
    Table,
    figures,
    picked_first,
    rows,
    whole,
)
from app.results.reader import Reader
from app.results.suggest import did_you_mean
from ingest.base.errors import RequestError

__all__ = ["Answer", "answers", "answers_of", "labels", "named_page", "scope_of"]

_MOST_SHOWN = timedelta(days=2)  # as on the page, until somebody asks for more


class Answer(NamedTuple):
    """A table that a page has, under its title: columns have their labels."""

    title: str
    frame: pl.DataFrame


def scope_of(
    reader: Reader,
    kind: str,
    label: str = "",
    start: datetime | None = None,
    end: datetime | None = None,
) -> Scope:
    """Return an owner of a kind and a time (UTC): by default what the page shows at first.

    Raises RequestError if there is no such owner.
    """
    if kind in KEYS:
        return _keyed(reader, kind, label)
    owner = OWNERS[kind]
    owners = record_owners(reader, owner)
    if not owners:
        raise RequestError(owner.missing.rstrip("."))
    chosen = next(
        (known_owner for known_owner in owners if not label or known_owner.label == label), None
    )
    if chosen is None:
        labels = [known_owner.label for known_owner in owners]
        near = did_you_mean(label, labels) or f"; known: {', '.join(labels)}"
        raise RequestError(f"no {kind} {label!r}{near}")
    first = max(chosen.latest, chosen.end - _MOST_SHOWN)
    return Scope(chosen.origin, (chosen.label,), start or first, end or chosen.end, owner.name)


def _keyed(reader: Reader, kind: str, label: str) -> Scope:
    """Return a run or campaign, the latest by default, or all that is loaded."""
    if not kind:
        return EVERYTHING
    *_, name = keys = KEYS[kind]
    row = reader.frame(
        f"select {', '.join(keys)} from marts.fct_run where ? in ('', {name})"
        " order by stop_utc desc, run_id limit 1",
        (label,),
    ).to_dicts()
    if not row:
        raise RequestError(f"no {kind} {label!r}" if label else "no benchmark runs are loaded")
    return Keyed(row[0][name], **row[0])


def labels(reader: Reader, kind: str) -> list[str]:
    """Return the names of what a page may be about; of runs and campaigns the latest."""
    if kind in KEYS:
        return list(_keyed(reader, kind, "").labels)
    return [owner.label for owner in record_owners(reader, OWNERS[kind])]


def answers_of(
    file: Path, name: str, of: str = "", start: datetime | None = None, end: datetime | None = None
) -> list[Answer]:
    """Return what a page says of an owner and a time; without a name, which pages there are.

    Raises RequestError, SettingsError.
    """
    if not name:
        held = [(path, about_of(each)) for path, each in _files().items()]
        return [Answer("Pages", pl.DataFrame(held, ["Page", "Shows"], orient="row"))]
    page, reader = named_page(name), Reader(file)
    return answers(reader, page, scope_of(reader, page.owner, of, start, end))


def named_page(name: str) -> Page:
    """Return a page, ours or a team's, by its name. Raises RequestError, SettingsError."""
    pages = _files()
    if name not in pages:
        raise RequestError(f"no page {name!r}{did_you_mean(name, list(pages))}")
    return page_of(pages[name])


def _files() -> dict[str, Path]:
    return {each.stem.replace("_", "-"): each for each in (*files(), *files(own_folder()))}


def answers(reader: Reader, page: Page, scope: Scope) -> list[Answer]:
    """Return what is shown, key figures, tables, and of each chart the least, mean and most."""
    shown: dict[str, object] = {"Of": ", ".join(scope.labels), "Origin": scope.origin}
    if page.owner not in KEYS:
        shown |= {"From, UTC": scope.start, "To, UTC": scope.end}
    tables = [Answer("Shown", pl.DataFrame([shown])), _tiles(reader, page, scope)]
    for section in page.sections:
        about = whole(reader, scope, section.of) if section.of else scope
        if about is not None:
            picked = picked_first(reader, about, section.picks)
            tables.append(_charts(reader, section, about, picked))
            tables += [_table(reader, section, table, about, picked) for table in section.tables]
    return [answer for answer in tables if answer.frame.height]


def _tiles(reader: Reader, page: Page, scope: Scope) -> Answer:
    (row,) = figures(reader, scope, page.tiles).iter_rows(named=True)
    shown = []
    for index, tile in enumerate(page.tiles):
        more = row[f"m{index}"]
        remark = tile.remark if more is not None else tile.remark.partition(";")[0]
        text = remark.format(f"{more:,.4g}" if isinstance(more, float) else more)
        value = row[f"v{index}"]
        if isinstance(value, str):
            value, text = None, f"{value} {text}"
        shown.append((tile.label, value, tile.unit, text))
    schema = {"Figure": pl.String, "Value": pl.Float64, "Unit": pl.String, "Remark": pl.String}
    return Answer("Key figures", pl.DataFrame(shown, schema, orient="row", strict=False))


def _charts(reader: Reader, section: Section, scope: Scope, picked: Picked) -> Answer:
    shown = [
        frame.group_by("series", maintain_order=True).agg(
            Chart=pl.lit(panel.title), Unit=pl.lit(panel.unit), Least=pl.col("value").min(),
            Mean=pl.col("value").dot(_SECONDS) / _SECONDS.sum(), Most=pl.col("value").max(),
        )
        for panel, (frame, _) in zip(
            section.panels, lines(reader, scope, section.panels, picked), strict=True
        )
    ]  # fmt: skip
    frame = pl.concat(shown) if shown else pl.DataFrame()
    columns = ("Chart", "series", "Least", "Mean", "Most", "Unit")
    return Answer(f"{section.title}: by chart", frame.select(columns) if shown else frame)


_SECONDS = (pl.col("end") - pl.col("start")).dt.total_seconds()


def _table(reader: Reader, section: Section, table: Table, scope: Scope, picked: Picked) -> Answer:
    frame = rows(reader, scope, table, picked)
    labels = {
        name: label
        for name, shown in {**table.by, **table.columns}.items()
        if (label := shown if isinstance(shown, str) else shown[0])
    }
    several = {"owner": "Of"} if len(scope.labels) > 1 else {}
    shown = frame.select(pl.col(n).alias(label) for n, label in {**several, **labels}.items())
    return Answer(table.title or section.title, shown if labels else frame.drop("owner"))
