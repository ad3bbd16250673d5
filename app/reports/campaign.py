"""The report of a campaign: rates and costs as documents print them, and CPU by address space."""

from __future__ import annotations

import polars as pl

from app.charts.bars import bars
from app.charts.sizes import by_size
from app.reports.page import Page
from app.results.labels import short_labels, unit_label
from app.results.queries import runs as queries
from app.results.reader import Reader

__all__ = ["campaign_report"]

_DRAWN = 8  # as many colours as a chart can tell apart
_TITLES = {
    "rate": "Transfer rate",
    "cost_per_GB": "Cost per GB",
    "cost_per_GB_after_offload": "Cost per GB after zIIP offload",
    "transactions_per_second": "Transactions per second",
    "cost_per_transaction": "Cost per transaction",
    "ziip_share": "zIIP-eligible share of CPU time",
}


def campaign_report(reader: Reader, origin: str, campaign: str) -> Page:
    """Return the report of all complete runs of a campaign. Raises ValueError if it is unknown."""
    known = queries.campaigns(reader).filter(
        pl.col("origin") == origin, pl.col("campaign") == campaign
    )
    if known.is_empty():
        raise ValueError(f"there is no {origin} campaign {campaign!r}")
    row = known.row(0, named=True)
    page = Page(
        f"Campaign {campaign}",
        f"{row['runs']:,} runs of {row['configurations']:,} configurations, "
        f"{row['first_utc']:%Y-%m-%d %H:%M} to {row['last_utc']:%Y-%m-%d %H:%M} UTC.",
        origin,
    )
    metrics = queries.metrics(reader, origin, campaign)
    chosen = [name for name in _TITLES if name in set(metrics["metric"])]
    figures = queries.by_configuration(reader, origin, campaign, tuple(chosen))
    if figures.is_empty():
        page.note("No run is complete, so there are no metrics.")
    else:
        _figures(page, figures, metrics, chosen)
    _cpu(page, queries.cost_parts(reader, origin, campaign))
    missing = queries.incomplete(reader, origin, campaign)
    if not missing.is_empty():
        page.section(
            "Incomplete runs", "Records or files are missing: these runs count in no median above."
        )
        page.table(
            missing,
            {
                "start_utc": "Start, UTC",
                "run_id": "Run",
                "configuration": "Configuration",
                "issue": "Missing",
            },
        )
    page.section("Source files")
    page.table(
        queries.sources(reader, origin, campaign),
        {
            "file": "File",
            "kind": "Kind",
            "records": "Records",
            "source": "SHA-256 (first 12 digits)",
        },
    )
    return page


def _figures(page: Page, figures: pl.DataFrame, metrics: pl.DataFrame, chosen: list[str]) -> None:
    labels = figures["configuration"].unique(maintain_order=True).to_list()
    short = short_labels(labels)
    order = list(dict.fromkeys(short.values()))
    figures = figures.with_columns(pl.col("configuration").replace(short))
    for metric in chosen:
        rows = figures.filter(pl.col("metric") == metric)
        if rows.is_empty():
            continue
        known = metrics.filter(pl.col("metric") == metric).row(0, named=True)
        unit = unit_label(known["unit"])
        page.section(_TITLES[metric], f"{unit}: {known['formula']}.")
        sized = rows.filter(pl.col("file_size_mb").is_not_null())
        if sized["file_size_mb"].n_unique() > 1:
            names = [name for name in order if name in set(sized["configuration"])]
            drawn = sized.filter(pl.col("configuration").is_in(names[:_DRAWN]))
            page.chart(
                f"{_TITLES[metric]} by file size",
                by_size(drawn, unit=unit, order=names[:_DRAWN]),
            )
            if len(names) > _DRAWN:
                page.note(f"The chart shows the first {_DRAWN} of {len(names)} configurations.")
            table = sized.pivot("file_size_mb", index="configuration", values="value")
            sizes = sorted(table.columns[1:], key=float)
            page.table(
                table, {"configuration": "Configuration"} | {s: f"{float(s):,g} MB" for s in sizes}
            )
        else:
            page.table(
                rows,
                {
                    "configuration": "Configuration",
                    "value": f"Median, {unit}",
                    "low": "Min",
                    "high": "Max",
                    "runs": "Runs",
                },
            )


def _cpu(page: Page, parts: pl.DataFrame) -> None:
    if parts.is_empty():
        return
    short = short_labels(parts["configuration"].unique(maintain_order=True).to_list())
    parts = parts.with_columns(pl.col("configuration").replace(short))
    page.section("Where the CPU time went", "Mean of the complete runs, all LPARs together.")
    some = parts["configuration"].unique(maintain_order=True).to_list()[:_DRAWN]
    totals = parts.group_by("part").agg(pl.col("cpu_seconds").sum()).sort("cpu_seconds")
    leading = totals["part"].reverse().to_list()[: _DRAWN - 1]
    drawn = (
        parts.filter(pl.col("configuration").is_in(some))
        .with_columns(
            part=pl.when(pl.col("part").is_in(leading)).then("part").otherwise(pl.lit("others"))
        )
        .group_by("configuration", "part", maintain_order=True)
        .agg(pl.col("cpu_seconds").sum())
    )
    page.chart(
        "CPU seconds by address space",
        bars(
            drawn,
            name="configuration",
            value="cpu_seconds",
            unit="CPU s per run",
            series="part",
            order=[*leading, "others"],
            label_width=260,
        ),
    )
