"""Advice: every rule runs on every warehouse, and says no more than its records do."""

from pathlib import Path

import duckdb
import pytest

from app.results.queries.advice import RULES, judged, origins
from app.results.reader import Reader


def state(file: Path, name: str, campaign: str | None = None) -> str:
    rules = judged(Reader(file), "simulated", campaign)
    return next(rule["state"] for rule in rules if rule["name"] == name)


def test_rules_have_names_of_their_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_each_rule_has_evidence_or_says_what_is_missing(full: Path) -> None:
    reader = Reader(full)
    assert origins(reader)
    for origin in origins(reader):
        for rule in judged(reader, origin):
            assert rule["state"] in {"act", "fine", "unknown"}
            assert bool(rule["evidence"]) is (rule["state"] != "unknown")
            assert rule["needs"] and rule["do"] and rule["source"].startswith("document 00")
            assert "{" not in rule["evidence"]


def test_nothing_is_judged_without_records(full: Path) -> None:
    assert {rule["state"] for rule in judged(Reader(full), "no such origin")} == {"unknown"}


def test_the_evidence_on_ziips_is_that_of_the_marts(full: Path) -> None:
    rules = judged(Reader(full), "simulated", "smoke")
    (ziip,) = (rule for rule in rules if rule["name"] == "ziip")
    with duckdb.connect(str(full), read_only=True) as db:
        ((share, on_cp),) = db.execute(
            "SELECT 100 * sum(eligible_seconds) / sum(cpu_seconds), "
            "100 * sum(ziip_on_cp_seconds) / sum(eligible_seconds) "
            "FROM marts.fct_run_address_space WHERE campaign = 'smoke' "
            "AND address_space LIKE 'AGNT%'"
        ).fetchall()
    assert ziip["evidence"].startswith(f"{share:.0f} % of the CPU time of MFT agents")
    assert f"{on_cp:.0f} % of that ran on CPs" in ziip["evidence"]
    assert ziip["state"] == ("act" if share > 20 and on_cp > 10 else "fine")


@pytest.mark.parametrize("rule", ["chunk-size", "csm", "jit"])
def test_a_rule_about_other_runs_is_unknown_for_a_campaign_without_them(
    full: Path, rule: str
) -> None:
    assert state(full, rule, "smoke") == "unknown"
