"""Shortcuts through dbt's own work around each node; what it builds and prints stays the same.

dbt 1.11 takes longer for that work than DuckDB for the models of a small warehouse. It describes
five thousand events that nobody asked to see, registers six hundred macros twice for each node, and
compiles templates that are the same in each build. The shortcuts know the inside of some versions
of dbt; with others, or if $PERFHOUSE_SHORTCUTS is no, builds only take longer.
"""

from __future__ import annotations

import logging
import marshal
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ingest.base.files import replacing

__all__ = ["SETTING", "install", "reuse_compiled"]

SETTING = "PERFHOUSE_SHORTCUTS"
_KNOWN = {"dbt-core": "1.11.", "dbt-common": "1.39."}  # how versions begin

_WITH = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*with(?:\s+recursive)?\b\s*", re.DOTALL | re.IGNORECASE
)


log = logging.getLogger(__name__)


def install() -> None:
    """Let dbt, in this process, take the shortcuts."""
    if not _fit():
        return
    _skip_unseen_events()
    _look_macros_up_in_one_dictionary()
    _cache_repeated_compilation()
    _add_ctes_without_parsing()


@cache
def _fit() -> bool:
    """Return whether the shortcuts know the installed versions; say so once if they do not."""
    other = [
        f"{name} {version(name)}"
        for name, begin in _KNOWN.items()
        if not version(name).startswith(begin)
    ]
    if other:
        log.warning("builds take longer: no shortcuts are known for %s", " and ".join(other))
    return not other and os.environ.get(SETTING, "").lower() != "no"


@contextmanager
def reuse_compiled(file: Path | None = None) -> Iterator[None]:
    """Compile no template and describe no query of a contract twice: take them from a file.

    Those that are new are added to it. Without a file, they are kept as long as this lasts. The
    file's name has to tell apart what decides on the columns of a query, and the versions of Python
    and Jinja.
    """
    if not _fit():
        yield
        return
    from dbt.adapters.duckdb.column import DuckDBColumn
    from dbt.adapters.duckdb.impl import DuckDBAdapter
    from dbt_common.clients import jinja

    environment: Any = jinja.MacroFuzzEnvironment
    adapter: Any = DuckDBAdapter
    compile_, describe = environment.compile, adapter.get_column_schema_from_query
    made = _read(file) if file else {}
    before = len(made)

    def compile_once(
        self: object, source: object, name: object = None, filename: object = None, **options: bool
    ) -> Any:
        if not isinstance(source, str) or name or filename or options:
            return compile_(self, source, name, filename, **options)
        key = type(self).__name__, source
        if key not in made:
            made[key] = compile_(self, source)
        return made[key]

    def describe_once(self: object, sql: str) -> list[Any]:
        key = "columns", sql
        if key not in made:
            made[key] = [(column.column, column.dtype) for column in describe(self, sql)]
        return [DuckDBColumn(column=name, dtype=dtype) for name, dtype in made[key]]

    environment.compile = compile_once
    adapter.get_column_schema_from_query = describe_once
    try:
        yield
    finally:
        environment.compile, adapter.get_column_schema_from_query = compile_, describe
        if file and len(made) > before:
            _write(file, marshal.dumps(made))


def _read(file: Path) -> dict[tuple[str, str], Any]:
    """Return what was kept, by its kind and source; nothing if the file is damaged."""
    try:
        made = marshal.loads(file.read_bytes())  # noqa: S302 - the user's own cache
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return made if isinstance(made, dict) else {}


def _write(file: Path, content: bytes) -> None:
    try:
        with replacing(file) as draft:
            draft.write_bytes(content)
    except OSError:
        pass  # without a cache, builds are only slower


def _skip_unseen_events() -> None:
    """Skip debug events that nobody logs, and describe others only when they are read."""
    from dbt_common.events import base_types, event_manager

    event_class: Any = base_types.BaseEvent
    manager_class: Any = event_manager.EventManager
    debug = base_types.EventLevel.DEBUG
    describe, fire = event_class.__init__, manager_class.fire_event

    def begin(self: object, *values: object, **named: object) -> None:
        object.__setattr__(self, "_given", (values, named))

    def get(self: Any, name: str) -> object:
        """Return an attribute that is not there: the message is made when it is first read."""
        if name != "pb_msg":
            return getattr(self.pb_msg, name)
        values, named = object.__getattribute__(self, "_given")
        describe(self, *values, **named)
        return object.__getattribute__(self, name)

    def set_(self: Any, name: str, value: object) -> None:
        if name == "pb_msg":
            object.__setattr__(self, name, value)
        else:
            setattr(self.pb_msg, name, value)

    def fire_seen(self: Any, e: Any, level: Any = None, *more: object, **named: object) -> None:
        if (level or e.level_tag()) is not debug or any(log.level is debug for log in self.loggers):
            fire(self, e, level, *more, **named)

    event_class.__init__, event_class.__getattr__, event_class.__setattr__ = begin, get, set_
    manager_class.fire_event = fire_seen


def _look_macros_up_in_one_dictionary() -> None:
    """Merge the macros of all packages once per node, instead of sorting and searching them."""
    from dbt.clients.jinja import MacroGenerator
    from dbt.context import macros

    class Namespace(dict[str, Any]):
        """The interface of dbt's MacroNamespace; a dictionary is copied in one step."""

        def __init__(self, **parts: dict[str, Any]) -> None:
            of_dbt = parts["global_project_namespace"]
            super().__init__(
                of_dbt
                | {macros.GLOBAL_PROJECT_NAME: of_dbt}
                | parts["packages"]
                | parts["global_namespace"]
                | parts["local_namespace"]
            )
            self.packages = {macros.GLOBAL_PROJECT_NAME: of_dbt} | parts["packages"]

        def get_from_package(self, package_name: str | None, name: str) -> Any:
            if package_name is None:
                return self.get(name)
            if package_name not in self.packages:
                raise macros.PackageNotFoundForMacroError(package_name)
            return self.packages[package_name].get(name)

    def callable_macro(**attributes: object) -> MacroGenerator:
        made = MacroGenerator.__new__(MacroGenerator)  # four constructors take most of the time
        made.__dict__ = attributes
        return made

    def build_namespace(
        self: Any, macros_by_package: dict[str, dict[str, Any]], ctx: dict[str, Any]
    ) -> Namespace:
        node, stack = self.node, self.thread_ctx
        made = {
            package: {
                name: callable_macro(context=ctx, macro=macro, node=node, stack=stack)
                for name, macro in by_name.items()
            }
            for package, by_name in macros_by_package.items()
        }
        of_dbt: dict[str, Any] = {}
        for package in reversed(self.internal_package_names_order):
            of_dbt |= made.pop(package, {})
        of_node, of_root = self.search_package, self.root_package
        return Namespace(
            global_project_namespace=of_dbt,
            packages=made,
            local_namespace=made.get(of_node, {}),
            global_namespace=made.get(of_root, {}) if of_root != of_node else {},
        )

    builder: Any = macros.MacroNamespaceBuilder
    builder.build_namespace = build_namespace
    macros.MacroNamespace = Namespace


def _cache_repeated_compilation() -> None:
    """The result of statements without rows, and the Python modules that macros may use."""
    from dbt.context import base
    from dbt_common.clients import agate_helper

    agate_helper.empty_table = cache(agate_helper.empty_table)
    base.get_context_modules = cache(base.get_context_modules)


def _add_ctes_without_parsing() -> None:
    """Ephemeral models go behind a statement's WITH; only without one, dbt has to parse it."""
    from dbt import compilation

    parse_and_add = compilation.inject_ctes_into_sql

    def add(sql: str, ctes: list[compilation.InjectedCTE]) -> str:
        match = _WITH.match(sql) if ctes else None
        if not match:
            return parse_and_add(sql, ctes)
        texts = ", ".join(cte.sql for cte in ctes)
        return f"{match[0]}{texts}, {sql[match.end() :]}"

    compilation.inject_ctes_into_sql = add
