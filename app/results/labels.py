"""Names of configurations, metrics and units as a page shows them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from expectations.metrics import SPELLED, figure_label, metric_label, spell, unit_label

__all__ = [
    "PLAIN",
    "brief_labels",
    "bytes_label",
    "configuration_label",
    "factor_label",
    "figure_label",
    "figure_of",
    "in_order",
    "issue_label",
    "level_label",
    "metric_label",
    "setting_label",
    "short_labels",
    "small",
    "unit_label",
]

#: What a configuration is called that has nothing of its own.
PLAIN = "common settings"
_NUMBERED = re.compile(r"([^\d]*)(\d+(?:\.\d+)?)? ?(B|KB|MB|GB)?\b")
_AS_WRITTEN = SPELLED | {"tcp": "TCP"}  # a protocol
_BYTES = {"KB": 2**10, "MB": 2**20, "GB": 2**30}
#: Factors whose names are not words: what they are called, and the unit of their levels.
_FACTORS = {
    "p2wg": ("put to waiting getter", ""),
    "put_to_waiting_getter": ("put to waiting getter", ""),
    "compmsg": ("compression", ""),
    "batchint": ("batch interval", "ms"),
    "rni": ("relative nest intensity", ""),
    "relative_nest_intensity": ("relative nest intensity", ""),
    "queue": ("queue type", ""),
    "cpus": ("CPUs", ""),
    "latency_km": ("distance", "km"),
    "latency_ms_oneway": ("latency one way", "ms"),
    "latency_ms_one_way": ("latency one way", "ms"),
    "loss_pct": ("packet loss", "%"),
    "loss_percent": ("packet loss", "%"),
    "chunk_size": ("chunk size", "B"),
    "block_size": ("block size", "B"),
}
# Ends of factors' names that are units.
_UNITS = {
    "bytes": "B", "kb": "KB", "mb": "MB", "gb": "GB", "us": "us", "ms": "ms", "s": "s",
    "seconds": "s", "km": "km", "pct": "%", "percent": "%", "mhz": "MHz",
}  # fmt: skip
_IN_NAMES = {  # levels that names of configurations say in a word or two
    ("persistent", "Y"): "persistent", ("persistent", "N"): "non-persistent",
    ("syncpoint", "Y"): "in syncpoint", ("syncpoint", "N"): "outside syncpoint",
}  # fmt: skip
_YES_OR_NO = {"Y": "yes", "N": "no"}
_CHOSEN = frozenset(("tls", "ams", "compmsg", "compression"))  # one of several, or none
_DISTANCE = re.compile(r"(\d+) km")
_OF_BYTES = re.compile(r"([\d,]+) (B|MB)")  # a part of a configuration's label: messages or files
_SETTING = re.compile(r"([a-z]\w*) (\S.*)")  # a part that is a factor of a site, and its level


def figure_of(row: Mapping[str, Any], runs: str = "Runs") -> str:
    """Return the metric of a regression with the part of the runs; runs: for one without metric."""
    if not row["metric"]:
        return runs
    return figure_label(row["metric"], row["system_id"], row["address_space"])


def issue_label(kind: str) -> str:
    """Return the kind of a data issue, or of a file, in words.

    >>> [issue_label(kind) for kind in ("cpu_exceeds_elapsed", "no_type_72", "zos_syslog")]
    ['CPU exceeds elapsed', 'No type 72', 'z/OS syslog']
    """
    return spell(kind)


def bytes_label(count: int) -> str:
    """Return a number of bytes as people say it, in the largest unit that needs no decimals.

    >>> [bytes_label(count) for count in (1164, 2048, 4 * 2**20, 1536 * 2**20, 2**30)]
    ['1,164 B', '2 KB', '4 MB', '1,536 MB', '1 GB']
    """
    unit, size = next(
        ((unit, size) for unit, size in reversed(_BYTES.items()) if count and not count % size),
        ("B", 1),
    )
    return f"{count // size:,} {unit}"


def small(text: str) -> str:
    """Return a name as it stands inside a sentence: "cost per GB", but "CPU time per MQGET"."""
    is_name = (text[:2].isalpha() and text[:2].isupper()) or text[1:4] == "IIP"
    return text if is_name else text[:1].lower() + text[1:]


def factor_label(factor: str) -> str:
    """Return the name of a factor or label of a run in words, without its unit.

    >>> [factor_label(name) for name in ("file_size_mb", "p2wg", "x_think_time_ms", "zhpf")]
    ['File size', 'Put to waiting getter', 'Think time', 'zHPF']
    """
    words = _named(factor)[0]
    return words if words[:1] == "z" else words[:1].upper() + words[1:]


def _named(factor: str) -> tuple[str, str]:
    """Return what a factor is called inside a sentence, and the unit of its levels."""
    name = factor.removeprefix("x_")
    if name in _FACTORS:
        return _FACTORS[name]
    *words, last = name.split("_")
    unit = _UNITS.get(last, "") if words else ""
    return " ".join(_AS_WRITTEN.get(w, w) for w in (words if unit else [*words, last])), unit


def level_label(factor: str, level: str) -> str:
    """Return the level of a factor in words, with its unit.

    >>> [level_label("file_size_mb", level) for level in ("10", "1024")]
    ['10 MB', '1 GB']
    >>> level_label("p2wg", "N"), level_label("tls", "N"), level_label("latency_km", "8000")
    ('no', 'none', '8,000 km')
    """
    unit = _named(factor)[1]
    if level in _YES_OR_NO:
        return "none" if level == "N" and factor in _CHOSEN else _YES_OR_NO[level]
    number = _number(level)
    if number is None:
        return _AS_WRITTEN.get(level, level)
    in_bytes = number * _BYTES.get(unit, 1)
    if (unit == "B" or unit in _BYTES) and in_bytes == int(in_bytes):
        return bytes_label(int(in_bytes))
    return f"{number:,.12g} {unit_label(unit)}".strip()


def _number(level: str) -> float | None:
    """Return a level that is a number and no version or date, such as 9.20 or 0012."""
    return float(level) if re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?", level) else None


def setting_label(factor: str, level: str) -> str:
    """Return a factor at a level as a name or a sentence says it.

    >>> [setting_label("ziips", n) for n in ("0", "1")], setting_label("clients", "8000")
    (['no zIIPs', '1 zIIP'], '8,000 clients')
    >>> setting_label("tls", "N"), setting_label("tls", "TLS 1.3"), setting_label("mode", "text")
    ('no TLS', 'TLS 1.3', 'mode text')
    >>> setting_label("file_size_mb", "10"), setting_label("persistent", "N")
    ('file size 10 MB', 'non-persistent')
    """
    name, unit = _named(factor)
    if (factor, level) in _IN_NAMES:
        return _IN_NAMES[factor, level]
    if level in _YES_OR_NO:
        return name if level == "Y" else f"no {name}"
    if factor == "messages" and _number(level) is None:
        return f"{level.lower()} messages"
    if name in level.split():  # it says what it is
        return level
    text = level_label(factor, level)
    is_count = not unit and name.endswith("s") and not name.endswith("ss") and level.isdecimal()
    if not is_count or _number(level) is None:
        return f"{name} {text}"
    return f"no {name}" if level == "0" else f"{text} {name[:-1] if level == '1' else name}"


def configuration_label(label: str) -> str:
    """Return the label of a configuration with its settings in words, once or several times.

    >>> configuration_label("zCX, 4096 B, 3 CPUs, clients 8000, ziips 0, think_time_ms 5, z15")
    'zCX, 4 KB messages, 3 CPUs, 8,000 clients, no zIIPs, think time 5 ms, z15'
    >>> configuration_label("z/OS > z/OS, 1024 MB, binary, persistent N, TLS_AES_128, path a_b")
    'z/OS > z/OS, 1 GB, binary, non-persistent, TLS_AES_128, path a_b'
    >>> configuration_label("TCP, 8000 km, 40 ms one way")
    'TCP, 8,000 km, 40 ms one way'
    """
    return ", ".join(map(_part_label, label.split(", ")))


def _part_label(part: str) -> str:
    if number := _OF_BYTES.fullmatch(part):
        count = int(number[1].replace(",", "")) * _BYTES.get(number[2], 1)
        return bytes_label(count) + (" messages" if number[2] == "B" else "")
    if distance := _DISTANCE.fullmatch(part):
        return f"{int(distance[1]):,} km"
    match = _SETTING.fullmatch(part)
    if not match:
        return part
    return part if match[1] in _FACTORS else setting_label(match[1], match[2])


def in_order(labels: Iterable[str]) -> list[str]:
    """Return labels in the order in which people count: numbers by size, sizes by their unit.

    >>> in_order(["1 GB", "10 MB", "9 MB, TLS", "9 MB", "64 KB"])
    ['64 KB', '9 MB', '9 MB, TLS', '10 MB', '1 GB']
    """
    return sorted(labels, key=_place)


def _place(label: str) -> list[tuple[float, str]]:
    """Return the parts of a label, numbers as numbers; a size counts in bytes."""
    places: list[tuple[float, str]] = []
    for words, number, unit in _NUMBERED.findall(label):
        places.append((math.inf, words))
        if number:
            places.append((float(number) * _BYTES.get(unit, 1), ""))
    return places


def short_labels(labels: Sequence[str]) -> dict[str, str]:
    """Map labels, in words, to what is left without the parts that all of them share.

    A label with nothing left is called "common settings". A single label stays as it is.

    >>> short_labels(["xLinux to z/OS, binary, 1Gb", "xLinux to z/OS, binary, 10Gb"])
    {'xLinux to z/OS, binary, 1Gb': '1Gb', 'xLinux to z/OS, binary, 10Gb': '10Gb'}
    """
    parts = {label: configuration_label(label).split(", ") for label in dict.fromkeys(labels)}
    if len(parts) < 2:
        return {label: ", ".join(part) for label, part in parts.items()}
    common = set.intersection(*(set(part) for part in parts.values()))
    return {
        label: ", ".join(p for p in part if p not in common) or PLAIN
        for label, part in parts.items()
    }


def brief_labels(labels: Sequence[str], keep: Iterable[str] = ()) -> dict[str, str]:
    """Map labels to short ones, also without the parts that three of four share.

    Such a part is kept where names would be ambiguous without it; `keep`: parts
    that always are.

    >>> list(brief_labels(["direct, 4 KB", "zCX, 4 KB", "zCX, 4 KB, zHPF", "zCX, 32 KB"]).values())
    ['direct', 'zCX', 'zCX, zHPF', 'zCX, 32 KB']
    """
    short = short_labels(labels)
    if len(short) < 2:
        return short
    parts = {label: name.split(", ") for label, name in short.items()}
    kept = set(keep)
    counts = Counter(part for brief in parts.values() for part in brief)
    for part, count in counts.most_common():
        if 4 * count < 3 * len(parts):
            break
        if part in kept:
            continue
        fewer = {label: [p for p in own if p != part] for label, own in parts.items()}
        if all(fewer.values()) and len(set(map(tuple, fewer.values()))) == len(parts):
            parts = fewer
    return {label: ", ".join(own) for label, own in parts.items()}
