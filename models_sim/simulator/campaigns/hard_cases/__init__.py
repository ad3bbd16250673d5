"""Hard cases: small records of what z/OS may write and simple arithmetic gets wrong.

Each case is input files, ordinary but for the one thing that its name says, and a `truth.json` that
says what really happened, which issues must be reported, and which figures cannot be known. The
cases lie on days of their own and have systems of their own (two-campaigns: a site's usual ones),
so they can be loaded together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from models_sim.simulator.campaigns.files import ORIGIN, write_files
from models_sim.simulator.campaigns.hard_cases.case import HardCase, Made
from models_sim.simulator.campaigns.hard_cases.clocks import (
    after_2042,
    dst_night,
    ipl,
    leap_seconds,
    midnight,
    other_offsets,
    overlapping_managers,
)
from models_sim.simulator.campaigns.hard_cases.continued import continued_tasks
from models_sim.simulator.campaigns.hard_cases.impossible import impossible
from models_sim.simulator.campaigns.hard_cases.intervals import (
    doubled_rmf,
    partial_intervals,
    short_runs,
    unequal_intervals,
)
from models_sim.simulator.campaigns.hard_cases.left_out import (
    clocks_forward,
    empty_mq_interval,
    left_out,
    long_mq_intervals,
    renamed,
    shortened,
)
from models_sim.simulator.campaigns.hard_cases.lost import (
    lost_records,
    scattered_parts,
    suspect_records,
)
from models_sim.simulator.campaigns.hard_cases.processors import (
    boosts,
    dedicated,
    smt_ziips,
    ziip_factors,
)
from models_sim.simulator.campaigns.hard_cases.scope import (
    absent_partners,
    missing_30,
    one_sysid,
    two_campaigns,
)
from models_sim.simulator.campaigns.hard_cases.speeds import speeds
from models_sim.simulator.campaigns.hard_cases.transferred import transfers, units
from models_sim.simulator.campaigns.hard_cases.volume import (
    many_files,
    many_intervals,
    overlapping_dumps,
    shuffled,
)

__all__ = ["CASES", "NAME", "SUMMARY", "TRUTH", "HardCase", "Made", "write_cases"]

NAME = "hard-cases"
SUMMARY = "records that simple arithmetic gets wrong, case by case, each with its truth"
TRUTH = "truth.json"  # in the folder of a case

_FIRST = datetime(2026, 5, 4, 14)  # UTC, as all starts of cases
_DAY = timedelta(days=1)
_AFTER_2042 = datetime(2043, 3, 2, 14)
_MIDNIGHT = datetime(2026, 5, 24)
_CLOCKS_GO_FORWARD = datetime(2027, 3, 14, 7)  # 2:00 of winter in New York
_CLOCKS_GO_BACK = datetime(2026, 11, 1, 6)  # 2:00 of summer in New York


def _case(
    number: int, name: str, make: Callable[[datetime, int], Made], holds: str, must: str
) -> HardCase:
    return HardCase(name, holds, must, _FIRST + number * _DAY, make)


#: The cases by name.
CASES: dict[str, HardCase] = {
    case.name: case
    for case in (
        _case(
            0,
            "smt-ziips",
            smt_ziips,
            "zIIPs with two threads: types 30 and 72 count time as if a core ran one, type 70 the "
            "time of cores. Three runs: well used, the second thread idle, not measured",
            "one kind of zIIP time, by the capacity factor and not by its maximum; where that was "
            "not measured, the run is flagged",
        ),
        _case(
            1,
            "dedicated",
            dedicated,
            "a dedicated LPAR, one with wait completion and a parked processor, and a shared one, "
            "all equally busy; PR/SM dispatches the first two all the time",
            "busy time is online less wait less parked time",
        ),
        _case(
            2,
            "boosts",
            boosts,
            "zIIP boost and speed boost, each in all and in half of an interval",
            "flagged; eligible time, or in a speed boost the cost, is not the workload's usual one",
        ),
        _case(
            3,
            "ziip-factors",
            ziip_factors,
            "LPARs of one sysplex with factors from zIIP to CP time of 1 and of 2.22, and one "
            "without type 72",
            "zIIPs needed by system, then summed; the factor of type 70 where there is no type 72",
        ),
        _case(
            4,
            "one-sysid",
            one_sysid,
            "two sysplexes with a system TWIN each, whose intervals start together or 3 s apart",
            "both are kept; a scope of TWIN alone is ambiguous, one by the partition is not",
        ),
        _case(
            5,
            "doubled-rmf",
            doubled_rmf,
            "intervals of 1 and of 15 minutes that cover the same time of one LPAR",
            "one of them is used and the other reported",
        ),
        _case(
            6,
            "unequal-intervals",
            unequal_intervals,
            "LPARs of one sysplex with intervals of 5, 10 and 15 minutes",
            "runs are right; figures of the whole sysplex are split by time, or null",
        ),
        _case(
            7,
            "short-runs",
            short_runs,
            "runs of a third, two thirds and all of an interval of 15 minutes",
            "the first two are flagged, as nobody knows what was used in them",
        ),
        _case(
            8,
            "absent-partners",
            absent_partners,
            "type 70 of PTN1 lists PTN2 of its sysplex, which is not loaded; and a partition of "
            "another sysplex, one of Linux and one that is not active",
            "a run without scope is flagged with PTN2 only, a run on PTN1 is complete",
        ),
        _case(
            9,
            "missing-30",
            missing_30,
            "two systems, one without any type 30",
            "the totals are right; the parts by address space are flagged",
        ),
        _case(
            10,
            "two-campaigns",
            two_campaigns,
            "two campaigns, with all types of records, on the same LPARs at the same time",
            "what came second is refused or flagged, and everything is built",
        ),
        _case(
            11,
            "overlapping-dumps",
            overlapping_dumps,
            "two dumps with a third of their records in common, one blocked and compressed",
            "each record counts once",
        ),
        _case(
            12,
            "shuffled",
            shuffled,
            "a dump in no order, with its header and trailer among the records",
            "the same as in order",
        ),
        _case(
            13,
            "other-offsets",
            other_offsets,
            "one system at UTC+5:30 and one at UTC-5, in one sysplex",
            "right: all moments are in UTC",
        ),
        HardCase(
            "dst-night",
            "the clocks go back: intervals and MQ records with the same local times twice",
            "right: each run has its own hour",
            _CLOCKS_GO_BACK,
            dst_night,
        ),
        HardCase(
            "midnight",
            "runs in one interval across midnight, in UTC and in local time",
            "right: nothing is lost between the days",
            _MIDNIGHT,
            midnight,
        ),
        _case(
            14,
            "ipl",
            ipl,
            "a system stops during a run and is loaded again; counts since the IPL start again, "
            "and in the next run those of the other system fall",
            "the run is flagged and not covered, the next one is right; of what fell, nothing is "
            "known of that interval",
        ),
        _case(
            15,
            "many-files",
            many_files,
            "a log with one transfer of 70,000 files",
            "right: all files and bytes",
        ),
        _case(
            16,
            "impossible",
            impossible,
            "negative and excessive CPU time, more captured than dispatched, intervals that "
            "overlap or end before they start: one fault in each run but the first",
            "each fault is reported; what depends on it is null or flagged, the rest is right",
        ),
        _case(
            17,
            "partial-intervals",
            partial_intervals,
            "a run that starts and stops in the middle of intervals of an idle LPAR, and one of 10 "
            "minutes in an interval for whose time there are records of type 30",
            "bounds that contain the truth; the first one is flagged, the second one is not",
        ),
        _case(
            18,
            "transfers",
            transfers,
            "logs of transfers that fail, end after their run, end before they begin, or are an "
            "hour off; one fault in each run but the first",
            "what was not moved does not count; what is not known is null, and the run is flagged",
        ),
        _case(
            19,
            "units",
            units,
            "the same work in B, kB, KiB and MB and in s, ms and min, and in a unit nobody knows",
            "the same rates and costs; null with a reason where the unit is not known",
        ),
        _case(
            20,
            "lost-records",
            lost_records,
            "a class or an address space without its record, or a class without data, in one "
            "interval of a run: one in each run but the first",
            "sums over classes are null and the run is flagged; figures of the address space are "
            "null",
        ),
        _case(
            21,
            "many-intervals",
            many_intervals,
            "5,040 intervals of one address space in a run of 84 hours",
            "right: their sum",
        ),
        _case(
            25,
            "speeds",
            speeds,
            "two systems whose CPs get slower in a run, that are of two models, or of another "
            "machine than the label says: one in each run but the first; then two runs of one "
            "configuration at two speeds, one in which the speed falls within an interval, and one "
            "in which the capacity of the machine falls",
            "each is flagged; the figures are those of the records; nothing compares the two; what "
            "is told in service units only is doubtful where the speed falls within an interval",
        ),
        _case(
            26,
            "continued-tasks",
            continued_tasks,
            "a task of MQ with 25 queues, whose type 116 is three records: in one interval the "
            "first is lost, in one the second, and in one the third is in another dump",
            "queues belong to the record that they were written with; where some are missing, sums "
            "of the task are null",
        ),
        _case(
            27,
            "leap-seconds",
            leap_seconds,
            "a system with CVTLSO: moments of types 30, 70, 72, 113 and MQ count 27 leap seconds, "
            "local times do not; intervals of one minute",
            "right: an address space that works in the run only is all in the run",
        ),
        _case(
            28,
            "overlapping-managers",
            overlapping_managers,
            "statistics of one queue manager with intervals that begin at two moments",
            "reported; the run is right",
        ),
        _case(
            29,
            "scattered-parts",
            scattered_parts,
            "a class whose type 72 is in two parts: the second one comes first, in another dump",
            "right: the parts are one record",
        ),
        _case(
            30,
            "suspect-records",
            suspect_records,
            "SMF lost records, an interval has two policies, a class is charged with a fifth of "
            "its time, and the records of an address space stop: one in each run but the first",
            "each is reported, and runs that may lack time are flagged; both policies count",
        ),
        _case(
            31,
            "left-out",
            left_out,
            "in one interval of a run samples are not valid, records are of Monitor III, a class "
            "lacks a part of its record, the policy gives SRB service no weight, or it lacks the "
            "difference to UTC: one in each run but the first",
            "each is reported with its interval; what depends on it is null",
        ),
        _case(
            32,
            "shortened",
            shortened,
            "SETSMF ends an interval of 15 minutes after 7; later ones are of 5. A run starts then",
            "right: the run has whole intervals, and nothing of the idle time before it",
        ),
        _case(
            33,
            "renamed",
            renamed,
            "during a run a policy is activated in which a class has another name",
            "right: neither name is missing",
        ),
        _case(
            34,
            "long-mq-intervals",
            long_mq_intervals,
            "a run of 5 minutes, and MQ statistics of half hours",
            "CPU time is right and compared; it is reported that MQ's figures are a sixth of an "
            "interval",
        ),
        _case(
            35,
            "empty-mq-interval",
            empty_mq_interval,
            "statistics of a queue manager right after an interval, whose own is of no length",
            "they have no interval, rather than that of the records before",
        ),
        HardCase(
            "clocks-forward",
            "the clocks go forward during a run",
            "right: no hour is missing",
            _CLOCKS_GO_FORWARD,
            clocks_forward,
        ),
        HardCase(
            "after-2042",
            "records of 2043: the clock of processors began again at zero in September 2042",
            "right: as in any other year",
            _AFTER_2042,
            after_2042,
        ),
    )
}


def write_cases(
    folder: Path,
    seed: int = 1,
    names: Collection[str] = (),
    written: Callable[[Path], None] | None = None,
) -> list[Path]:
    """Write the cases, or those named, into an empty or new folder; return the paths.

    The folder of a case has `truth.json` and, in `files`, what can be loaded. `written` is called
    with each path. Raise CampaignError if the folder is not empty, KeyError for an unknown name.
    """
    chosen = [CASES[name] for name in names or CASES]
    return write_files(_contents(chosen, seed), folder, written)


def _contents(cases: Collection[HardCase], seed: int) -> Iterator[tuple[str, bytes]]:
    for case in cases:
        made = case.make(case.start, seed)
        yield f"{case.name}/files/{ORIGIN}", b"simulated\n"
        for name, content in made.files.items():
            yield f"{case.name}/files/{name}", content
        said = {"case": case.name, "holds": case.holds, "must": case.must, **made.truth}
        yield f"{case.name}/{TRUTH}", (json.dumps(said, indent=2) + "\n").encode()
