"""What the published documents recommend, as rules over marts: the files in rules/.

A rule's query returns no row if its records are missing, and otherwise one row: `acts`, whether to
do something, and the figures of its evidence. Parameters: $origin, and $campaign or $sysplex, what
the rules are judged on (both NULL: all that is loaded). `$warning[NAME]` and `$alarm[NAME]` are
limits of the seed health_limit, and `{warning[NAME]}` in texts. Systems are judged over the time of
the campaign's runs; a sysplex is judged on its systems and on the campaigns that ran there.
`let` and _common.toml say what stands for other $NAMEs in queries.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

__all__ = ["OF_COST", "OF_FACTORS", "OF_HOSTS", "OF_SYSTEMS", "RULES", "Rule"]

_NAMED = re.compile(r"\$([a-z_]+)")


class Rule(NamedTuple):
    """A recommendation.

    name: for links and tests; title: what to do, in short; document, section: where it stands;
    needs: the records without which it cannot be judged; evidence: what was found, with the
    columns of the query in braces (see advice.Words); do: what to do if the rule acts, with limits
    only; sql: the query; kept: what was found if the rule does not act, where other words say it
    better. checks: of health, in place of a query; the rule acts if one of them fails.
    """

    name: str
    title: str
    document: str
    section: str
    needs: str
    do: str
    evidence: str = "{worst}."
    sql: str = ""
    kept: str = ""
    checks: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The document and section."""
        return f"document {self.document}, {self.section}"


def _rules(file: str) -> tuple[Rule, ...]:
    """Return the rules of a file, each query with what it has in common with others."""
    folder = Path(__file__).with_suffix("")
    common, declared = (
        tomllib.loads((folder / name).read_text("utf-8")) for name in ("_common.toml", file)
    )
    names = {**common, **declared.get("let", {})}

    def filled(sql: str) -> str:
        return _NAMED.sub(lambda name: filled(names.get(name[1], "")) or name[0], sql)

    return tuple(Rule(**{**rule, "sql": filled(rule.get("sql", ""))}) for rule in declared["rule"])


OF_COST = _rules("cost.toml")  # what work costs
OF_FACTORS = _rules("factors.toml")  # how transfers and channels are set up, by runs that differ
OF_HOSTS = _rules("hosts.toml")  # the hosts of gateways and agents
OF_SYSTEMS = _rules("systems.toml")  # systems and queue managers during the runs
RULES = (*OF_COST, *OF_FACTORS, *OF_HOSTS, *OF_SYSTEMS)
