"""Units as people write them, in names of columns and in cells -> one spelling of each.

Sizes are as in the documents: MB is 2^20 bytes, and Mb 2^20 bits. In small letters, mb are bytes
and mbps bits.
"""

from __future__ import annotations

import re

__all__ = ["BRACKETS", "SECONDS", "conversion", "name_and_unit", "unit_of"]

_TIMES = {
    word: unit
    for unit, words in {
        "ns": "ns nsec nanos nanosecond",
        "us": "us usec µs μs micros microsecond",
        "ms": "ms msec millis millisecond",
        "s": "s sec second",
        "min": "min minute",
        "h": "h hr hour",
    }.items()
    for word in words.split()
}
_WORDS = {
    "%": "%", "pct": "%", "percent": "%", "count": "count", "mips": "MIPS", "tps": "1/s",
    "rps": "1/s", "qps": "1/s", "iops": "1/s", "tpm": "1/min", "allocs": "allocs",
}  # fmt: skip
_SIZE = re.compile(r"([kmgt]?)(i?)(b|bit|byte)s?", re.IGNORECASE)
_RATE = re.compile(r"([\w ]{0,30}?)(?:/|_per_| per |(?<=[Bb])(?=ps$)p|(?<=[Bb])_(?=s$))(\w+)")
#: A name with a unit in brackets.
BRACKETS = re.compile(r"(.+?)\s*[\[(]([^\])]{1,24})[\])]\s*")
_BOUNDARY = re.compile(r"(?<!per)(?:[_\s.,-]+(?:in[_\s]+)?|(?<=[a-z\d])(?=[A-Z]))(?!$)")
_NAMED_BY_UNIT = ("1/s", "1/min", "1/h", "count", "MIPS")  # the end of the name says more
#: Units of time, in seconds.
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_SCALES = (
    SECONDS,
    {"B": 1.0, "kB": 2.0**10} | {f"{p}B": 2.0 ** (10 * n) for n, p in enumerate("KMGT", 1)},
)


def unit_of(text: str) -> str:
    """Return the usual spelling of a unit, or nothing for what is none.

    >>> [unit_of(text) for text in ("msec", "MBps", "mbps", "MiB/sec", "kB_per_s", "Gbit/s", "mb")]
    ['ms', 'MB/s', 'Mb/s', 'MiB/s', 'kB/s', 'Gbit/s', 'MB']
    >>> [unit_of(text) for text in ("/s", "us/msg", "ns/op", "TPM", "Percent", "clients", "m")]
    ['1/s', 'us/msg', 'ns/op', '1/min', '%', '', '']
    """
    word = text.strip().lower()
    short = word.removesuffix("s") if len(word) > 3 else word
    if unit := _TIMES.get(word) or _TIMES.get(short) or _WORDS.get(word):
        return unit
    if match := _RATE.fullmatch(text.strip()):
        amount, per = unit_of(match[1]), match[2].lower()
        if time := _TIMES.get(per) or _TIMES.get(per.removesuffix("s")):
            size = _size(match[1], is_rate=text.lower().endswith("bps"))
            return f"{size or 1}/{time}" if time in ("s", "min", "h") else ""
        is_amount = amount == "allocs" or any(amount in scale for scale in _SCALES)
        return f"{amount}/{match[2]}" if is_amount else ""
    return _size(text.strip()) if len(word) > 1 or text == "B" else ""


def _size(text: str, *, is_rate: bool = False) -> str:
    if not (match := _SIZE.fullmatch(text)):
        return ""
    prefix, binary, kind = match.groups()
    is_short = kind == "b"
    if kind.lower() == "bit" or (is_short and (is_rate or prefix.isupper())):
        large = prefix.upper() in ("M", "G", "T") and prefix.upper()
        return f"{large}b" if large and is_short else f"{large or prefix.lower()}bit"
    return f"{prefix if prefix + kind == 'kB' else prefix.upper()}{binary.lower()}B"


def name_and_unit(name: str) -> tuple[str, str]:
    """Return the metric of a column's name and its unit, which is empty if it has none.

    >>> [name_and_unit(name) for name in ("p95_ms", "orders_per_second", "Latency [us]", "avg ms")]
    [('p95', 'ms'), ('orders_per_second', '1/s'), ('Latency', 'us'), ('avg', 'ms')]
    >>> [name_and_unit(name) for name in ("latencyMs", "time in milliseconds", "cpu_us_per_msg")]
    [('latency', 'ms'), ('time', 'ms'), ('cpu', 'us/msg')]
    """
    if match := BRACKETS.fullmatch(name):
        return match[1], unit_of(match[2]) or match[2]
    ends = [(0, 0), *(match.span() for match in _BOUNDARY.finditer(name, 1))]
    units = [(unit, start) for start, stop in ends if (unit := unit_of(name[stop:]))]
    # A rate of something is one of bytes if it ends like one.
    unit, start = min(units, key=lambda hit: hit[0].startswith("1/"), default=("", 0))
    return (name if unit in _NAMED_BY_UNIT or not start else name[:start]), unit


def conversion(unit: str, to: str) -> float | None:
    """Return what a value in a unit is multiplied by to be in another; None: they differ in kind.

    >>> converted("s", "ms"), converted("ms", "ms"), converted("ms", "MB")
    (1000.0, 1.0, None)
    """
    if unit == to:
        return 1.0
    return next((scale[unit] / scale[to] for scale in _SCALES if {unit, to} <= scale.keys()), None)
