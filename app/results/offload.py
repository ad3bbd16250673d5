"""What moving eligible work to zIIPs would save: arithmetic on measured CPU times."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Offload", "offloaded"]


class Offload(NamedTuple):
    """A day with and without zIIPs.

    on_cps_before, on_cps_after: CPU seconds on CPs; moved: those of them that zIIPs take;
    ziips_busy: processors that this keeps busy on average while the work is done; is_limited:
    whether more zIIPs would take more; msu_hours_before, msu_hours_after, and what they cost.
    """

    on_cps_before: float
    on_cps_after: float
    moved: float
    ziips_busy: float
    is_limited: bool
    msu_hours_before: float
    msu_hours_after: float
    price_before: float
    price_after: float


def offloaded(
    cpu_seconds: float,
    eligible_seconds: float,
    *,
    ziips: float,
    share: float = 1.0,
    factor: float = 1.0,
    capacity_factor: float = 1.0,
    hours: float = 24.0,
    msu_per_cp: float = 0.0,
    price: float = 0.0,
    cp_second: float = 0.0,
) -> Offload:
    """Work out a day on which `cpu_seconds` of work are done, all of it on CPs at first.

    eligible_seconds: CPU seconds of it that may run on zIIPs, at the speed of a CP;
    ziips: how many there are for it; share: of the eligible time that WLM sends there (0 to 1);
    factor: speed of a zIIP over that of a CP (R723NFFS / 256);
    capacity_factor: work that a zIIP core with two threads does over that with one (SMF70ACF);
    hours: of the day in which the work is done; msu_per_cp: MSU of one CP that is busy for an hour;
    price: of an MSU hour, in any currency; cp_second: of a second on a CP.
    """
    room = ziips * capacity_factor * factor * hours * 3600
    wanted = min(eligible_seconds, cpu_seconds) * share
    moved = min(wanted, room)
    after = cpu_seconds - moved
    before_msu, after_msu = (seconds / 3600 * msu_per_cp for seconds in (cpu_seconds, after))
    return Offload(
        on_cps_before=cpu_seconds,
        on_cps_after=after,
        moved=moved,
        ziips_busy=moved / (factor * capacity_factor * hours * 3600),
        is_limited=wanted > room,
        msu_hours_before=before_msu,
        msu_hours_after=after_msu,
        price_before=before_msu * price + cpu_seconds * cp_second,
        price_after=after_msu * price + after * cp_second,
    )
