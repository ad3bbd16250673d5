"""How columns of marts add up: one rule for each name, and what a mart says otherwise."""

import re

import yaml

from app.pipeline.places import ROOT

MACRO = (ROOT / "dbt/macros/adding.sql").read_text()
BY_NAME = [
    (name, how)
    for how, names in re.findall(r'^ {6}"([^"]+)": "([^"]+)"', MACRO, re.MULTILINE)
    for name in names.split()
]
#: mart -> its columns with a type, and what it says of some.
MARTS = {
    model["name"]: (
        {column["name"] for column in model["columns"] if column.get("data_type") != "varchar"},
        {name: how for how, names in model.get("config", {}).get("meta", {}).get("adds", {}).items()
         for name in names},
    )
    for file in (ROOT / "dbt/models/marts").glob("*/*.yml")
    for model in yaml.safe_load(file.read_text()).get("models", ())
}  # fmt: skip


def test_a_name_has_one_rule_and_is_a_column():
    assert len(dict(BY_NAME)) == len(BY_NAME) > 900
    assert {name for name, _ in BY_NAME} <= set().union(*(columns for columns, _ in MARTS.values()))


def test_a_mart_says_only_what_differs():
    known = dict(BY_NAME)
    for mart, (columns, own) in MARTS.items():
        assert own.keys() <= columns, mart
        assert not [name for name, how in own.items() if known.get(name) == how], mart
