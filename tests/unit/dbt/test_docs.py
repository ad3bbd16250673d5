"""The rules of the dbt project's files, checked without starting dbt.

Descriptions, contracts, the layers that a model may read, and the tests that each mart has.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import yaml

from ingest.formats.names import PLAIN_VIEWS
from scripts import marts
from scripts.properties import (
    DBT,
    FILES,
    INTERMEDIATE,
    MARTS,
    MODELS,
    STAGING,
    blocks,
    entries,
    properties,
    resolve,
)

DOCUMENTED = re.compile(r"\S.*\. Unit: [^.].*\. Source: .+\.$", re.DOTALL)
# Rows of these have no single record: a load, the definition of a metric, a printed table, steps of
# the pipeline.
NO_RECORD = {
    "dim_load", "dim_metric", "dim_published_table", "fct_arrival", "fct_last_night",
    "fct_pipeline_day", "fct_pipeline_step",
}  # fmt: skip
LOGIC = re.compile(r"\b(per_second|percent|ratio|average_us|total|case|over)\b")


def code(model: str) -> str:
    """Return a model's code without comments."""
    return re.sub(r"--.*|{#[\s\S]*?#}", "", FILES[model].read_text())


@cache
def reads(model: str) -> frozenset[str]:
    """Return the models and seeds that a model refers to by name."""
    return frozenset(re.findall(r"""\bref\(\s*["'](\w+)["']\s*\)""", FILES[model].read_text()))


def faults(names: set[str], wrong: Callable[[dict], object]) -> dict[str, object]:
    """Return what is wrong with the entries of some models: name -> fault, if there is one."""
    assert names
    return {name: fault for name in sorted(names) if (fault := wrong(properties()[name]))}


def test_the_models_of_a_folder_are_described_in_one_file() -> None:
    described: dict[Path, list[str]] = {}
    for file, entry in entries("models"):
        described.setdefault(file, []).append(entry["name"])
    expected: dict[Path, list[str]] = {}
    for name, file in FILES.items():
        yaml_file = file.with_name(f"_{file.parent.name}__models.yml")
        if name.endswith("__issue"):  # all models of findings have the same columns
            yaml_file = file.parents[1] / "_issue__models.yml"
        expected.setdefault(yaml_file, []).append(name)
    assert {file: sorted(names) for file, names in described.items()} == {
        file: sorted(names) for file, names in expected.items()
    }


def test_the_unit_tests_of_a_folder_are_in_one_file_beside_its_models() -> None:
    tested = [(file, FILES[entry["model"]].parent) for file, entry in entries("unit_tests")]
    assert tested
    assert not [
        file for file, folder in tested if file != folder / f"_{folder.name}__unit_tests.yml"
    ]


def test_a_description_begins_with_the_grain() -> None:
    assert not faults(
        {*FILES}, lambda model: not resolve(model["description"]).startswith("One row per ")
    )


def test_no_column_is_listed_twice() -> None:
    def wrong(model: dict) -> list[str]:
        names = [column["name"] for column in model.get("columns", [])]
        return [name for name in set(names) if names.count(name) > 1]

    assert not faults({*FILES}, wrong)


def test_the_columns_that_a_mart_makes_say_their_unit_and_their_source() -> None:
    assert not faults(
        MARTS,
        lambda model: [
            column["name"]
            for column in model["columns"]
            if "description" in column and not DOCUMENTED.match(resolve(column["description"]))
        ],
    )


def test_the_plain_views_are_the_sources_of_staging() -> None:
    file = MODELS / "staging/_staging__sources.yml"
    (source,) = yaml.safe_load(file.read_text())["sources"]
    assert [table["name"] for table in source["tables"]] == sorted(v.name for v in PLAIN_VIEWS)


def test_mb_has_one_meaning_and_is_in_the_name_of_a_column() -> None:
    """KB, MB and GB are powers of 1024, as in the documents; there is no second word for them."""

    def wrong(model: dict) -> list[str]:
        units = {
            column["name"]: re.search(r"\. Unit: (.*?)\. Source", resolve(column["description"]))
            for column in model["columns"]
            if "description" in column
            and not re.fullmatch(r"size_\d+_mb", column["name"])  # a value for files of that size
        }
        return [
            name
            for name, unit in units.items()
            if {word.upper() for word in re.findall(r"(?<![a-z])[kmgt]b(?![a-z])", name.lower())}
            != set(re.findall(r"(?<!of 4 )\b[KMGT]B\b", unit[1] if unit else ""))
        ]

    assert not faults(MARTS, wrong)
    files = [file for file in DBT.rglob("*.*") if file.suffix in {".sql", ".yml", ".md", ".csv"}]
    text = {file: file.read_text() for file in files if "target" not in file.parts}
    del text[DBT / "seeds/runs/run_unit.csv"]  # what people may write
    other = re.compile(r"[KMG]iB\b|_[kmg]ib|(mega|giga|kilo)bytes", re.ASCII)
    assert not {file: found[0] for file, words in text.items() if (found := other.search(words))}
    with (DBT / "seeds/runs/run_unit.csv").open() as rows:
        factors = {row["unit"]: float(row["factor"]) for row in csv.DictReader(rows)}
    assert [factors[unit] for unit in ("KB", "MB", "GB")] == [2**10, 2**20, 2**30]
    assert (factors["MB/s"], factors["B/s"]) == (1, 2**-20)
    with (DBT / "seeds/runs/run_metric.csv").open() as rows:
        for row in csv.DictReader(rows):
            if unit := re.search("[KMG]B", row["unit"]):
                assert f"/ {factors[unit[0]]:.0f}" in row["formula"], row["metric"]


def test_every_mart_says_where_its_rows_come_from() -> None:
    """They are never NULL; dbt's test every_row_of_a_mart_leads_to_a_record follows them."""
    assert not faults(
        MARTS - NO_RECORD,
        lambda model: (
            {"origin", "source_id", "record_no"}
            - {column["name"] for column in model["columns"] if "constraints" in column}
        ),
    )


def test_every_mart_has_an_enforced_contract() -> None:
    project = yaml.safe_load((DBT / "dbt_project.yml").read_text())
    assert project["models"]["perfhouse"]["marts"]["+contract"] == {"enforced": True}
    assert not faults(MARTS, lambda model: model.get("config", {}).get("contract"))
    assert not faults(
        MARTS,
        lambda model: [c["name"] for c in model["columns"] if "data_type" not in c],
    )


def test_every_mart_tests_its_grain() -> None:
    def wrong(model: dict) -> object:
        columns = {column["name"] for column in model["columns"]}
        grain = model["config"]["meta"]["consistent"]["grain"]
        return not grain or set(grain) - columns

    assert not faults(MARTS, wrong)


def test_tests_of_all_marts_name_all_marts() -> None:
    assert marts.LIST.read_text() == marts.macro()
    for area in {FILES[name].parent.name for name in MARTS}:
        test = (DBT / f"tests/{area}/marts_of_{area}_are_consistent.sql").read_text()
        assert f'consistent_models(marts("{area}")' in test


def test_what_a_model_says_that_holds_is_tested() -> None:
    said = {name for name, model in properties().items() if model.get("config", {}).get("meta", {})}
    test = (DBT / "tests/lake/models_before_the_marts_are_consistent.sql").read_text()
    assert {*re.findall(r'"((?:stg|int)_\w+)"', test)} == said - MARTS


def test_only_staging_reads_sources_other_than_plain_views() -> None:
    source = re.compile(r"""\bsource\((?!\s*["']staging["'])""")
    assert not [name for name in MARTS | INTERMEDIATE if source.search(code(name))]
    of_records = {"stg_lake__copy", "stg_lake__record"}  # which begin with the view of all records
    assert all(source.search(code(name)) for name in STAGING - of_records)


def test_staging_and_intermediate_models_read_no_later_layer() -> None:
    models = MARTS | INTERMEDIATE
    assert len([name for name in models if reads(name)]) > 0.9 * len(models)  # few read views only
    later = {name: reads(name) - STAGING for name in STAGING}
    later |= {name: reads(name) & MARTS for name in INTERMEDIATE}
    assert {name: names for name, names in later.items() if names} == {}


def test_logic_has_a_unit_test() -> None:
    tested = {entry["model"] for _, entry in entries("unit_tests")}
    logic = {name for name in MARTS | INTERMEDIATE if LOGIC.search(code(name))}
    assert logic
    assert not logic - tested


def test_unit_tests_are_named_as_sentences() -> None:
    names = [entry["name"] for _, entry in entries("unit_tests")]
    assert names
    assert not [name for name in names if name.count("_") < 4]


def test_every_docs_block_is_used_more_than_once() -> None:
    text = "".join(file.read_text() for file in DBT.rglob("*.yml"))
    used = Counter(re.findall(r"doc\('(\w+)'\)", text))
    used["__overview__"] = 2  # by dbt itself
    assert {name for name in blocks() if used[name] < 2} == set()


def test_sql_has_no_operator_that_its_formatter_misreads() -> None:
    """The formatter takes // for a comment and moves it, and puts a space into **."""
    found = {
        file.stem: re.findall(
            r"//|\*\*|\* \*", re.sub(r"'[^'\n]*'|--.*|{#(?s:.*?)#}", "", file.read_text())
        )
        for folder in (MODELS, DBT / "tests")
        for file in folder.rglob("*.sql")
    }
    assert {name for name, operators in found.items() if operators} == set()


def test_no_folder_is_empty_or_a_python_package() -> None:
    built = {"target", "logs", "dbt_packages"}
    folders = [f for f in DBT.rglob("*") if f.is_dir() and not built & set(f.parts)]
    files = {folder: {file.name for file in folder.iterdir()} for folder in folders}
    assert [f for f, names in files.items() if not names or "__init__.py" in names] == []
