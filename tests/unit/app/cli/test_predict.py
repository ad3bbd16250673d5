"""The command `perfhouse predict`: exit status and messages."""

import pytest

from app.cli.main import main


def test_it_predicts_a_file_into_another(tmp_path, capsys):
    given, out = tmp_path / "in.csv", tmp_path / "out.csv"
    given.write_text(
        "document,source,target,network,file_size_mb,metric\n"
        "000,z/OS,xLinux,1Gb,1024,rate\n"
        "000,z/OS,xLinux,1Gb,1024,colour\n"
    )
    assert main(["predict", "--input", str(given), "--output", str(out)]) == 0
    assert "predicted 1 figures" in capsys.readouterr().out
    header, first, second = out.read_text().splitlines()
    assert header.endswith(",metric,predicted,low,high,caution,reason")
    assert 97 < float(first.split(",")[6]) < 100
    assert second == "000,z/OS,xLinux,1Gb,1024,colour,,,,,no family models the metric colour"


@pytest.mark.parametrize("arguments", [[], ["--input", "none.csv", "--output", "out.csv"]])
def test_wrong_use_is_one_line_and_status_two(arguments, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["predict", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
