"""A number without unit and source does not load; saved parameters load unchanged."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import models_sim.models
from models_sim.base.parameters import Parameter, ParameterError, Parameters, load, save
from models_sim.predict import FAMILIES
from tests.kit.cases import cases

GOOD = {"value": 1.5, "unit": "ms", "source": "table 1"}


@cases
def test_a_parameter_without_unit_or_source_is_refused(changes, complaint):
    with pytest.raises(ParameterError, match=complaint):
        Parameter("x", **(GOOD | changes))


@pytest.mark.parametrize("text", ["[x]\nunit = 's'\nsource = 'a'\n", "x = 3\n", "[x]\nvalu = 1\n"])
def test_a_file_with_something_else_is_refused(tmp_path: Path, text):
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(ParameterError):
        load(tmp_path / "bad.toml")


def test_a_name_given_twice_is_refused():
    with pytest.raises(ParameterError, match="twice"):
        Parameters([Parameter("x", **GOOD), Parameter("x", **GOOD)])


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
        st.floats(-1e12, 1e12).map(lambda x: float(f"{x:.6g}")),
        max_size=5,
    )
)
def test_saved_parameters_load_again(tmp_path_factory, values):
    file = tmp_path_factory.mktemp("parameters") / "x.toml"
    saved = Parameters(
        Parameter(name, value, "MB/s", fitted="cells 1-4", note='a "b"\n', start=2.0)
        for name, value in values.items()
    )
    save(file, saved)
    loaded = load(file)
    assert dict(loaded) == dict(saved)
    assert all(loaded.describe(name) == saved.describe(name) for name in saved)


def test_a_fit_begins_at_the_start_and_forgets_effects():
    fitted = Parameters(
        [
            Parameter("speed", 3.0, "MB/s", fitted="table 1", start=2.0),
            Parameter("rate path: a @ 1 MB", 0.1, "ln ratio", fitted="table 1"),
            Parameter("limit", 5.0, "MB", source="manual"),
        ]
    )
    assert dict(fitted.at_start()) == {"speed": 2.0, "limit": 5.0}
    assert dict(fitted.without_made()) == {"speed": 3.0, "limit": 5.0}
    assert fitted.searched() == ["speed"]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_parameter_of_every_family_has_unit_and_source(family):
    parameters = load(family.file)
    assert len(parameters) > 0
    for name in parameters:
        described = parameters.describe(name)
        assert described.unit
        assert bool(described.source) != bool(described.fitted)


def test_every_file_of_parameters_belongs_to_a_family():
    (folder,) = models_sim.models.__path__
    files = sorted(Path(folder).rglob("*.toml"))
    assert files == sorted(family.file for family in FAMILIES)
    assert all(family.file.stem == family.name for family in FAMILIES)
