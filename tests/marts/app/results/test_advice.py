"""Advice: every rule runs on every warehouse, and says no more than its records do."""

from pathlib import Path

import duckdb
import pytest

from app.results.queries.advice import Words, judged, origins
from app.results.queries.health import limits
from app.results.queries.rules import RULES
from app.results.reader import Reader
from tests.kit.cases import cases


def state(file: Path, name: str, campaign: str | None = None) -> str:
    rules = judged(Reader(file), "simulated", campaign)
    return next(rule["state"] for rule in rules if rule["name"] == name)


def test_rules_have_names_of_their_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_a_site_changes_the_limits_of_rules_and_their_words(
    bundled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each limit that a rule names, moved to either end of what figures can be."""
    named = sorted({check for rule in RULES for check in rule.checks})
    assert len(named) > 8
    low_is_bad = {name for name, limit in limits().items() if limit.is_below}
    found = {}
    for kept in (True, False):
        highest = {name: kept != (name in low_is_bad) for name in named}
        site = tmp_path / f"{kept}.toml"
        site.write_text("\n".join(
            f"[{name}]\nwarning = {(end := 1e6 if highest[name] else -1)}\nalarm = {end}"
            for name in named
        ))  # fmt: skip
        monkeypatch.setenv("PERFHOUSE_HEALTH", str(site))
        found[kept] = {one["name"]: one for one in judged(Reader(bundled), "simulated")}
    for name in (rule.name for rule in RULES if rule.checks):
        assert (found[True][name]["state"], found[False][name]["state"]) == ("fine", "act"), name
    assert "limit <= -1 ms" in found[False]["channels"]["evidence"]


def test_each_rule_has_evidence_or_says_what_is_missing(bundled: Path) -> None:
    reader = Reader(bundled)
    assert origins(reader)
    for origin in origins(reader):
        for rule in judged(reader, origin):
            assert rule["state"] in {"act", "fine", "unknown"}
            assert bool(rule["evidence"]) is (rule["state"] != "unknown")
            assert rule["needs"] and rule["do"] and rule["source"].startswith("document 00")
            assert "{" not in rule["evidence"]


def test_nothing_is_judged_without_records(bundled: Path) -> None:
    assert {rule["state"] for rule in judged(Reader(bundled), "no such origin")} == {"unknown"}


def test_the_evidence_on_ziips_is_that_of_the_marts(bundled: Path) -> None:
    rules = judged(Reader(bundled), "simulated", "smoke")
    (ziip,) = (rule for rule in rules if rule["name"] == "ziip")
    with duckdb.connect(str(bundled), read_only=True) as db:
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
    bundled: Path, rule: str
) -> None:
    assert state(bundled, rule, "smoke") == "unknown"


@cases
def test_evidence_has_the_words_that_suit_its_numbers(
    text: str, row: dict[str, float], said: str
) -> None:
    assert Words().vformat(text, (), row) == said


def test_a_sysplex_is_judged_on_its_own_systems(bundled: Path) -> None:
    reader = Reader(bundled)
    assert {rule["state"] for rule in judged(reader, "simulated", sysplex="OTHER")} == {"unknown"}
    own, all_of_it = judged(reader, "simulated", sysplex="PERFPLEX"), judged(reader, "simulated")
    assert {rule["name"] for rule in own if rule["state"] != "unknown"} <= {
        rule["name"] for rule in all_of_it if rule["state"] != "unknown"
    }
    assert any(rule["state"] != "unknown" for rule in own)
