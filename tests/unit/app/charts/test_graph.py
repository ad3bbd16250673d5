"""Graphs of tables: which are drawn, and that names cannot break out of their text."""

from app.charts.graph import ancestors, descendants, dot
from tests.kit.cases import cases

PARENTS = {
    "marts.fct": ["int.a", "int.b"],
    "int.a": ["raw.x"],
    "int.b": ["raw.y", "int.a"],
    "raw.x": [],
    "raw.y": [],
    "marts.other": ["int.a"],
}


@cases
def test_ancestors_are_what_a_table_is_made_of(leading_to, found):
    assert ancestors("marts.fct", PARENTS, leading_to) == found


def test_descendants_are_made_of_a_table():
    assert descendants("int.a", PARENTS) == ["int.b", "marts.fct", "marts.other"]


def test_a_graph_has_the_tables_and_what_lies_between():
    text = dot({"marts.fct": ["int.a", "int.b"], "int.a": []}, {"int.a": "staging"})
    assert '"int.a" -> "marts.fct"' in text
    assert "int.b" not in text
    assert '"int.a" [label="a", fillcolor="#f3e6c8"]' in text


def test_a_graph_may_begin_with_what_it_is_about():
    assert "rankdir=LR" in dot(PARENTS, {})
    assert "rankdir=RL" in dot(PARENTS, {}, is_backwards=True)


def test_a_name_stays_in_its_quotes():
    assert r'"a\"; b\\" [' in dot({'a"; b\\': []}, {})
