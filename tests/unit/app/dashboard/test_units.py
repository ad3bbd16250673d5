"""Number formats."""

from datetime import datetime, timedelta

import pytest

from app.dashboard import units
from tests.kit.cases import cases

NONE = units.MISSING
NOW = datetime(2026, 3, 1, 12, 0)


@cases
def test_number(value, text):
    assert units.number(value) == text


def test_quantity():
    assert units.quantity(1185.4, "get/s") == "1,185 get/s"
    assert units.quantity(None, "get/s") == NONE


@cases
def test_duration(value, text):
    assert units.duration(value) == text


@cases
def test_byte_count(value, text):
    assert units.byte_count(value, "/s") == text


@cases
def test_since(value, text):
    assert units.since(value, NOW) == text


@pytest.mark.parametrize(("minutes", "text"), [(5, "5 min"), (480, "8 h"), (10080, "7 d")])
def test_width(minutes, text):
    assert units.width(timedelta(minutes=minutes)) == text
