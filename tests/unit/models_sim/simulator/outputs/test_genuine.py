"""A genuine output that is read, written and read again gives the same rows."""

import pytest

from ingest.formats import published
from ingest.formats.parsers import PARSERS, find_parser
from models_sim.simulator.outputs import KINDS, write_output
from tests.kit import bench_excerpts as bench
from tests.kit import rmf_excerpts as rmf

FILES = {name: bench.content(name) for name in bench.EXCERPTS} | {
    name: (rmf.FOLDER / name).read_bytes() for name in rmf.EXCERPTS
}


def read(content):
    parser, kind = find_parser(content)
    parsed = parser.parse(content)
    assert parsed.kind == kind
    return parsed


def without_lines(tables):
    """The rows without their line number, which the writer may choose."""
    return {name: frame.drop("record_no") for name, frame in tables.items()}


#: Error messages and empty reports have no rows to write.
WITH_ROWS = [name for name, content in FILES.items() if read(content).tables]


@pytest.mark.parametrize("name", WITH_ROWS)
def test_genuine_output_survives_the_round_trip(name):
    genuine = read(FILES[name])
    again = read(write_output(genuine.kind, genuine.tables))
    assert again.kind == genuine.kind
    assert again.rejected == []
    expected, found = without_lines(genuine.tables), without_lines(again.tables)
    assert found.keys() == expected.keys()
    for table, frame in expected.items():
        assert found[table].rows() == frame.rows()


def test_every_parsed_text_can_be_written():
    kinds = {find_parser(content)[1] for content in FILES.values()}
    own = {"run_manifest", "measurements_csv", "measurements_json"}  # the project's own formats
    assert kinds | own == set(KINDS)
    assert {find_parser(content)[0] for content in FILES.values()} | {
        parser
        for parser in PARSERS
        if parser.__name__.endswith(("manifest", "measurements", "outcome"))  # others' too
    } == set(PARSERS) - {published}


def test_unknown_kind_is_refused():
    with pytest.raises(KeyError):
        write_output("nonsense", {})
