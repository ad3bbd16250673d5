"""Plans from runs of one's own."""

from pathlib import Path

import pytest

from app.pipeline.planning import make_plan
from app.results.queries.plan_inputs import figures, settings, with_records
from app.results.reader import Reader
from ingest.base.errors import RequestError


def test_a_plan_like_a_run_has_its_figures_and_the_model_the_rest(bundled: Path) -> None:
    reader = Reader(bundled)
    own = figures(reader)
    assert (own["low"] < own["predicted"]).all()
    run_id, cost = reader.frame(
        """
        select run_id, value from marts.fct_measurement
        inner join marts.dim_configuration using (configuration_id)
        where metric = 'cost_per_GB' and is_compared and source = 'z/OS' and network = '10Gb'
            and protocol is null and dim_configuration.machine = 'z15'
        order by run_id limit 1
        """
    ).row(0)
    like = settings(reader, run_id)
    mine, other = make_plan({"gb": 100, "ams": ["N", "Integrity"]}, like=like, own=own).alternatives
    assert mine.figures["CPU"].value == pytest.approx(100 * cost, rel=0.1)
    assert "own runs" in mine.figures["CPU"].source
    assert other.figures["CPU"].source == "model"
    with pytest.raises(RequestError, match="no run nobody"):
        settings(reader, "nobody")


def test_recorded_work_is_that_of_a_mean_day(bundled: Path) -> None:
    reader = Reader(bundled)
    work = with_records(reader, {"recorded": ["SYQ*CHIN", "SYQ*MSTR"], "grows": 2})
    ((cpu, eligible),) = reader.frame(
        """
        select
            sum(general_purpose_seconds + eligible_seconds - ziip_on_cp_seconds),
            sum(eligible_seconds)
        from marts.fct_usage_hour
        where subject = 'address space' and name similar to 'SYQ.(CHIN|MSTR)'
        """
    ).rows()  # their systems have records of one day
    spaces = work["recorded"]["spaces"].values()
    assert [sum(part) for part in zip(*spaces, strict=True)] == pytest.approx([cpu, eligible])
    (now,) = make_plan(work).alternatives
    assert now.figures["CPU"].value == pytest.approx(2 * cpu)
    with pytest.raises(RequestError, match="no record has an address space NOBODY"):
        with_records(reader, {"recorded": "NOBODY"})
