"""Compare predictions with the figures that documents give in prose: docs/claims.md.

Each claim of data/published/claims.csv that a model covers is written as the row that `perfhouse
predict` would get. The other claims describe a test bed or a workload.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from models_sim.base import published
from models_sim.predict import predict

_PAGE = Path("docs") / "claims.md"
_PATHS = {
    "N0": (0.0, 0.0), "N1": (5.0, 0.0), "N2": (25.0, 0.0),
    "N3": (40.0, 0.1), "N4": (50.0, 0.5), "N5": (50.0, 0.0),
}  # fmt: skip
_HEAD = """\
# What the documents say in prose, and what the models predict

Written by `make calibrate`; do not edit. Which claims hold on runs, and why others do not, is in
[scenarios.md](scenarios.md#claims-from-which-simulated-runs-differ).

*Fitted* claims took part in calibration, because no table has these figures.

"""


class Said(NamedTuple):
    """A claim: its number, the row to predict, which end of the claim, whether it was fitted."""

    claim: int
    row: Mapping[str, object]
    end: str = "low"
    fitted: bool = False
    remark: str = ""


def _streaming(metric: str, size: str, network: str, protocol: str = "") -> dict[str, object]:
    latency, loss = _PATHS[network]
    row = {"document": "001", "metric": metric, "message_size": size, "loss_pct": loss}
    return {**row, "latency_ms_oneway": latency, "protocol": protocol or None}


def _transfer(metric: str, size: int, mode: str = "binary") -> dict[str, object]:
    row = {"document": "000", "metric": metric, "source": "xLinux", "target": "z/OS"}
    return {**row, "network": "1Gb", "file_size_mb": size, "mode": mode}


def _text_at(level: str) -> dict[str, object]:
    row = {"document": "000", "metric": "rate", "source": "USS", "target": "xLinux"}
    return {**row, "network": "1Gb", "file_size_mb": 1024, "mode": "text", "jit_level": level}


def _peak(machine: str) -> dict[str, object]:
    return {"document": "004", "metric": "peak_messages", "machine": machine}


_90 = "conflict: 90 % leaves too little for MQ and TCP/IP (anomaly 21)"
_30 = "no fixed window explains both N2 and N5 (anomaly 30)"
SAID = (
    Said(16, _text_at("scorching"), fitted=True),
    Said(17, _text_at("veryHot"), "high", fitted=True),
    Said(52, _transfer("ziip_share", 10), fitted=True),
    Said(52, _transfer("ziip_share", 1), fitted=True),
    Said(53, _transfer("ziip_share", 100), fitted=True),
    Said(53, _transfer("ziip_share", 1024), fitted=True),
    Said(54, _transfer("ziip_share", 10, "text"), remark=_90),
    Said(54, _transfer("ziip_share", 1024, "text"), remark=_90),
    Said(84, {"document": "001", "metric": "response_time", "message_size": "32K", "zhpf": "Y"}),
    Said(93, {"document": "001", "metric": "repo_init", "connection": "z/OS"}, remark="stated"),
    Said(94, {"document": "001", "metric": "repo_init", "connection": "zCX"}, remark="stated"),
    Said(96, {"document": "001", "metric": "mqopen_resolution"}, remark="stated"),
    Said(110, _streaming("fasp_vs_tcp", "10KB", "N2"), fitted=True, remark=_30),
    Said(103, _streaming("fasp_vs_tcp", "10KB", "N3"), fitted=True),
    Said(104, _streaming("fasp_vs_tcp", "10KB", "N4")),
    Said(105, _streaming("fasp_vs_tcp", "1MB", "N1"), fitted=True),
    Said(106, _streaming("fasp_vs_tcp", "1MB", "N2"), fitted=True, remark=_30),
    Said(107, _streaming("fasp_vs_tcp", "1MB", "N3"), fitted=True),
    Said(108, _streaming("fasp_vs_tcp", "1MB", "N4")),
    *(
        Said(claim, _streaming("rate", size, network, protocol), end, fitted=True)
        for claim, size, protocol in (
            (114, "10KB", "TCP"), (116, "10KB", "FASP"), (118, "1MB", "TCP"), (120, "1MB", "FASP"),
        )
        for network, end in (("N4", "low"), ("N5", "high"))
    ),
    Said(201, _peak("z15"), remark="per second, not millions"),
    Said(203, _peak("z16"), remark="per second, not millions"),
)  # fmt: skip


def predicted() -> pl.DataFrame:
    """Return one row per claim that a model covers: claim, end, predicted, low, high, use, remark.

    The figures are in the unit of the claim. `end`: the figure of the claim that it answers.
    """
    rows = pl.DataFrame([dict(claim.row) for claim in SAID], infer_schema_length=None)
    scale = pl.Series([1e6 if claim.row["metric"] == "peak_messages" else 1.0 for claim in SAID])
    return predict(rows).select(
        claim=pl.Series([claim.claim for claim in SAID]),
        end=pl.Series([claim.end for claim in SAID]),
        predicted=pl.col("predicted") * scale,
        low=pl.col("low") * scale,
        high=pl.col("high") * scale,
        use=pl.Series(["fitted" if claim.fitted else "not fitted" for claim in SAID]),
        remark=pl.Series([claim.remark for claim in SAID]),
    )


def table() -> pl.DataFrame:
    """Return one row per claim: stated and predicted figure, band, error in percent."""
    stated = {row["claim_id"]: row for row in published.claims().iter_rows(named=True)}
    rows = []
    for claim, answer in zip(SAID, predicted().iter_rows(named=True), strict=True):
        figure = stated.get(claim.claim, {}).get(claim.end)
        rows.append(
            {
                "claim": claim.claim,
                "document": claim.row["document"],
                "what": _description(claim.row),
                "stated": figure,
                **{name: answer[name] for name in ("predicted", "low", "high")},
                "error_percent": None
                if figure is None
                else 100 * (answer["predicted"] / figure - 1),
                "use": answer["use"],
                "remark": claim.remark,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _description(row: Mapping[str, object]) -> str:
    left_out = {"document", "metric"}
    parts = [str(v) for k, v in row.items() if k not in left_out and v is not None]
    return f"{row['metric']}: {', '.join(parts)}" if parts else str(row["metric"])


def write(root: Path) -> str:
    """Write the page and return its text."""
    lines = [
        "| claim | what | stated | predicted | 10-90 % band | error | use | remark |",
        "|---:|---|---:|---:|---|---:|---|---|",
    ]
    for row in table().iter_rows(named=True):
        stated = "-" if row["stated"] is None else f"{row['stated']:g}"
        error = "-" if row["error_percent"] is None else f"{row['error_percent']:+.1f} %"
        lines.append(
            f"| {row['document']}-{row['claim']} | {row['what']} | {stated} "
            f"| {row['predicted']:.4g} | {row['low']:.4g} to {row['high']:.4g} | {error} "
            f"| {row['use']} | {row['remark']} |"
        )
    text = _HEAD + "\n".join(lines) + "\n"
    (root / _PAGE).write_text(text, encoding="utf-8")
    return text
