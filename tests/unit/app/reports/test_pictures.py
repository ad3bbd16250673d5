"""Charts as pictures for documents."""

from xml.etree import ElementTree

import polars as pl
import pytest

from app.charts.bars import bars
from app.reports.pictures import png, svg, with_title

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script> & \\1'


def spec(name):
    frame = pl.DataFrame({"name": [name], "cost": [2.5]})
    return bars(frame, name="name", value="cost", unit="CPU s/GB").to_dict()


def texts(picture):
    """Return the lines of text in an SVG."""
    found = ElementTree.fromstring(picture).iter(f"{SVG}text")
    return [line.text for text in found for line in (list(text.iter(f"{SVG}tspan")) or [text])]


@pytest.mark.parametrize("title", ["Cost", HOSTILE])
def test_picture_has_its_title_lines_and_axis(title):
    drawn = svg(with_title(spec("AGNT1"), title, ["campaign z16", "Source: here"]), title)
    assert ElementTree.fromstring(drawn).attrib["aria-label"] == title
    assert {title, "campaign z16", "Source: here", "CPU s/GB", "AGNT1"} <= set(texts(drawn))


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x9b", "\u202e", "\uffff"])
def test_a_picture_shows_what_xml_cannot_have_as_an_escape(sign):
    name, shown = f"A{sign}B", f"A{sign.encode('unicode_escape').decode()}B"
    drawn = svg(with_title(spec(name), name, [name]), name)
    assert ElementTree.fromstring(drawn).attrib["aria-label"] == shown
    assert texts(drawn).count(shown) == 3
    assert png(with_title(spec(name), name, [name])).startswith(b"\x89PNG")


def test_long_titles_are_wrapped_inside_the_picture():
    drawn = svg(with_title(spec("AGNT1"), "words " * 60, ["more " * 100]), "long")
    said = texts(drawn)
    assert " ".join(said).count("words") == 60
    assert " ".join(said).count("more") == 100
    assert max(map(len, said)) < 110


def test_png_is_three_times_as_wide_as_the_page():
    drawn = png(with_title(spec("AGNT1"), "Cost", []))
    assert drawn.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(drawn[16:20], "big") == 3 * 640
