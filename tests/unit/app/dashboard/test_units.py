"""Number formats."""

from datetime import datetime, timedelta

import pytest

from app.dashboard import units

NONE = units.MISSING
NUMBERS = [
    (None, NONE),
    (float("nan"), NONE),
    (0, "0"),
    (1185.4, "1,185"),
    (21.44, "21.4"),
    (4.753, "4.75"),
    (0.06132, "0.0613"),
    (7, "7"),
    (7.0, "7"),
    (-1234.5, "-1,234"),
    (1_234_567, "1,234,567"),
]
DURATIONS = [(None, NONE), (312.4, "312 µs"), (999, "999 µs"), (4750, "4.75 ms"), (1.2e6, "1.20 s")]
BYTES = [
    (None, NONE),
    (0, "0 B/s"),
    (17.1, "17.1 B/s"),
    (340 << 10, "340 KB/s"),
    (1.25 * 2**20, "1.25 MB/s"),
    (3 << 30, "3 GB/s"),
    (2 << 40, "2 TB/s"),
]
NOW = datetime(2026, 3, 1, 12, 0)
AGES = [
    (None, NONE),
    (NOW, "just now"),
    (datetime(2026, 3, 1, 11, 57), "3 min ago"),
    (datetime(2026, 3, 1, 7, 30), "4 h ago"),
    (datetime(2026, 2, 27, 12, 0), "2 d ago"),
    (datetime(2016, 2, 27), "10 y ago"),
]


@pytest.mark.parametrize(("value", "text"), NUMBERS)
def test_number(value, text):
    assert units.number(value) == text


def test_quantity():
    assert units.quantity(1185.4, "get/s") == "1,185 get/s"
    assert units.quantity(None, "get/s") == NONE


@pytest.mark.parametrize(("value", "text"), DURATIONS)
def test_duration(value, text):
    assert units.duration(value) == text


@pytest.mark.parametrize(("value", "text"), BYTES)
def test_byte_count(value, text):
    assert units.byte_count(value, "/s") == text


@pytest.mark.parametrize(("value", "text"), AGES)
def test_since(value, text):
    assert units.since(value, NOW) == text


@pytest.mark.parametrize(("minutes", "text"), [(5, "5 min"), (480, "8 h"), (10080, "7 d")])
def test_width(minutes, text):
    assert units.width(timedelta(minutes=minutes)) == text
