"""The states of a regression, and which of them a check leads to by what it observes.

A person may acknowledge, expect or dismiss any open regression (`false alarm`), and open it again;
it then has the state that it had before. A check moves it along TRANSITIONS only.
"""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["ACCEPTED", "ACKNOWLEDGED", "CHANGED", "CONFIRMED", "EXPECTED", "FALSE_ALARM", "FEW",
           "FIXED", "GONE", "MORE", "NEW", "OPEN", "OVER", "REFUTED", "SHOWN", "STOPPED", "SURE",
           "SUSPECTED", "TRANSITIONS", "WITHDRAWN"]  # fmt: skip

SUSPECTED, WITHDRAWN = "suspected", "withdrawn"  # one or a few runs are far off; it was none
NEW, CONFIRMED, FIXED = "new", "confirmed", "fixed"  # a level; seen with more runs; as before it
ACKNOWLEDGED, EXPECTED = "acknowledged", "expected"  # by a person: the new baseline
FALSE_ALARM = "false alarm"  # by a person
SURE = frozenset({NEW, CONFIRMED})
OPEN = SURE | {SUSPECTED}
ACCEPTED = frozenset({ACKNOWLEDGED, EXPECTED})

# What a check observes of a regression.
SHOWN, MORE, FEW = "shown", "more", "few"  # as a level, with more runs, by few runs alone
CHANGED = "changed"  # it has another size, date, shape or cause
OVER = "over"  # the level is as good as before
REFUTED, GONE = "refuted", "gone"  # its runs show otherwise; they were forgotten
STOPPED = "stopped"  # its configuration no longer runs

_CLOSES = {OVER: FIXED, REFUTED: WITHDRAWN, GONE: WITHDRAWN}
#: By state: what matters to it, in the order in which it counts, and the next state.
TRANSITIONS = MappingProxyType({
    SUSPECTED: {STOPPED: SUSPECTED, SHOWN: NEW, REFUTED: WITHDRAWN, GONE: WITHDRAWN},
    NEW: {STOPPED: NEW, **_CLOSES, MORE: CONFIRMED, CHANGED: NEW},
    CONFIRMED: {STOPPED: CONFIRMED, **_CLOSES, CHANGED: CONFIRMED},
    ACKNOWLEDGED: {OVER: FIXED},
    EXPECTED: {OVER: FIXED},
    WITHDRAWN: {FEW: SUSPECTED, SHOWN: NEW},
    FALSE_ALARM: {},
    FIXED: {SHOWN: NEW},
})  # fmt: skip
