"""Where a change lies: its split by part, and what else changed with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from expectations.regressions.finding import Finding, Key, Part
from expectations.regressions.series import Series, mean_of

__all__ = ["explain", "priority"]

_RATES = ("rate", "steady_rate", "transactions_per_second", "messages_per_second", "transfer_time")
_COSTS = ("cost_per_GB", "cost_per_transaction", "cost_per_GB_after_offload", "cpu_seconds")
_MOST = 6  # parts that are kept, the greatest first
_SHARE = 0.3  # of a change, from which a part is its cause
_CLEAR = 3.0  # noise deviations from which something changed with it


def priority(finding: Finding) -> tuple[object, ...]:
    """Sorts findings of one cause: costs and rates of the whole run first, then the clearest."""
    order = (*_COSTS, *_RATES)
    metric = finding.key.metric
    rank = order.index(metric) if metric in order else len(order)
    return (not finding.key.whole, rank, -(finding.effect or 0.0), finding.key)


def explain(finding: Finding, series: Sequence[Series]) -> Finding:
    """The finding with its parts and its cause, from all series of its configuration.

    The cause is the part of the same figure with the greatest share of the change, from 30 % on
    (address spaces before systems); without one it is the other figure that changed most clearly.
    A rate is explained by no other rate, a cost by no other cost.
    """
    after_ids, family = frozenset(finding.run_ids), _family(finding.key.metric)
    found = [
        _part(finding, of, after_ids)
        for of in series
        if of.key != finding.key and (of.key.metric == finding.key.metric or _tells(of, family))
    ]
    parts = [part for part in found if part]
    shares = [part for part in parts if part.share is not None]
    shares.sort(key=lambda p: (p.dimension != "address space", -(p.share or 0.0)))
    others = [part for part in parts if part.share is None and abs(part.effect) >= _CLEAR]
    others.sort(key=lambda p: -abs(p.effect))
    main = next((part for part in shares if (part.share or 0.0) >= _SHARE), None)
    cause = main or next(iter(others), None)
    kept = (*shares[:_MOST], *others[:_MOST])
    return replace(finding, cause=str(cause) if cause else "", parts=kept)


def _family(metric: str) -> tuple[str, ...]:
    return next((of for of in (_RATES, _COSTS) if metric in of), ())


def _tells(of: Series, family: tuple[str, ...]) -> bool:
    """Whether another figure may be a cause: no twin of the whole; of parts the costs alone."""
    return of.key.metric not in family if of.key.whole else of.key.metric in _COSTS


def _part(finding: Finding, of: Series, after_ids: frozenset[str]) -> Part | None:
    """What a series did when the finding's changed; None where it has no run on either side."""
    onset = sum(moment < finding.onset_utc for moment in of.starts)
    inside = [i for i in range(onset, len(of.starts)) if of.run_ids[i] in after_ids]
    was = of.values[max(onset - finding.runs_before, 0) : onset]
    if not len(was) or not inside:
        return None
    before, after = mean_of(was), mean_of(of.values.gather(inside))
    whole = (finding.after or 0.0) - (finding.before or 0.0)
    same = of.key.metric == finding.key.metric and finding.key.whole and whole != 0
    deviation = was.std() if len(was) > 1 else None
    noise = max(deviation if isinstance(deviation, float) else 0.0, abs(before) * 1e-3, 1e-12)
    return Part(
        what=_name(of.key, with_metric=not same),
        dimension=(
            "address space" if of.key.address_space else "system" if of.key.system_id else "figure"
        ),
        before=before,
        after=after,
        unit=of.unit,
        effect=(after - before) / noise,
        share=(after - before) / whole if same else None,
    )


def _name(key: Key, *, with_metric: bool) -> str:
    names = [key.metric] if with_metric else []
    names += [key.address_space] if key.address_space else []
    text = " of ".join(names)
    on = f"{' on ' if text else ''}{key.system_id}" if key.system_id else ""
    return text + on
