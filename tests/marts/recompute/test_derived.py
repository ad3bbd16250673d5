"""What IBM derives from types 70 and 72, by IBM's formulas from raw, is what the marts have.

IBM SMF Explorer publishes formulas for figures that RMF's reports show. They are written here as
IBM writes them, in milliseconds, and read nothing but raw. docs/cpu-by-hand.md says what differs.
"""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

#: The coefficients that IBM adjusts, and times that it divides by them; both make percent.
_TCB = "r723ccpu * 1e10 / (r723mcpu * 16e7 / r723madj)"
_SRB = "r723csrb * 1e10 / (r723msrb * 16e7 / r723madj)"
_ZIIP = "r723csup * r723nffs * 1e4 / 256 / (r723mcpu * 16e7 / r723madj) * 1e6 / ms"
#: column -> IBM's formula, the mart's expression. CPU time that RMF gives in microseconds is in
#: IBM's formula a hundredth of its percentage: it stands here in percent.
OF_CLASSES = {
    "utilization_cp": (
        f"({_TCB} + {_SRB} + 100 * (r723crct + r723ciit + r723chst) / 1e3) / ms - {_ZIIP}",
        "100 * general_purpose_seconds / interval_seconds",
    ),
    "utilization_ziip": (_ZIIP, "100 * ziip_cp_equivalent_seconds / interval_seconds"),
    "utilization_ziip_on_cp": (
        "r723csuc * 1e4 / (r723mcpu * 16e7 / r723madj) * 1e6 / ms",
        "100 * ziip_on_cp_seconds / interval_seconds",
    ),
    "transaction_total_per_second": ("r723crcp * 1000.0 / ms", "transactions_per_second"),
    "transaction_response_time_mean": (
        "r723ctet / r723crcp * 1024 / 1e6", "response_seconds",
    ),
    "transaction_execution_time_mean": (
        "r723cxet / r723crcp * 1024 / 1e6", "execution_seconds",
    ),
    # of a sample, in units of 1.024 ms
    "transaction_response_time_variance": (
        "if(r723crcp > 1, (r723cets - r723ctet * r723ctet / r723crcp) / (r723crcp - 1), NULL)",
        "response_deviation_seconds ** 2 * transactions / (transactions - 1) / 1.024e-3 ** 2",
    ),
    "execution_velocity": ("r723ctou * 100 / (r723ctou + r723ctot)", "velocity_percent"),
    "transaction_average_active": ("r723ctat / ms * 1024 / 1000", "active_transactions"),
    "transaction_enclave_average": ("r723ciea / ms * 1024 / 1000", "active_enclaves"),
    **{
        f"transaction_{name}_time_mean": (
            f"{field} / r723crcp * 1024 / 1e6", f"{column}_seconds",
        )
        for name, field, column in (
            ("queue_delay", "r723cqdt", "queue"),
            ("aff_delay", "r723cadt", "affinity"),
            ("jcl", "r723ccvt", "conversion"),
            ("inel_delay", "r723ciqt", "ineligible"),
        )
    },
}  # fmt: skip
_CLASSES = """
    SELECT {formula} AS ibm, {mart} AS ours
    FROM (
        SELECT source_id, record_no, r723cper AS period, epoch(smf72int) * 1000 AS ms,
            period.* EXCLUDE (source_id, record_no, section_no),
            control.* EXCLUDE (source_id, record_no, section_no)
        FROM raw.smf72_3_service_report_class_period AS period
        JOIN raw.smf72_3_workload_manager_control AS control USING (source_id, record_no)
        JOIN raw.smf72_3_product USING (source_id, record_no)
    )
    JOIN marts.fct_service_class_period_interval USING (source_id, record_no, period)
    WHERE cpu_issue IS NULL AND {measured}
"""

#: Of a partition's processors of a type: of one dispatched at most as long as it is online.
OF_PARTITIONS = {
    "utilization_per_cpu_physical": ("100 * sum(pdt) / sum(ont)", "lpar_busy_percent"),
    "lpar_management_per_cpu": (
        "100 * (sum(pdt) - sum(edt)) / sum(ont)",
        "100 * (dispatch_seconds - effective_seconds) / online_seconds",
    ),
}
#: Of the processors of a type, if all were there in the whole interval.
OF_PROCESSORS = {
    "mvs_busy_percentage": ("100 * sum(busy) / sum(unparked)", "mvs_busy_percent"),
    "cpu_busy_time": ("100 * sum(busy) / sum(seconds)", "if(allocated, lpar_busy_percent, NULL)"),
    "rate_io_interrupt": (
        "sum(smf70slh + smf70tpi) / any_value(seconds)",
        "io_interrupts_per_second",
    ),
}
_LOGICAL = """
    SELECT source_id, record_no, partition.smf70lpm AS partition_name, partition.smf70lpn,
        trim(kind.smf70cin) AS kind, epoch(smf70int) * 1000 AS ms,
        1000 * epoch(smf70pdt) AS pdt, 1000 * epoch(smf70edt) AS edt, 1000 * epoch(smf70ont) AS ont,
        smf70bps, smf70acs, smf70lpn = smf70ptn AS own, smf70wsa OR smf70bps = 65535 AS keeps,
        CASE WHEN smf70cpa_actual <> 0 THEN smf70cpa_actual ELSE smf70cpa END AS adjustment,
        CASE WHEN smf70cpa_actual <> 0 THEN smf70cpa_scaling_factor ELSE 1 END AS scaling,
        smf70cf, smf70mcf
    FROM raw.smf70_1_prsm_logical_processor AS processor
    JOIN raw.smf70_1_prsm_partition AS partition USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_identification AS kind USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_control USING (source_id, record_no)
    JOIN raw.smf70_1_product USING (source_id, record_no)
    WHERE processor.section_no BETWEEN smf70bds + 1 AND smf70bds + smf70bdn
        AND smf70cix = kind.section_no
"""
_PARTITIONS = """
    SELECT {formula} AS ibm, any_value({mart}) AS ours
    FROM ({logical}) JOIN marts.fct_lpar_interval USING (source_id, record_no, partition_name)
    WHERE partition_number = smf70lpn AND kind = if(processor_type = 'zIIP', 'IIP', processor_type)
        AND NOT allocated AND dispatch_seconds IS NOT NULL
    GROUP BY source_id, record_no, partition_name, smf70lpn, kind HAVING sum(ont) > 0
"""
_CONSUMED = """
    SELECT sum(1000 * edt * 16 * scaling / adjustment) * 3.6 / any_value(ms) AS ibm,
        any_value(consumed_msu) AS ours
    FROM ({logical}) JOIN marts.fct_lpar_capacity_interval
        USING (source_id, record_no, partition_name)
    WHERE partition_number = smf70lpn AND kind = 'CP' AND consumed_msu IS NOT NULL
    GROUP BY source_id, record_no, partition_name, smf70lpn HAVING NOT bool_or(keeps)
"""
#: With PR/SM's own time: seconds of the mart of partitions, MSU of a processor of that of capacity.
_PHYSICAL = """
    SELECT sum(1000 * pdt * 16 * scaling / adjustment) * 3.6 / any_value(ms) AS ibm,
        any_value(lpar.dispatch_seconds / lpar.interval_seconds * processor_msu) AS ours
    FROM ({logical}) JOIN marts.fct_lpar_interval AS lpar
        USING (source_id, record_no, partition_name)
    JOIN marts.fct_lpar_capacity_interval AS capacity USING (source_id, record_no, partition_name)
    WHERE lpar.partition_number = smf70lpn AND kind = 'CP' AND processor_type = 'CP'
        AND NOT allocated AND lpar.dispatch_seconds IS NOT NULL AND processor_msu IS NOT NULL
    GROUP BY source_id, record_no, partition_name, smf70lpn
"""
#: IBM takes the weight that was in effect, and the defined one, as we do, where there was none.
_SHARES = """
    SELECT max(smf70bps) AS ibm, any_value(weight) AS ours
    FROM ({logical}) JOIN marts.fct_lpar_interval USING (source_id, record_no, partition_name)
    WHERE partition_number = smf70lpn AND kind = if(processor_type = 'zIIP', 'IIP', processor_type)
        AND weight IS NOT NULL
    GROUP BY source_id, record_no, partition_name, smf70lpn, kind HAVING max(smf70acs) = 0
"""
_PROCESSORS = """
    SELECT {formula} AS ibm, any_value({mart}) AS ours
    FROM (
        SELECT source_id, record_no, ['CP', 'zAAP', 'zIIP'][smf70typ + 1] AS processor_type,
            smf70dci AS whole, smf70slh, smf70tpi, epoch(smf70int) AS seconds,
            seconds - epoch(smf70wat) - epoch(smf70pat) AS busy,
            seconds - epoch(smf70pat) AS unparked
        FROM raw.smf70_1_cpu_data JOIN raw.smf70_1_product USING (source_id, record_no)
    )
    JOIN marts.fct_processor_interval USING (source_id, record_no, processor_type)
    GROUP BY source_id, record_no, processor_type
    HAVING bool_and(whole) AND any_value({mart}) IS NOT NULL
"""


def measured(name: str) -> str:
    """Return RMF's flag that it measured what a figure is derived from, or that there is none."""
    if name in ("transaction_average_active", "transaction_enclave_average"):
        return "true"
    flags = {"utilization": "r723crca", "transaction": "r723crta", "execution": "r723ceda"}
    return flags[name.partition("_")[0]]


Rows = list[tuple[float | None, float | None]]


@pytest.fixture(scope="module")
def rows_of(bundled: Path, cases: Path) -> Iterator[Callable[[str], Rows]]:
    """Return a query's rows of the bundled inputs and of all cases: IBM's figure, and ours."""
    with (
        duckdb.connect(str(bundled), read_only=True) as first,
        duckdb.connect(str(cases), read_only=True) as second,
    ):
        yield lambda query: [row for db in (first, second) for row in db.execute(query).fetchall()]


@pytest.mark.parametrize("name", OF_PARTITIONS)
def test_figures_of_partitions_are_ibm_s(name: str, rows_of: Callable[[str], Rows]) -> None:
    formula, mart = OF_PARTITIONS[name]
    compare(rows_of(_PARTITIONS.format(formula=formula, mart=mart, logical=_LOGICAL)))


def test_msu_are_ibm_s_effective_ones(rows_of: Callable[[str], Rows]) -> None:
    """Ours are of whole service units: of a minute, one is 6e-5 MSU."""
    compare(rows_of(_CONSUMED.format(logical=_LOGICAL)), within=6e-5)


def test_physical_msu_and_shares_are_ibm_s(rows_of: Callable[[str], Rows]) -> None:
    compare(rows_of(_PHYSICAL.format(logical=_LOGICAL)))
    compare(rows_of(_SHARES.format(logical=_LOGICAL)))


@pytest.mark.parametrize("name", OF_PROCESSORS)
def test_figures_of_processors_are_ibm_s(name: str, rows_of: Callable[[str], Rows]) -> None:
    formula, mart = OF_PROCESSORS[name]
    compare(rows_of(_PROCESSORS.format(formula=formula, mart=mart)))


@pytest.mark.parametrize("name", OF_CLASSES)
def test_figures_of_classes_are_ibm_s(name: str, rows_of: Callable[[str], Rows]) -> None:
    formula, mart = OF_CLASSES[name]
    compare(rows_of(_CLASSES.format(formula=formula, mart=mart, measured=measured(name))))


def compare(rows: Rows, within: float = 1e-6) -> None:
    """IBM writes 0 where a figure has no value."""
    assert rows
    for ibm, ours in rows:
        if ours is None:
            assert ibm is None or math.isnan(ibm) or not ibm
        else:
            assert ours == pytest.approx(ibm, rel=1e-6, abs=within)
