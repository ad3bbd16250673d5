"""Names of configurations, metrics and units as a page shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["metric_label", "short_labels", "unit_label"]

_SPELLED = {"cf": "CF", "cpu": "CPU", "dasd": "DASD", "ziip": "zIIP", "ziips": "zIIPs"}


def metric_label(metric: str) -> str:
    """Return the name of a metric in words.

    >>> [metric_label(name) for name in ("cost_per_GB", "ziip_share", "cpu_per_get", "NETTIME")]
    ['Cost per GB', 'zIIP share', 'CPU per get', 'NETTIME']
    """
    first, *rest = (_SPELLED.get(word, word) for word in metric.split("_"))
    return " ".join([first if first in _SPELLED.values() else first[:1].upper() + first[1:], *rest])


def unit_label(unit: str) -> str:
    """Return a unit as a page shows it.

    >>> [unit_label(unit) for unit in ("CPU us", "1/s", "MB/s")]
    ['CPU µs', 'per second', 'MB/s']
    """
    return "per second" if unit == "1/s" else re.sub(r"\bus\b", "µs", unit)


def short_labels(labels: Sequence[str]) -> dict[str, str]:
    """Map labels to what is left without the comma-separated parts that all of them share.

    A label with nothing left is called "common settings". A single label stays as it is.

    >>> short_labels(["xLinux to z/OS, binary, 1Gb", "xLinux to z/OS, binary, 10Gb"])
    {'xLinux to z/OS, binary, 1Gb': '1Gb', 'xLinux to z/OS, binary, 10Gb': '10Gb'}
    """
    parts = {label: label.split(", ") for label in dict.fromkeys(labels)}
    if len(parts) < 2:
        return {label: label for label in parts}
    common = set.intersection(*(set(part) for part in parts.values()))
    return {
        label: ", ".join(p for p in part if p not in common) or "common settings"
        for label, part in parts.items()
    }
