"""The states of a regression, and who sets them.

    suspected     one or a few runs are far off                   detector
    withdrawn     the next runs are not: it was none              detector
    new           first seen as a level                           detector
    confirmed     seen again with more runs                       detector
    acknowledged  known and accepted: the baseline is reset       a user
    expected      an intended change: the baseline is reset       a user
    false alarm   not real                                        a user; the detector, if its runs
                                                                  have other figures now, or it is
                                                                  part of another regression
    fixed         the level is as good as before the change       detector

A user may also open an answered one again; it then has the state that it had before.

    (first sight) -> suspected -> new -> confirmed -> fixed
                         |         |         +------> acknowledged, expected, false alarm (a user)
                         |         +----------------> the same
                         +-> withdrawn
"""

__all__ = ["ACCEPTED", "ACKNOWLEDGED", "CONFIRMED", "EXPECTED", "FALSE_ALARM", "FIXED", "NEW",
           "OPEN", "SURE", "SUSPECTED", "WITHDRAWN"]  # fmt: skip

SUSPECTED, WITHDRAWN = "suspected", "withdrawn"
NEW, CONFIRMED, FIXED = "new", "confirmed", "fixed"
ACKNOWLEDGED, EXPECTED, FALSE_ALARM = "acknowledged", "expected", "false alarm"
SURE = frozenset({NEW, CONFIRMED})
OPEN = SURE | {SUSPECTED}
ACCEPTED = frozenset({ACKNOWLEDGED, EXPECTED})
