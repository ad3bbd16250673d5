"""Pages as files: what each TOML file here, or in a team's own folder, declares.

    title, about, records   of the page; what is missing if it has nothing to show
    page, tab, place        the entry of the menu that it is a tab of, its word, its place there
    owner                   the kind of owner of its records (owners.py)
    tiles                   key figures: label, unit, value, rows, remark, more
    [let]                   SQL by name, which stands for $NAME in any text
    [rows.NAME]             rows of a mart that charts, tiles and tables name: mart (or SQL), like
                            (another of them), of_system (whether it lacks the column sysplex),
                            where; and whatever charts of them have in common
    [[section]]             title, caption, of, pick (or several); charts: title, unit, value, ...
    [[section.table]]       title, name, rows, by, order, leads, bars, ...
    [section.table.columns] NAME = LABEL, or [LABEL, measure]

`rows` may also be a mart. What else each may have is said in app.results.queries.systems.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from app.results.queries.owners import OWNERS, with_sysplex
from app.results.queries.systems import Bars, Page, Panel, Pick, Section, Table, Tile
from ingest.base.errors import SettingsError
from ingest.lake.home import home

__all__ = ["FOLDER", "KEYS", "about_of", "files", "own_folder", "page_of"]

FOLDER = Path(__file__).parent
#: What a page without owners of records may be about, and the columns that name it.
KEYS = {"": (), "run": ("run_id",), "campaign": ("origin", "campaign")}
_NAMED = re.compile(r"\$([a-z]\w*)")


def own_folder() -> Path:
    """Return the folder with a team's own pages: $PERFHOUSE_PAGES, or pages/ in the data folder."""
    return Path(os.environ.get("PERFHOUSE_PAGES") or home() / "pages")


def files(folder: Path = FOLDER) -> list[Path]:
    """Return the files with pages in a folder."""
    return sorted(folder.glob("*.toml"))


def page_of(file: Path) -> Page:
    """Return the page that a file declares. Raises SettingsError."""
    return _page_of(file, file.stat().st_mtime_ns)


def about_of(file: Path) -> str:
    """Return what the page of a file shows, or what is wrong with the file."""
    try:
        return page_of(file).about
    except SettingsError as error:
        return str(error)


@cache
def _page_of(file: Path, _changed: int) -> Page:
    section_name = ""
    try:
        declared = tomllib.loads(file.read_text(encoding="utf-8"))
        declared = _fill_in(declared, declared.pop("let", {}))
        rows = declared.pop("rows", {})
        tiles = [Tile(**_with(rows, tile)) for tile in declared.pop("tiles", ())]
        sections: list[Section] = []
        for section in declared.pop("section", ()):
            section_name = f"section {section.get('title', len(sections) + 1)}: "
            sections.append(_section(rows, section))
        section_name = ""
        page = Page(**declared, tiles=tuple(tiles), sections=tuple(sections))
        if page.owner not in (*OWNERS, *KEYS):
            raise ValueError(f"owner is {' or '.join([*OWNERS, *KEYS])}, not {page.owner!r}")
        return page
    except KeyError as error:
        raise SettingsError(f"{file}: {section_name}{error.args[0]} is missing") from None
    except (OSError, TypeError, ValueError, AttributeError) as error:
        why = re.sub(r"^\w+\.__init__\(\) ", "", str(error))
        raise SettingsError(f"{file}: {section_name}{why}") from None


def _fill_in(said: Any, names: Mapping[str, str]) -> Any:
    """Return what a file says with the SQL for each $NAME."""
    if isinstance(said, dict):
        return {key: _fill_in(value, names) for key, value in said.items()}
    if isinstance(said, list):
        return tuple(_fill_in(value, names) for value in said)
    return _NAMED.sub(lambda match: names[match[1]], said) if isinstance(said, str) else said


def _section(rows: Mapping[str, Any], said: dict[str, Any]) -> Section:
    panels = []
    for chart in said.pop("charts", ()):
        chart_values = _with(rows, chart, of_chart=True)
        panels.append(
            Panel(
                values=chart_values.pop("value", None) or chart_values.pop("values"), **chart_values
            )
        )
    tables = []
    for table in said.pop("table", ()):
        leads = dict(table.pop("leads", {}))
        if leads:
            table["leads"] = (leads.pop("page", ""), leads)
        table["bars"] = tuple(Bars(**bars) for bars in table.pop("bars", ()))
        tables.append(Table(**_with(rows, table)))
    pick = said.pop("pick", ())
    several = (pick,) if isinstance(pick, dict) else pick
    picks = tuple(Pick(**_with(rows, offered)) for offered in several)
    return Section(**said, panels=tuple(panels), tables=tuple(tables), picks=picks)


def _with(
    rows: Mapping[str, Any], said: Mapping[str, Any], *, of_chart: bool = False
) -> dict[str, Any]:
    """Return what a part of a page says, with what its rows are."""
    merged = dict(said)
    name = merged.pop("rows")
    held = {"mart": name} if name not in rows else dict(rows[name])
    if "like" in held:
        held = {**rows[held.pop("like")], **held}
    mart = held["mart"]
    if re.fullmatch(r"\w+", mart):
        mart = f"marts.{mart}"
    if held.pop("of_system", False):
        mart = with_sysplex(mart)
    kept = held if of_chart else {"where": held.get("where", "true")}
    return {**kept, "mart": mart, **merged}
