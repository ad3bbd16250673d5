"""The documents: short enough, indexed, linked to what exists, and honest about what made them."""

import re

import pytest

from app.pipeline.places import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
INDEX = (DOCS / "README.md").read_text(encoding="utf-8")
LISTED = {
    str(page.relative_to(DOCS)): page for page in DOCS.rglob("*.md") if page.name != "README.md"
}
GENERATED = dict(re.findall(r"^\| \[(\S+\.md)\].*\| `(.+?)` \|$", INDEX, re.MULTILINE))


def test_readme_has_at_most_150_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_index_lists_every_page_once():
    listed = re.findall(
        r"^\| \[\S+\]\((\S+\.md)\) \|", INDEX.partition("## Generated")[0], re.MULTILINE
    )
    assert sorted(listed) == sorted(LISTED)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_to_files_that_exist(page):
    targets = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_generated_pages_begin_with_the_command_in_the_index():
    begun = {
        name: re.search(r"(?:Written|Generated) by `(.+?)`", page.read_text("utf-8")[:400])
        for name, page in LISTED.items()
    }
    assert {name: found[1] for name, found in begun.items() if found} == GENERATED


THREATS = re.findall(
    r"`(tests/\S+\.py)::(test_\w+)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("file", "test"), THREATS, ids=[test for _, test in THREATS])
def test_the_tests_that_the_threat_model_names_exist(file, test):
    assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")


def test_every_threat_has_a_test():
    rows = re.findall(
        r"^\| (?!threat|---)(.+) \|$", (ROOT / "SECURITY.md").read_text(), re.MULTILINE
    )
    assert len(rows) > 20
    assert [row for row in rows if "::test_" not in row.rpartition(" | ")[2]] == []


def test_tests_that_documents_name_exist():
    """As `file::name`, where the name is a function, or a unit test of dbt."""
    for page in DOCS.rglob("*.md"):
        for file, name in re.findall(r"`([\w/.]+\.(?:py|yml))::(\w+)`", page.read_text("utf-8")):
            assert f" {name}" in (ROOT / file).read_text("utf-8"), (page.name, file, name)
