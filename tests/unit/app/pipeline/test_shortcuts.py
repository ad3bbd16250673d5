"""What dbt makes and prints by the shortcuts is what it makes and prints without them."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from app.pipeline import shortcuts


@pytest.fixture
def undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take back the changes to dbt's classes after the test."""
    from dbt.context import base, macros
    from dbt_common.clients import agate_helper
    from dbt_common.events.base_types import BaseEvent
    from dbt_common.events.event_manager import EventManager

    from dbt import compilation

    for owner, name in (
        *((BaseEvent, method) for method in ("__init__", "__getattr__", "__setattr__")),
        (EventManager, "fire_event"),
        (macros, "MacroNamespace"),
        (macros.MacroNamespaceBuilder, "build_namespace"),
        (agate_helper, "empty_table"),
        (base, "get_context_modules"),
        (compilation, "inject_ctes_into_sql"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))


def printed(level: str) -> tuple[list[str], int]:
    """Fire an event of each level at a log; return its lines, and how many events were described.

    level: what the log takes.
    """
    from dbt_common.events import types
    from dbt_common.events.base_types import EventLevel
    from dbt_common.events.event_manager import EventManager

    lines, described = [], 0

    class Told(types.Note):
        def message(self) -> str:
            nonlocal described
            described += 1
            return str(self.msg)

    Told.__name__ = "Note"
    manager = EventManager()
    log = SimpleNamespace(level=EventLevel(level), filter=lambda _: True)
    log.write_line = lambda line: lines.append(f"{line.info.level} {line.info.msg}")
    manager.loggers = [log]
    for each in EventLevel:
        manager.fire_event(Told(msg=f"of {each.value}"), level=each)
    manager.fire_event(Told(msg="of its own level"))
    return lines, described


@pytest.mark.parametrize(("level", "seen"), [("debug", None), ("info", "debug")])
def test_events_are_printed_as_before_and_unseen_ones_are_not_described(
    level: str, seen: str | None, undone: None
) -> None:
    before, all_of_them = printed(level)
    shortcuts._skip_unseen_events()
    after, described = printed(level)
    assert after == [line for line in before if line.split()[0] != seen]
    assert described == len(after)
    assert (described < all_of_them) == (seen is not None)


def test_an_event_can_be_read_and_changed(undone: None) -> None:
    from dbt_common.events.types import Note

    shortcuts._skip_unseen_events()
    event = Note(msg="first")
    assert event.msg == "first"
    event.msg = "second"
    assert event.to_dict() == {"msg": "second"}


def test_macros_are_found_in_the_same_order_of_packages(undone: None) -> None:
    from dbt.context import macros

    parts = {
        "global_namespace": {"a": 1, "b": 2},
        "local_namespace": {"b": 3, "c": 4},
        "global_project_namespace": {"a": 5, "d": 6, "other": 7},
        "packages": {"other": {"a": 8}, "perfhouse": {"b": 9}},
    }
    before = macros.MacroNamespace(**parts)
    shortcuts._look_macros_up_in_one_dictionary()
    after = macros.MacroNamespace(**parts)
    assert dict(after) == dict(before)
    for package in (None, "dbt", "other", "perfhouse"):
        for name in "abcd":
            assert after.get_from_package(package, name) == before.get_from_package(package, name)
    for namespace in (before, after):
        with pytest.raises(macros.PackageNotFoundForMacroError):
            namespace.get_from_package("unknown", "a")


@pytest.mark.parametrize("package_of_node", ["perfhouse", "dbt", "other"])
def test_macros_are_bound_to_their_node_as_before(package_of_node: str, undone: None) -> None:
    from dbt.context import macros

    by_package = {
        package: {name: SimpleNamespace(name=name, package_name=package) for name in names}
        for package, names in {
            "dbt": "abc", "dbt_duckdb": "bd", "perfhouse": "ce", "other": "ef"
        }.items()
    }  # fmt: skip

    def build() -> object:
        builder = macros.MacroNamespaceBuilder(
            "perfhouse", package_of_node, "the stack", ["dbt_duckdb", "dbt"], "the node"
        )
        return builder.build_namespace(by_package, {"n": 1})

    def plain(found: object) -> object:
        is_package = isinstance(found, dict)
        return {k: vars(v) for k, v in found.items()} if is_package else vars(found)

    before = {name: plain(found) for name, found in build().items()}
    shortcuts._look_macros_up_in_one_dictionary()
    assert {name: plain(found) for name, found in build().items()} == before


@pytest.mark.parametrize("damage", [None, b"", b"not compiled", b"\xfb"])
def test_templates_are_compiled_once_and_again_if_the_file_is_damaged(
    damage: bytes | None, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dbt_common.clients.jinja import MacroFuzzEnvironment, get_template, render_template

    generated = []
    generate = MacroFuzzEnvironment._generate
    monkeypatch.setattr(
        MacroFuzzEnvironment,
        "_generate",
        lambda *given, **named: generated.append(1) or generate(*given, **named),
    )

    def rendered() -> list[str]:
        with shortcuts.reuse_compiled(tmp_path / "cache/templates"):
            return [render_template(get_template(t, {}), {"n": 1}) for t in ("{{ n }}", "-{{ n }}")]

    assert rendered() == ["1", "-1"]
    assert len(generated) == 2
    if damage is not None:
        (tmp_path / "cache/templates").write_bytes(damage)
    assert rendered() == ["1", "-1"]
    assert len(generated) == (2 if damage is None else 4)


def test_a_query_is_described_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dbt.adapters.duckdb.column import DuckDBColumn
    from dbt.adapters.duckdb.impl import DuckDBAdapter

    asked: list[str] = []

    def describe(_: object, sql: str) -> list[DuckDBColumn]:
        asked.append(sql)
        return DuckDBColumn(column="s", dtype="STRUCT(a BIGINT, b VARCHAR[])").flatten()

    monkeypatch.setattr(DuckDBAdapter, "get_column_schema_from_query", describe)
    for _ in range(2):
        with shortcuts.reuse_compiled(tmp_path / "made"):
            columns = DuckDBAdapter.get_column_schema_from_query(object(), "select 1")
        assert [column.name for column in columns] == ["s.a", "s.b"]
    assert asked == ["select 1"]


def test_templates_are_kept_without_a_file_too(undone: None) -> None:
    from dbt_common.clients.jinja import MacroFuzzEnvironment, get_environment

    compile_ = MacroFuzzEnvironment.compile
    with shortcuts.reuse_compiled():
        first, again, other = (get_environment().compile(t) for t in ("{{ n }}", "{{ n }}", "n"))
    assert first is again is not other
    assert MacroFuzzEnvironment.compile is compile_


@pytest.mark.parametrize(
    "sql",
    [
        "with a as (select 1) select * from a",
        "\n-- with b as\n/* with c\n*/ WITH a as (select 1) select * from a",
        "with recursive a as (select 1 union all select 2) select * from a",
        "select * from (with a as (select 1) select * from a)",
        "-- with a as\nselect withheld from t",
        "-- with",
    ],
)
@pytest.mark.parametrize("names", [(), ("one",), ("one", "two")])
def test_ephemeral_models_are_added_where_dbt_adds_them(
    sql: str, names: tuple[str, ...], undone: None
) -> None:
    from dbt.contracts.graph.nodes import InjectedCTE

    from dbt import compilation

    ctes = [InjectedCTE(id=name, sql=f" {name} as (select '{name}')") for name in names]
    as_by_dbt = compilation.inject_ctes_into_sql(sql, ctes)
    shortcuts._add_ctes_without_parsing()
    assert compilation.inject_ctes_into_sql(sql, ctes) == as_by_dbt
