"""perfhouse changepoints: one column of a CSV file in, a JSON list of indexes out."""

import json

import numpy as np
import pytest

from app.cli.main import main

STEP = [*np.random.default_rng(1).normal(100, 1, 30), *np.random.default_rng(2).normal(110, 1, 30)]


def write(tmp_path, lines, **options):
    file = tmp_path / "series.csv"
    file.write_text("\n".join(lines) + "\n", **options)
    return str(file)


def changepoints(capsys, *arguments):
    status = main(["changepoints", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_a_step_is_printed_as_a_json_list(tmp_path, capsys):
    file = write(tmp_path, ["day,rate", *(f"{i},{v:.6f}" for i, v in enumerate(STEP))])
    status, out, err = changepoints(capsys, file, "--column", "rate")
    assert (status, json.loads(out), err) == (0, [30], "")


def test_no_step_is_an_empty_list(tmp_path, capsys):
    file = write(tmp_path, ["rate", *(f"{v:.6f}" for v in STEP[:30])])
    assert changepoints(capsys, file, "--column", "rate") == (0, "[]\n", "")


@pytest.mark.parametrize("hole", ["", "NA", "nan", " null "])
def test_a_missing_value_keeps_its_index(tmp_path, capsys, hole):
    lines = ["day,rate", *(f"{i},{v:.6f}" for i, v in enumerate(STEP))]
    lines[6:6] = [f"x,{hole}"] * 3
    status, out, _ = changepoints(capsys, write(tmp_path, lines), "--column", "rate")
    assert (status, json.loads(out)) == (0, [33])


def test_an_empty_line_of_a_single_column_is_a_missing_value(tmp_path, capsys):
    lines = ["rate", "", *(f"{v:.6f}" for v in STEP)]
    status, out, _ = changepoints(capsys, write(tmp_path, lines), "--column", "rate")
    assert (status, json.loads(out)) == (0, [31])


def test_a_byte_order_mark_is_not_part_of_the_name(tmp_path, capsys):
    file = write(tmp_path, ["rate", *(f"{v:.6f}" for v in STEP)], encoding="utf-8-sig")
    assert changepoints(capsys, file, "--column", "rate")[0] == 0


BAD = [
    (["rate", "1"], "cost", "no column 'cost'; the first line names: rate"),
    ([""], "rate", "the first line names: none"),
    (["rate,rate", "1,2"], "rate", "more than one column is named 'rate'"),
    (["rate", "1", "fast"], "rate", "line 3: 'fast' is not a number"),
    (["rate", "1", "inf"], "rate", "line 3: 'inf' is not finite"),
    (["rate", "NA"], "rate", "column 'rate' has no values"),
]


@pytest.mark.parametrize(("lines", "column", "message"), BAD)
def test_bad_input_is_reported_in_one_line_with_status_2(tmp_path, capsys, lines, column, message):
    status, out, err = changepoints(capsys, write(tmp_path, lines), "--column", column)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_file_is_reported(tmp_path, capsys):
    status, out, err = changepoints(capsys, str(tmp_path / "none.csv"), "--column", "rate")
    assert (status, out) == (2, "")
    assert "No such file" in err


def test_a_binary_file_is_reported(tmp_path, capsys):
    file = tmp_path / "binary.csv"
    file.write_bytes(b"rate\n\xff\xfe\n")
    status, out, err = changepoints(capsys, str(file), "--column", "rate")
    assert (status, out, err.count("\n")) == (2, "", 1)
