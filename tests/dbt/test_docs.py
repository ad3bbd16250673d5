"""The documentation of the dbt project, read from its files without starting dbt."""

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

DBT = Path(__file__).resolve().parents[2] / "dbt"
MODELS = DBT / "models"
DOCUMENTED = re.compile(r"\S.*\. Unit: [^.].*\. Source: .+\.$", re.DOTALL)
DEFINITIONS = {"dim_metric"}  # what figures mean: no figures, and the same whatever is loaded
LOGIC = re.compile(r"\b(per_second|percent|ratio|average_us|total|case|over)\b")


@cache
def blocks() -> dict[str, str]:
    """Docs block -> its text."""
    found: dict[str, str] = {}
    for file in MODELS.rglob("*.md"):
        for name, text in re.findall(
            r"{% docs (\w+) %}\n(.*?)\n{% enddocs %}", file.read_text(), re.DOTALL
        ):
            assert name not in found, f"two docs blocks are named {name}"
            found[name] = text
    return found


@cache
def properties() -> dict[str, dict]:
    """Model -> its entry in a property file."""
    return {
        model["name"]: model
        for file in MODELS.rglob("*.yml")
        for model in (yaml.safe_load(file.read_text()) or {}).get("models", [])
    }


@cache
def unit_tests() -> list[dict]:
    return [
        test
        for file in MODELS.rglob("*.yml")
        for test in (yaml.safe_load(file.read_text()) or {}).get("unit_tests", [])
    ]


def resolved(description: str) -> str:
    return re.sub(r"{{ doc\('(\w+)'\) }}", lambda found: blocks()[found[1]], description)


def sql_files(layer: str) -> list[Path]:
    files = sorted(f for f in (MODELS / layer).rglob("*") if f.suffix in {".sql", ".py"})
    assert files, f"no models in {layer}"
    return files


def sql_parameters(layer: str) -> list[pytest.param]:
    return [pytest.param(file, id=file.stem) for file in sql_files(layer)]


ALL = [*sql_parameters("staging"), *sql_parameters("intermediate"), *sql_parameters("marts")]


FOLDERS = sorted({file.parent for file in MODELS.rglob("*.sql")})


@pytest.mark.parametrize(
    "folder", [pytest.param(f, id=f"{f.parent.name}/{f.name}") for f in FOLDERS]
)
def test_the_models_of_a_folder_are_described_in_its_yaml_in_alphabetical_order(
    folder: Path,
) -> None:
    described = yaml.safe_load((folder / f"_{folder.name}__models.yml").read_text())["models"]
    models = sorted(file.stem for file in folder.iterdir() if file.suffix in {".sql", ".py"})
    assert [model["name"] for model in described] == models


@pytest.mark.parametrize("file", ALL)
def test_a_description_begins_with_the_grain(file: Path) -> None:
    assert resolved(properties()[file.stem]["description"]).startswith("One row per ")


@pytest.mark.parametrize("file", ALL)
def test_every_column_is_described(file: Path) -> None:
    columns = properties()[file.stem]["columns"]
    assert columns
    names = [column["name"] for column in columns]
    assert len(names) == len(set(names))
    bare = [column["name"] for column in columns if not resolved(column.get("description", ""))]
    assert not bare


@pytest.mark.parametrize("file", sql_parameters("marts"))
def test_every_mart_column_says_its_unit_and_its_source(file: Path) -> None:
    wrong = [
        f"{column['name']}: {resolved(column['description'])}"
        for column in properties()[file.stem]["columns"]
        if not DOCUMENTED.match(resolved(column["description"]))
    ]
    assert not wrong


@pytest.mark.parametrize("file", sql_parameters("marts"))
def test_every_mart_says_where_its_rows_came_from(file: Path) -> None:
    if file.stem in DEFINITIONS:
        return
    columns = {column["name"] for column in properties()[file.stem]["columns"]}
    assert {"origin", "source_id"} <= columns
    assert file.stem.startswith("dim_") or "record_no" in columns or "published" in file.stem


@pytest.mark.parametrize("file", sql_parameters("marts"))
def test_every_mart_tests_its_grain(file: Path) -> None:
    model = properties()[file.stem]
    tested = str(model.get("data_tests", []))
    alone = [name for column in model["columns"] for name in column.get("data_tests", [])]
    assert "unique" in tested or "unique" in alone


@pytest.mark.parametrize("file", [*sql_parameters("intermediate"), *sql_parameters("marts")])
def test_logic_has_a_unit_test(file: Path) -> None:
    if LOGIC.search(re.sub(r"--.*|{#.*?#}", "", file.read_text())):
        assert file.stem in {test["model"] for test in unit_tests()}


def test_unit_tests_are_named_as_sentences() -> None:
    assert unit_tests()
    short = [test["name"] for test in unit_tests() if test["name"].count("_") < 4]
    assert not short


def test_every_docs_block_is_used() -> None:
    text = "".join(file.read_text() for file in DBT.rglob("*.yml"))
    assert blocks().keys() - set(re.findall(r"doc\('(\w+)'\)", text)) == set()


def test_only_staging_reads_sources() -> None:
    readers = [
        file.stem
        for layer in ("intermediate", "marts")
        for file in sql_files(layer)
        if "source(" in file.read_text()
    ]
    assert not readers


def test_every_property_names_a_model() -> None:
    assert properties().keys() == {parameter.id for parameter in ALL}


def test_no_file_makes_the_folder_a_python_package() -> None:
    assert not list(DBT.rglob("__init__.py"))


def test_no_folder_is_empty() -> None:
    built = {"target", "logs", "dbt_packages"}
    folders = [f for f in DBT.rglob("*") if f.is_dir() and not built & set(f.parts)]
    assert not [folder for folder in folders if not any(folder.iterdir())]
