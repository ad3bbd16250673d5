"""What is read of a genuine output, written and read again, is the same."""

import pytest

from ingest.parsers import find_parser
from models_sim.outputs import KINDS, write_output
from tests.ingest.bench import excerpts as bench

FILES = {name: bench.content(name) for name in bench.EXCERPTS}


def read(content):
    parser, kind = find_parser(content)
    parsed = parser.parse(content)
    assert parsed.kind == kind
    return parsed


def without_lines(tables):
    """The rows without the line that they stand on, which the writer is free to choose."""
    return {name: frame.drop("record_no") for name, frame in tables.items()}


@pytest.mark.parametrize("name", [n for n, c in FILES.items() if find_parser(c)[1] in KINDS])
def test_a_genuine_output_comes_back(name):
    genuine = read(FILES[name])
    again = read(write_output(genuine.kind, genuine.tables))
    assert again.kind == genuine.kind
    assert again.rejected == []
    expected, found = without_lines(genuine.tables), without_lines(again.tables)
    assert found.keys() == expected.keys()
    for table, frame in expected.items():
        assert found[table].rows() == frame.rows()


def test_no_other_kind_is_written():
    with pytest.raises(KeyError):
        write_output("nonsense", {})
