"""What a GB or a transaction costs by address space, before and after zIIPs take what they can.

Code of its own: costs are split by address space, and explained against the build before.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import advice, components, filters, session, units
from app.dashboard.no_runs import no_runs
from app.results.labels import in_order, short_labels
from app.results.queries import cost as queries
from app.results.queries.rules import OF_COST
from app.results.reader import Reader

_MOST = 10  # configurations drawn
# What the cost is of: columns before and after offload, unit, and the published metric.
_OF = {
    "per GB": ("cost_per_GB", "cost_per_GB_after_offload", "CPU s/GB", "cost_per_GB"),
    "per transaction": (
        "cost_per_transaction_us", "cost_per_transaction_after_offload_us", "CPU µs",
        "cost_per_transaction",
    ),
}  # fmt: skip
# The same in money: columns before and after offload, and what it is per.
_IN_MONEY = {
    "per GB": ("money_per_gb", "money_per_gb_after_offload", "GB"),
    "per transaction": (
        "money_per_million", "money_per_million_after_offload", "million transactions",
    ),
}  # fmt: skip
_NARROW = 105  # pixels of a column
_WHOLES = {"total": "all LPARs", "workload": "the workload"}  # kind of row -> what it covers


def draw(reader: Reader) -> None:
    """Draw the page."""
    known = queries.campaigns(reader)
    if known.is_empty():
        components.header("Cost and zIIP")
        no_runs(
            reader,
            "To see what a GB or a transaction costs, say when the work ran and how much it was.",
        )
        return
    with st.sidebar:
        origins = known["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        here = known.filter(pl.col("origin") == origin)
        campaign = filters.choice("Campaign", here["campaign"].to_list(), "campaign")
        build = filters.choice("Build", queries.builds(reader, origin, campaign), "build")
    components.header(
        "Cost and zIIP",
        "CPU time at the speed of a CP, by address space, before and after zIIPs take what is "
        "eligible.",
        origin,
    )
    costs = queries.by_space(reader, origin, campaign, build)
    shapes = [of for of, (column, *_) in _OF.items() if costs[column].is_not_null().any()]
    if not shapes:
        components.info(
            f"No run of campaign {campaign} has both CPU time (SMF 30 and 70 of its LPARs) and "
            "bytes or transactions, so there is no cost of either.",
            "block",
        )
        return
    of = filters.switch("Cost", shapes, "of")
    costs = costs.drop_nulls(_OF[of][0])
    _in_words(costs, of)
    _charts(costs, of)
    _table(costs, of, queries.published(reader, origin, campaign))
    _explained(queries.explained(reader, origin, campaign, build), of)
    components.note(
        "What such work would take and cost with other zIIPs, machines or prices, with its band:"
    )
    work = "gb=500" if of == "per GB" else "clients=1000"
    components.code(f"plan {work} --like RUN machine=z16 ziips=0,1,2")
    advice.draw(OF_COST, reader, origin, campaign)


def _in_words(costs: pl.DataFrame, of: str) -> None:
    """Say what a unit of work costs on all LPARs, and what of it zIIPs could take."""
    before, _, unit, _ = _OF[of]
    totals = costs.filter(pl.col("kind") == "total").drop_nulls(before)
    if totals.is_empty():
        return
    least, most = totals[before].min(), totals[before].max()
    said = units.quantity(least, unit)  # type: ignore[arg-type]
    if most != least:
        said = f"{units.number(least)} to {units.quantity(most, unit)}"  # type: ignore[arg-type]
    share = totals["ziip_share_percent"].drop_nulls()
    ziips = "How much of it zIIPs could take is not known: that needs SMF 72."
    if share.len():
        ziips = f"zIIPs could take {units.quantity(share.median(), '%')} of it"  # type: ignore[arg-type]
        ziips += f" (the middle of {share.len()} configurations)." if share.len() > 1 else "."
    what = "A GB" if of == "per GB" else "A transaction"
    components.name(f"{what} costs {said.removesuffix('/GB')} on all LPARs. {ziips}")


def _charts(costs: pl.DataFrame, of: str) -> None:
    before, after, unit, _ = _OF[of]
    short = short_labels(in_order(costs["configuration"].unique().to_list()))
    names = list(short.values())
    drawn = filters.choices(
        f"Configurations in the charts (of {len(names)})", names, "drawn", most=_MOST,
        placeholder=f"the first {_MOST}" if len(names) > _MOST else "all",
    ) or names[:_MOST]  # fmt: skip
    split = (
        costs.filter(~pl.col("kind").is_in(_WHOLES))
        .with_columns(pl.col("configuration").replace(short))
        .filter(pl.col("configuration").is_in(drawn))
        .group_by("configuration", "kind", maintain_order=True)
        .agg(pl.col(before).sum(), pl.col(after).sum())
        .filter((pl.col(before) > 0).any().over("kind"))
    )
    most = split.group_by("configuration").agg(pl.col(before).sum())[before].max()
    shown = {"Before offload": before, "After offload": after}
    if (split[before] - split[after]).abs().max() == 0:
        shown = {"None of it is zIIP-eligible": before}
    for title, column in shown.items():
        chart = bars(
            split, name="configuration", value=column, unit=unit, names=drawn, series="kind",
            order=queries.KINDS, label_width=380, most=most,  # type: ignore[arg-type]
        )  # fmt: skip
        components.panel(f"{title}, {of}", chart)


def _table(costs: pl.DataFrame, of: str, published: pl.DataFrame) -> None:
    before, after, unit, metric = _OF[of]
    components.section(
        "By address space",
        "Of the complete runs: first the total of the LPARs, then the workload, which is the "
        "address spaces or classes that do the work. A published cost stands beside the one that "
        "it means.",
    )
    bases = {metric: "total", f"{metric}_of_workload": "workload"}
    printed = published.filter(pl.col("metric").is_in(bases.keys())).select(
        *("configuration_id", "document_id", "verdict"),
        kind=pl.col("metric").replace(bases), published="value",
    )  # fmt: skip
    key = ["configuration_id", "kind"]
    money: dict[str, Any] = {}
    if (currency := costs["currency"].drop_nulls()).len():
        whole, after_offload, per = _IN_MONEY[of]
        money = {
            whole: _number(f"Before, {currency[0]}", f"Per {per}.", _NARROW),
            after_offload: _number(f"After, {currency[0]}", f"Per {per}.", _NARROW),
        }
    wholes = costs[before]
    components.table(
        costs.join(printed, on=key, how="left", maintain_order="left"),
        "costs",
        columns={
            # what it costs is seen without scrolling at 1440 pixels
            "configuration": ("Configuration", 230),
            "address_space": ("Address space", 110),
            "kind": ("Kind", 110),
            before: components.parts(
                f"Before, {unit}", wholes, help="Before zIIPs take what is eligible.", width=_NARROW
            ),
            after: components.parts(
                f"After, {unit}", wholes, help="After zIIPs took what is eligible.", width=_NARROW
            ),
            **money,
            "ziip_share_percent": st.column_config.NumberColumn(
                "zIIP share, %", format="%.1f", width=_NARROW
            ),
            "published": f"Published, {unit}",
            "verdict": "Of the print",
            "document_id": "Document",
            "runs": "Runs",
        },
    )
    components.link(
        "lineage", "Where these figures come from", follow="Tables",
        table="marts.fct_cost_by_address_space",
    )  # fmt: skip


def _explained(changes: pl.DataFrame, of: str) -> None:
    """Draw what of the cost changed since the build before."""
    own = changes.filter(pl.col("metric") == _OF[of][3])
    if own.is_empty():
        return
    components.section(
        "Since the build before",
        "How each part of the cost changed; the parts of a split add up. First those of costs that "
        "are better or worse as a whole.",
    )
    split = filters.choice("Split by", own["split"].unique().sort().to_list(), "split")
    own = own.filter(pl.col("split") == split)
    components.table(
        own,
        "changes",
        columns={
            "configuration": "Configuration",
            "part": "Part",
            "before": "Build before",
            "value_before": components.parts("Before", own["value_before"]),
            "value_after": components.parts("Now", own["value_before"]),
            "difference": components.parts("Change", own["value_before"], sign="+"),
            "percent": st.column_config.NumberColumn("Of the whole, %", format="%+.2f"),
            "verdict": "The whole is",
            "unit": "Unit",
            "before_runs": "Runs before",
            "runs": "Runs now",
        },
    )


def _number(label: str, help: str | None = None, width: int | None = None) -> Any:
    return st.column_config.NumberColumn(label, help=help, width=width, format="%,.4g")


if __name__ == "__main__":
    draw(session.reader())
