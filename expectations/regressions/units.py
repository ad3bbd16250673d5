"""Units that can be converted into each other, so that a series survives a change of its unit."""

from __future__ import annotations

__all__ = ["factor"]

_KB, _MB, _GB, _TB = (1024.0**power for power in (1, 2, 3, 4))  # as in the published documents
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_BYTES = {"B": 1.0, "KB": _KB, "MB": _MB, "GB": _GB, "TB": _TB,
          "KiB": _KB, "MiB": _MB, "GiB": _GB, "TiB": _TB}  # fmt: skip
_SCALES = {"1": 1.0, "thousand": 1e3, "million": 1e6}

#: Size of each unit in the basic unit of its kind.
_KINDS: tuple[dict[str, float], ...] = (
    _SECONDS,
    {f"CPU {unit}": size for unit, size in _SECONDS.items()},
    {f"CPU {unit}/GB": size for unit, size in _SECONDS.items()}
    | {f"CPU {unit}/MB": size * 1024 for unit, size in _SECONDS.items()},
    _BYTES,
    {f"{unit}/s": size for unit, size in _BYTES.items()}
    | {"Kb/s": 125.0, "Mb/s": 125e3, "Gb/s": 125e6, "kbit/s": 125.0, "Mbit/s": 125e3,
       "Gbit/s": 125e6},
    {f"{scale}/s": size for scale, size in _SCALES.items()} | {"1/min": 1 / 60, "1/h": 1 / 3600},
    {"%": 1.0, "ratio": 100.0},
)  # fmt: skip


def factor(unit: str, into: str) -> float | None:
    """Return what to multiply values in `unit` by to have them in `into`; None if nothing does."""
    if unit == into:
        return 1.0
    for kind in _KINDS:
        if unit in kind and into in kind:
            return kind[unit] / kind[into]
    return None
