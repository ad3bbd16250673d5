"""Names of configurations, as short as they can be beside each other."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["short_labels"]


def short_labels(labels: Sequence[str]) -> dict[str, str]:
    """Labels without the parts, between commas, that all of them have.

    A label that has no part of its own is called "as usual". One label alone stays as it is.

    >>> short_labels(["xLinux to z/OS, binary, 1Gb", "xLinux to z/OS, binary, 10Gb"])
    {'xLinux to z/OS, binary, 1Gb': '1Gb', 'xLinux to z/OS, binary, 10Gb': '10Gb'}
    """
    parts = {label: label.split(", ") for label in dict.fromkeys(labels)}
    if len(parts) < 2:
        return {label: label for label in parts}
    common = set.intersection(*(set(part) for part in parts.values()))
    return {
        label: ", ".join(p for p in part if p not in common) or "as usual"
        for label, part in parts.items()
    }
