"""What declared pages say in the terminal and to assistants, each of all that it is about."""

import json

import pytest

from app.cli.main import main
from app.results.answers import answers, labels, scope_of
from app.results.pages import files, page_of
from app.results.reader import Reader


@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_every_page_answers_of_every_owner(file, bundled):
    page, reader = page_of(file), Reader(bundled)
    said = set()
    for label in labels(reader, page.owner):
        found = answers(reader, page, scope_of(reader, page.owner, label * bool(page.owner)))
        titles = [answer.title for answer in found]
        assert titles[: 1 + bool(page.tiles)] == ["Shown", "Key figures"][: 1 + bool(page.tiles)]
        assert len(set(titles)) == len(titles)
        said |= set(titles)
    of_charts = {f"{section.title}: by chart" for section in page.sections if section.panels}
    of_tables = {
        t.title or section.title for section in page.sections for t in section.tables if t.empty
    }
    assert of_charts | of_tables <= said | {"Failed files"}  # there is none


def test_the_mean_of_a_chart_is_that_of_the_time(bundled):
    reader = Reader(bundled)
    page = next(page_of(file) for file in files() if file.stem == "queue_manager")
    scope = scope_of(reader, "queue manager", "SYN1/SYQ1")
    (messages,) = (a.frame for a in answers(reader, page, scope) if a.title == "Messages: by chart")
    row = messages.filter(Chart="Calls by verb", series="put").row(0, named=True)
    (mean,) = reader.frame(
        "select sum(puts) / sum(interval_seconds) from marts.fct_queue_manager_interval"
        " where queue_manager = 'SYQ1'"
    ).row(0)
    assert row["Mean"] == pytest.approx(mean, rel=1e-3)
    assert row["Least"] <= row["Mean"] <= row["Most"]


def test_the_command_prints_a_page(bundled, capsys):
    assert main(["page", "lpars", "--of", "PLEX1/SY1", "--json", "--warehouse", str(bundled)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["Shown"][0]["Of"] == "PLEX1/SY1"
    assert {row["Figure"] for row in said["Key figures"]} >= {"CPs busy, z/OS", "Captured"}
    assert main(["page", "lpar", "--warehouse", str(bundled)]) == 2
    assert "did you mean 'lpars'" in capsys.readouterr().err
