"""Plug-ins: what perfhouse decodes, reads and builds, from packages and folders of others.

A plug-in is a Plugin: an entry point of the group `perfhouse.plugins` of an installed package, or
PLUGIN of a Python package whose folder $PERFHOUSE_PLUGINS names (folders are separated as in PATH).
Ours and theirs are registered by one function: what comes second is left out, and said.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import sys
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ingest.formats.binary.record import RecordLayout
    from ingest.formats.text.parser import Parser

__all__ = ["SETTING", "Plugin", "plugins", "problems", "register"]

SETTING = "PERFHOUSE_PLUGINS"

_GROUP = "perfhouse.plugins"
_log = logging.getLogger(__name__)
_problems: dict[str, None] = {}  # in order, once each
T = TypeVar("T")


@dataclass(frozen=True)
class Plugin:
    """What a plug-in adds.

    records: layouts of SMF records. parsers: of text. tools: each a Tool, which reads results.
    views: each a View, plain names of fields in `staging`. dbt: the folder of a project like that
    of a team. code: the folder of its package, by default that of the module that made it.
    """

    name: str
    records: tuple[RecordLayout, ...] = ()
    parsers: tuple[Parser, ...] = ()
    tools: tuple[Any, ...] = ()
    views: tuple[Any, ...] = ()
    dbt: Path | None = None
    code: Path | None = None


@cache
def plugins() -> tuple[Plugin, ...]:
    """Return the plug-ins of others, by name; what cannot be imported is among the `problems`."""
    places: list[EntryPoint | Path] = sorted(entry_points(group=_GROUP))
    places += map(Path, filter(None, os.environ.get(SETTING, "").split(os.pathsep)))
    by_name: dict[str, Plugin] = {}
    for folder in places:
        source = str(folder.absolute()) if isinstance(folder, Path) else folder.value
        try:
            plugin = _load(folder)
        except Exception as error:  # whatever it does, the others are loaded
            _complain(f"plug-in {source} cannot be imported: {type(error).__name__}: {error}")
            continue
        if by_name.setdefault(plugin.name, plugin) is not plugin:
            _complain(f"plug-in {source} is left out: another one is called {plugin.name}")
    return tuple(by_name[name] for name in sorted(by_name))


def _load(given: EntryPoint | Path) -> Plugin:
    """Import a plug-in; raises whatever it raises."""
    if isinstance(given, Path):
        folder = given.absolute()
        package = importlib.util.find_spec(folder.name)
        if package and package.origin != str(folder / "__init__.py"):
            raise ImportError(f"another module is called {folder.name}: rename the folder")
        spec = importlib.util.spec_from_file_location(
            folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[folder.name] = module
        spec.loader.exec_module(module)
        plugin = module.PLUGIN
    else:
        plugin = given.load()
        module = sys.modules[given.module]
    if not isinstance(plugin, Plugin):
        raise TypeError(f"{type(plugin).__name__} is no Plugin")
    return plugin if plugin.code else replace(plugin, code=Path(str(module.__file__)).parent)


def register(
    ours: Iterable[T],
    part: Callable[[Plugin], Iterable[T]],
    keys: Callable[[T], Iterable[Hashable]],
) -> tuple[T, ...]:
    """Return our part and those of plug-ins, in this order; none of two with a key in common.

    part: of a plug-in. keys: what two of them may not share. What is left out is a problem.
    """
    objects, taken = list[T](), dict[Hashable, str]()
    of_all = [("perfhouse", ours), *((plugin.name, part(plugin)) for plugin in plugins())]
    for name, added in ((name, added) for name, parts in of_all for added in parts):
        shared = [key for key in keys(added) if taken.get(key, name) != name]
        if shared:
            owner = taken[shared[0]]
            _complain(f"plug-in {name}: {shared[0]} is left out: {owner} has one")
            continue
        taken.update(dict.fromkeys(keys(added), name))
        objects.append(added)
    return tuple(objects)


def problems() -> list[str]:
    """Return what is wrong with plug-ins, in words, as far as it was noticed."""
    return [*_problems]


def _complain(problem: str) -> None:
    if problem not in _problems:
        _problems[problem] = None
        _log.error("%s", problem)
