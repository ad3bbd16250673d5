"""The synthetic z/OS dumps are valid and reproducible, and show the truth behind them."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from ingest.formats.binary.framing import detect_framing, read_batches
from ingest.formats.binary.records import decode_batch
from ingest.lake.catalogue import smf_catalogue
from models_sim.simulator.zos.profile import CPU_COEFFICIENT, PLEX1, START, SYSTEMS
from models_sim.simulator.zos.write import truth, write_zos_samples
from tests.kit.dumps import Tables, tables_of

SEED = 3
HALF_OF_A_HUNDREDTH = 5_000
KINDS = {
    (30, 2),
    (30, 3),
    (30, 4),
    (30, 5),
    (30, 6),
    (42, 6),
    (70, 1),
    (70, 2),
    (72, 3),
    (74, 1),
    (74, 4),
    (113, 1),
    (113, 2),
}
# Column of the truth -> column of smf30_processor_accounting.
ACCOUNTED = {
    "tcb_us": "smf30cpt",
    "srb_us": "smf30cps",
    "initiator_tcb_us": "smf30icu",
    "io_interrupt_us": "smf30iip",
    "region_control_us": "smf30rct",
    "ziip_us": "smf30_time_on_ziip",
    "ziip_on_cp_us": "smf30_time_ziip_on_cp",
    "enclave_us": "smf30enc",
}
NAMES = [s.name for s in SYSTEMS]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_zos_samples(tmp_path_factory.mktemp("zos"), SEED)


@pytest.fixture(scope="module")
def dumps(files: list[Path]) -> dict[str, Tables]:
    return {p.stem.removeprefix("zos-"): tables_of(p.read_bytes()) for p in files}


@pytest.fixture(scope="module")
def frames() -> dict[str, pl.DataFrame]:
    return truth(SEED)


def interval_of(
    dumps: dict[str, Tables], name: str, record_type: int, subtype: int
) -> pl.DataFrame:
    """The interval number of each RMF record, from its end."""
    product = dumps[name][f"smf{record_type}_{subtype}_product"]
    since = (product[f"smf{record_type}iet"] - START).dt.total_seconds()
    return pl.DataFrame({"record_no": product["record_no"], "interval": since // 900 - 1})


def rmf(dumps: dict[str, Tables], name: str, table: str) -> pl.DataFrame:
    """An RMF table with the interval number, in the order of records and sections."""
    record_type, subtype = (int(part) for part in table.removeprefix("smf").split("_")[:2])
    joined = dumps[name][table].join(interval_of(dumps, name, record_type, subtype), on="record_no")
    return joined.sort("record_no", "section_no")


# --- the files


def test_same_seed_gives_the_same_bytes(files: list[Path], tmp_path: Path) -> None:
    for first, again in zip(files, write_zos_samples(tmp_path, SEED), strict=True):
        assert first.name == again.name
        assert first.read_bytes() == again.read_bytes()


def test_another_seed_gives_a_different_truth(frames: dict[str, pl.DataFrame]) -> None:
    other = truth(SEED + 1)
    for name in frames.keys() - {"interval"}:
        assert not other[name].equals(frames[name]), name


@pytest.mark.parametrize("name", NAMES)
def test_a_dump_has_every_kind_of_record(name: str, dumps: dict[str, Tables]) -> None:
    record = dumps[name]["smf_record"].filter(~pl.col("record_type").is_in([2, 3]))
    assert set(record.select("record_type", "record_subtype").iter_rows()) == KINDS
    assert set(record["system_id"]) == {name}
    assert record["smf_time"].is_sorted()
    assert "smf_opaque" not in dumps[name]


@pytest.mark.parametrize("name", NAMES)
def test_records_and_sections_have_no_spare_bytes(name: str, files: list[Path]) -> None:
    """Every section has the length of its layout, so nothing is left undecoded."""
    content = next(p for p in files if p.stem.endswith(name)).read_bytes()
    framing = detect_framing(content, whole=True)
    assert framing
    for batch in read_batches(io.BytesIO(content), framing):
        decoded = decode_batch(batch, smf_catalogue())
        assert not decoded.rejected
        assert not decoded.extra_bytes.any()


# --- time


@pytest.mark.parametrize("name", NAMES)
def test_headers_are_local_and_moments_are_utc(name: str, dumps: dict[str, Tables]) -> None:
    product = dumps[name]["smf70_1_product"].sort("record_no")
    assert (product["smf70lgo"] == -5 * 3600 * 1_000_000).all()
    local = product["smf70iet"] + timedelta(hours=-5)
    header = dumps[name]["smf70_1_header"].sort("record_no")
    midnight = header["smf70dte"].cast(pl.Datetime("us"))
    assert (midnight + header["smf70tme"].cast(pl.Duration("us")) - local).abs().max() < timedelta(
        milliseconds=10
    )
    first = product["smf70iet"][0] - timedelta(microseconds=product["smf70int"][0])
    assert first == START
    begins = product["smf70iet"] - product["smf70int"].cast(pl.Duration("us"))
    assert begins[1:].to_list() == product["smf70iet"][:-1].to_list()


def test_samples_of_one_interval_are_marked_as_skipped(dumps: dict[str, Tables]) -> None:
    skipped = {
        (name, product["record_no"][i])
        for name in NAMES
        for product in [rmf(dumps, name, "smf70_1_product")]
        for i in range(product.height)
        if product["smf70iss"][i]
    }
    assert len(skipped) == 1
    for table in ("smf72_3_product", "smf74_1_product", "smf74_4_product", "smf70_2_product"):
        marked = rmf(dumps, "SY2", table).filter(pl.col(f"{table[:5]}iss"))
        assert set(marked["interval"]) == {5}


# --- type 30


@pytest.mark.parametrize("name", NAMES)
def test_address_space_records_match_the_truth(
    name: str, dumps: dict[str, Tables], frames: dict[str, pl.DataFrame]
) -> None:
    """Intervals by subtypes 2 and 3; for subtype 6 the increase since the previous record."""
    tables = dumps[name]
    accounting = (
        tables["smf30_processor_accounting"]
        .select("record_no", "record_subtype", *ACCOUNTED.values())
        .join(
            tables["smf30_identification"].select("record_no", "smf30jbn", "smf30iet"),
            on="record_no",
        )
        .filter(pl.col("record_subtype").is_in([2, 3, 6]))
        .sort("smf30jbn", "smf30iet")
    )
    expected = frames["address_space"].filter(pl.col("system") == name).sort("job", "interval")
    for column, field in ACCOUNTED.items():
        so_far = pl.col(field) - pl.col(field).shift(1).over("smf30jbn")
        used = accounting.with_columns(
            pl.when(pl.col("record_subtype") == 6).then(so_far).otherwise(field).alias("used")
        ).drop_nulls("used")
        assert used["smf30jbn"].to_list() == expected["job"].to_list()
        difference = (used["used"] - expected[column]).abs()
        cumulative = used["record_subtype"] == 6
        assert difference.filter(~cumulative).max() <= HALF_OF_A_HUNDREDTH, field
        assert difference.filter(cumulative).max() <= 2 * HALF_OF_A_HUNDREDTH, field


@pytest.mark.parametrize("name", NAMES)
def test_step_is_the_sum_of_its_intervals(
    name: str, dumps: dict[str, Tables], frames: dict[str, pl.DataFrame]
) -> None:
    tables = dumps[name]
    ended = frames["address_space"].filter(system=name, ends=True)["job"]
    assert len(ended) >= 1
    totals = (
        frames["address_space"]
        .filter((pl.col("system") == name) & pl.col("job").is_in(ended.implode()))
        .group_by("job")
        .agg(pl.col("tcb_us").sum(), pl.col("requests").sum())
        .sort("job")
    )
    for subtype in (4, 5):
        records = (
            tables["smf30_processor_accounting"]
            .filter(pl.col("record_subtype") == subtype)
            .join(
                tables["smf30_identification"].select("record_no", "smf30jbn", "smf30iet"),
                on="record_no",
            )
            .join(tables["smf30_io_activity"].select("record_no", "smf30tex"), on="record_no")
            .sort("smf30jbn")
        )
        assert records["smf30jbn"].to_list() == totals["job"].to_list()
        assert (records["smf30cpt"] - totals["tcb_us"]).abs().max() <= HALF_OF_A_HUNDREDTH
        assert records["smf30tex"].to_list() == totals["requests"].to_list()
        assert records["smf30iet"].is_null().all()


@pytest.mark.parametrize("name", NAMES)
def test_system_spaces_are_identified_only_by_name(name: str, dumps: dict[str, Tables]) -> None:
    identity = dumps[name]["smf30_identification"].filter(pl.col("record_subtype") == 6)
    assert identity.height == 9 * sum(s.system_space for s in SYSTEMS[NAMES.index(name)].spaces)
    assert (identity["smf30pgm"] == "").all()
    assert identity["smf30asi"].min() > 0


# --- 72-3 and 70-1


def test_the_coefficient_is_not_one() -> None:
    """Otherwise a formula without the coefficient would pass."""
    assert CPU_COEFFICIENT != 1
    assert PLEX1.ziip_factor != 256


def test_one_record_is_broken_into_parts(dumps: dict[str, Tables]) -> None:
    assert "smf72_3_reassembly" not in dumps["SY2"]
    parts = dumps["SY1"]["smf72_3_reassembly"].sort("record_no")
    assert parts["smf72rsq"].to_list() == [1, 2]
    assert parts["smf72rbr"].to_list() == [2, 2]
    assert parts["record_no"][1] == parts["record_no"][0] + 1
    blocks = dumps["SY1"]["smf72_3_reassembly_block"].sort("record_no", "section_no")
    periods = blocks.filter(pl.col("section_no") == 4)
    counts = [
        dumps["SY1"]["smf72_3_service_report_class_period"].filter(record_no=n).height
        for n in parts["record_no"]
    ]
    assert counts == [2, 1]
    assert periods["smf72rnn"].to_list() == [3, 3]
    assert periods["smf72rpp"].to_list() == [1, 3]


@pytest.mark.parametrize("name", NAMES)
def test_machine_is_no_busier_than_its_processors_allow(
    name: str, dumps: dict[str, Tables]
) -> None:
    kinds = rmf(dumps, name, "smf70_1_cpu_identification")
    physical = {
        row["section_no"]: row["smf70ctn"] for row in kinds.filter(interval=0).iter_rows(named=True)
    }
    used = (
        rmf(dumps, name, "smf70_1_prsm_logical_processor")
        .group_by("interval", "smf70cix")
        .agg(pl.col("smf70pdt").sum())
    )
    for row in used.iter_rows(named=True):
        assert 0 < row["smf70pdt"] <= physical[row["smf70cix"]] * 900.1e6


@pytest.mark.parametrize("name", NAMES)
def test_processors_wait_park_or_work(name: str, dumps: dict[str, Tables]) -> None:
    data = rmf(dumps, name, "smf70_1_cpu_data")
    length = rmf(dumps, name, "smf70_1_product").select("record_no", "smf70int")
    joined = data.join(length, on="record_no")
    busy = joined["smf70int"] - joined["smf70wat"] - joined["smf70pat"]
    assert (busy >= 0).all()
    parked = joined.filter(pl.col("smf70pat") > 0)
    assert (parked["smf70pat"] == parked["smf70int"]).all()
    assert parked.is_empty() == (name == "SY2")


# --- cards and counters


def test_speed_and_cycles_agree(frames: dict[str, pl.DataFrame]) -> None:
    cycles = frames["counter"].filter(counter=0)["increase"].sum()
    assert cycles == 5200 * frames["processor"]["effective_us"].sum()


def test_the_first_interval_is_idle(frames: dict[str, pl.DataFrame]) -> None:
    for name in NAMES:
        busy = (
            frames["processor"]
            .filter(system=name, processor_type="CP")
            .group_by("interval")
            .agg(pl.col("effective_us").sum())
        )
        least = busy.sort("effective_us").row(0)
        assert least[0] == 0
        assert least[1] > 0
    assert frames["interval"]["start"].min() == START == datetime(2024, 2, 29, 13)


def test_classes_have_the_time_of_their_address_spaces(frames: dict[str, pl.DataFrame]) -> None:
    spaces, periods = frames["address_space"], frames["class_period"]
    kinds = [name for name in spaces.columns if name.endswith("_us") and name in periods.columns]
    assert len(kinds) >= 5
    for is_report, column in ((False, "service_class"), (True, "report_class")):
        by = ["system", "interval", "class"]
        expected = spaces.rename({column: "class"}).group_by(by).agg(pl.col(kinds).sum())
        found = periods.filter(report=is_report).group_by(by).agg(pl.col(kinds).sum())
        both = expected.join(found, on=by, how="left", suffix="_of_class")
        for kind in kinds:
            assert (both[kind] - both[f"{kind}_of_class"]).abs().max() < 1, kind
