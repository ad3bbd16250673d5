"""A graph of tables as a text in the language DOT: what is made of what."""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["ancestors", "descendants", "dot"]

# Dark text on light boxes can be read on a light and on a dark page.
_FILLS = {
    "raw": "#d9e2ec",
    "meta": "#d9e2ec",
    "seed": "#e4dcf0",
    "staging": "#f3e6c8",
    "intermediate": "#cfe8e2",
    "marts": "#bcd6f2",
    "team": "#f2cfd6",
}
_LINE = "#8895a7"


def dot(
    parents: Mapping[str, Collection[str]],
    layers: Mapping[str, str],
    *,
    marked: Collection[str] = (),
    is_backwards: bool = False,
) -> str:
    """Return a graph of the tables in `parents`, each with the tables it is made of.

    What a table is made of stands on its left; `is_backwards`: on its right, so that a wide graph
    begins with what it is about. `layers`: the layer of each table, which colours it. `marked`:
    tables with a thick border.
    """
    lines = [
        f'digraph {{ rankdir={"RL" if is_backwards else "LR"}; bgcolor="transparent";',
        "nodesep=0.1; ranksep=0.35;",
        'node [shape=box, style="filled,rounded", fontname="sans-serif", fontsize=13, height=0.3];',
        f'node [fontcolor="#1b2733", color="{_LINE}", margin="0.08,0.03"];',
        f'edge [color="{_LINE}", arrowsize=0.6];',
    ]
    for name in parents:
        fill = _FILLS.get(layers.get(name, ""), "#ffffff")
        width = ", penwidth=2.5" if name in marked else ""
        label = _quoted(name.partition(".")[2] or name)  # the colour tells the schema
        lines.append(f'{_quoted(name)} [label={label}, fillcolor="{fill}"{width}];')
    lines += [
        f"{_quoted(parent)} -> {_quoted(name)};"
        for name, read in parents.items()
        for parent in read
        if parent in parents
    ]
    return "\n".join([*lines, "}"])


def ancestors(
    name: str, parents: Mapping[str, Collection[str]], leading_to: Collection[str] | None = None
) -> list[str]:
    """Return a table and all that it is made of, directly or through others, nearest first.

    `leading_to`: only tables that are made of one of these, and these.
    """
    names = [name]
    for name_ in names:
        names += [parent for parent in parents.get(name_, ()) if parent not in names]
    if leading_to is None:
        return names
    kept = set(leading_to)
    while more := {
        name_
        for name_ in names
        if name_ not in kept and not kept.isdisjoint(parents.get(name_, ()))
    }:
        kept |= more
    return [name_ for name_ in names if name_ in kept]


def descendants(name: str, parents: Mapping[str, Collection[str]]) -> list[str]:
    """Return the tables that are made of a table directly."""
    return sorted(child for child, read in parents.items() if name in read)


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
