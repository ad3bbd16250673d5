"""The synthetic MQ dumps are small, reproducible, valid and consistent."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from ingest.formats.binary.framing import detect_framing
from ingest.lake.catalogue import smf_catalogue
from models_sim.simulator.mq.samples import write_samples
from tests.kit.dumps import US_1900_TO_1970, Tables, content_of, tables_of

SEED = 20240229
OFFSET = timedelta(hours=-5)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_samples(tmp_path_factory.mktemp("synthetic"), SEED)


@pytest.fixture(scope="module")
def dumps(files: list[Path]) -> dict[str, Tables]:
    return {path.name.split(".")[0]: tables_of(content_of(path)) for path in files}


@pytest.fixture(scope="module")
def syq1(dumps: dict[str, Tables]) -> Tables:
    return dumps["synthetic_mq_935"]


@pytest.fixture(
    scope="module", params=["synthetic_mq_800", "synthetic_mq_935", "synthetic_mq_1000"]
)
def mq(request: pytest.FixtureRequest, dumps: dict[str, Tables]) -> Tables:
    tables: Tables = dumps[request.param]
    return tables


def test_the_same_seed_gives_the_same_bytes(files: list[Path], tmp_path: Path) -> None:
    again = write_samples(tmp_path, SEED)
    assert [p.name for p in again] == [p.name for p in files]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(again, files, strict=True))


def test_every_framing_and_release_has_a_file(files: list[Path], dumps: dict[str, Tables]) -> None:
    framings = {p.name: detect_framing(content_of(p), whole=True) for p in files}
    assert {str(f) for f in framings.values()} == {"rdw", "bdw"}
    assert any(p.suffix == ".gz" for p in files)
    levels = {
        name: set(tables["smf115_header"]["sm115rel"])
        for name, tables in dumps.items()
        if "smf115_header" in tables
    }
    assert levels == {
        "synthetic_mq_800": {"800"},
        "synthetic_mq_935": {"935"},
        "synthetic_mq_1000": {"946"},
    }
    assert set(dumps["synthetic_mq_1000"]["smf115_qwhx"]["qwhxrel"]) == {"100000"}
    assert "smf115_qwhx" not in dumps["synthetic_mq_935"]  # it has no rows


def test_older_releases_lack_the_newer_fields(dumps: dict[str, Tables]) -> None:
    columns = {"smf115_qmst": ("qmstspp", "qmstocpa"), "smf115_qjst": ("qjstcp1n", "qjsthlsciw")}
    found = {
        name: [dumps[f"synthetic_mq_{name}"][t][c].null_count() > 0 for t, some in columns.items()
               for c in some]
        for name in ("800", "935", "1000")
    }  # fmt: skip
    assert found == {
        "800": [True, True, True, True],
        "935": [False, True, False, True],
        "1000": [False, False, False, False],
    }


def test_some_records_are_spanned(files: list[Path]) -> None:
    (path,) = [p for p in files if "935" in p.name]
    content, segments, at = path.read_bytes(), set(), 0
    while at < len(content):
        block = int.from_bytes(content[at : at + 2])
        inner = at + 4
        while inner < at + block:
            segments.add(content[inner + 2])
            inner += int.from_bytes(content[inner : inner + 2])
        at += block
    assert {0, 1, 2} <= segments <= {0, 1, 2, 3}


def test_every_record_is_marked_as_synthetic(dumps: dict[str, Tables]) -> None:
    for tables in dumps.values():
        record = tables["smf_record"]
        assert set(record["system_id"]) == {"SYN1"}
        named = record.filter(~pl.col("record_type").is_in([2, 3]))["subsystem_id"]
        assert named.str.starts_with("SYQ").all()


def test_every_subtype_is_present(dumps: dict[str, Tables]) -> None:
    found = pl.concat(t["smf_record"] for t in dumps.values())
    pairs = set(found.select("record_type", "record_subtype").drop_nulls().iter_rows())
    known = {key for key in smf_catalogue() if key[0] in (115, 116)}
    assert pairs == known | {(180, 1)}


# --- times


def test_header_times_are_local_and_in_order(mq: Tables) -> None:
    records = mq["smf_record"].filter(~pl.col("record_type").is_in([2, 3]))
    assert records["smf_time"].is_sorted()
    for table in ("smf115_qwhs", "smf116_qwhs"):
        made = mq[table].filter(pl.col("qwhsstck").is_not_null())
        late = made["smf_time"] - made["qwhsstck"] - OFFSET
        assert late.max() <= timedelta(0)
        assert late.min() > timedelta(milliseconds=-10)


@pytest.mark.parametrize("subtype", [1, 2, 215, 216, 231])
def test_intervals_follow_each_other(dumps: dict[str, Tables], subtype: int) -> None:
    for name, tables in dumps.items():
        if "smf115_qwhs" not in tables:
            continue
        rows = tables["smf115_qwhs"].filter(pl.col("record_subtype") == subtype)
        if subtype == 216 and "800" in name:
            assert not rows.height
            continue
        ends = rows["qwhstime"] + pl.Series(rows["qwhsdurn"]).cast(pl.Duration("us"))
        gaps = [
            (begin - end).total_seconds()
            for end, begin in pairwise(
                [x for pair in zip(rows["qwhstime"], ends, strict=True) for x in pair]
            )
        ][1::2]
        restarts = [round(gap) for gap in gaps if gap > 0.001]
        assert restarts == ([161] if "935" in name else []), (name, subtype)
        assert all(0 <= gap < 0.001 or gap > 160 for gap in gaps)
        assert ((rows["qwhsdurn"] > 180_000_000) & (rows["qwhsdurn"] < 301_000_000)).all()
        late = rows["qwhsstck"] + OFFSET - ends
        assert late.min() >= timedelta(0)
        assert late.max() < timedelta(milliseconds=1)


def test_a_restart_resets_the_sequence_numbers(syq1: Tables) -> None:
    numbers = syq1["smf115_qwhs"].filter(pl.col("record_subtype") == 1)["qwhsiseq"].to_list()
    again = numbers.index(1)
    assert numbers == [*range(401, 401 + again), *range(1, 1 + len(numbers) - again)]
    written = pl.concat(
        [syq1[t].select("record_no", "qwhswseq") for t in ("smf115_qwhs", "smf116_qwhs")]
    )
    order = written.filter(pl.col("qwhswseq") > 0).sort("record_no")["qwhswseq"].to_list()
    first, again = order[0], order.index(1)
    assert order == [*range(first, first + again), *range(1, 1 + len(order) - again)]
    assert first > again > 0


# --- sums


def per_interval(tables: Tables, table: str, *columns: str) -> pl.DataFrame:
    """Sums of a statistics table by the interval's position in the file."""
    frame = tables[table].select("record_no", *columns).group_by("record_no").sum()
    return frame.sort("record_no").drop("record_no")


def test_accounting_and_statistics_count_the_same_calls(mq: Tables) -> None:
    statistics = mq["smf115_qmst"]
    queues = mq["smf116_wq"]
    pairs = {
        "qmstput": "putn", "qmstput1": "put1n", "qmstget": "getn", "qmstopen": "openn",
        "qmstclos": "closen",
    }  # fmt: skip
    for of_statistics, of_accounting in pairs.items():
        assert statistics[of_statistics].sum() == queues[of_accounting].sum() > 0
    if "qmstpbp" in statistics.columns and not statistics["qmstpbp"].null_count():
        assert (statistics["qmstpbp"] + statistics["qmstnbp"]).sum() == queues["putbytes"].sum()
        assert (statistics["qmstspp"] + statistics["qmstsnp"]).sum() == queues["validput"].sum()
        by_any = queues["putpmsg"].sum() + queues["put1pmsg"].sum()
        assert statistics["qmstspp"].sum() == by_any
    put = statistics["qmstput"].sum() + statistics["qmstput1"].sum()
    assert mq["smf115_qist"]["qistmput"].sum() == queues["validput"].sum() == put


def test_queues_add_up_to_the_queue_manager(dumps: dict[str, Tables]) -> None:
    for name in ("synthetic_mq_935", "synthetic_mq_1000"):
        tables = dumps[name]
        calls = ("puts", "put1", "open", "inqr", "set")
        gets = ("qqstgets", "qqstnmag", "qqstbrws")
        queues = per_interval(tables, "smf115_qqst", *(f"qqst{call}" for call in calls), *gets)
        manager = tables["smf115_qmst"].sort("record_no")
        for call, own in zip(calls, ("put", "put1", "open", "inq", "set"), strict=True):
            assert queues[f"qqst{call}"].to_list() == manager[f"qmst{own}"].to_list()
            assert manager[f"qmst{own}"].sum() > 0
        assert queues.select(pl.sum_horizontal(gets)).to_series().to_list() == (
            manager["qmstget"].to_list()
        )


def test_tasks_add_up_to_the_queue_manager_in_calls_without_a_queue(
    dumps: dict[str, Tables],
) -> None:
    tables = dumps["synthetic_mq_1000"]
    tasks, manager = tables["smf116_wtas"], tables["smf115_qmst"]
    for own, other in (("sun", "sub"), ("sqn", "subr"), ("ctn", "ctl"), ("stn", "stus")):
        assert tasks[f"wtas{own}"].sum() == manager[f"qmst{other}"].sum() > 0
    assert min(tasks[f"wtas{own}"].sum() for own in ("ban", "prn")) > 0


def test_accounting_of_a_queue_matches_its_statistics(dumps: dict[str, Tables]) -> None:
    for name in ("synthetic_mq_935", "synthetic_mq_1000"):
        tables = dumps[name]
        by_task = tables["smf116_wq"].group_by(pl.col("basename").alias("queue")).agg(
            pl.col("putn", "put1n", "validput", "validget", "putbytes", "getbytes").sum(),
            pl.sum_horizontal("putpmsg", "put1pmsg").sum(), pl.col("getpmsg").sum(),
            pl.sum_horizontal("putpwg", "put1pwg").sum().alias("putpwg"),
        )  # fmt: skip
        by_queue = tables["smf115_qqst"].group_by(pl.col("qqstqnam").alias("queue")).agg(
            pl.col("qqstputs", "qqstput1").sum(),
            pl.sum_horizontal("qqstputs", "qqstput1").sum().alias("put"), pl.col("qqstgets").sum(),
            pl.sum_horizontal("qqstputb", "qqstpt1b").sum(), pl.col("qqstgetb").sum(),
            pl.sum_horizontal("qqstppt", "qqstpp1").sum(), pl.col("qqstpdg", "qqstfptc").sum(),
        )  # fmt: skip
        assert by_task.sort("queue").rows() == by_queue.sort("queue").rows()


def test_messages_are_neither_created_nor_lost(dumps: dict[str, Tables]) -> None:
    """Within a run, a queue's depth changes by the messages put and got."""
    queues = dumps["synthetic_mq_1000"]["smf115_qqst"].sort("record_no")
    for _, rows in queues.group_by("qqstqnam"):
        put = (rows["qqstputs"] + rows["qqstput1"]).cast(pl.Int64)
        change = (put - rows["qqstgets"].cast(pl.Int64)).cum_sum()
        assert rows["qqstdpth"].to_list() == change.to_list()
        assert (rows["qqstdphi"] >= rows["qqstdpth"]).all()
        assert (rows["qqstdplo"] <= rows["qqstdpth"]).all()


def test_parts_of_queue_statistics_add_up(dumps: dict[str, Tables]) -> None:
    q = pl.concat(
        [dumps[f"synthetic_mq_{n}"]["smf115_qqst"] for n in ("935", "1000")], how="vertical"
    ).with_columns(pl.selectors.unsigned_integer().cast(pl.Int64))
    for whole, parts in {
        "qqstputs": ("qqstppt", "qqstnppt"),
        "qqstputb": ("qqstppb", "qqstnppb"),
        "qqstput1": ("qqstpp1", "qqstnpp1"),
        "qqstpt1b": ("qqstp1b", "qqstnp1b"),
        "qqstgets": ("qqstpdg", "qqstnpdg"),
        "qqstgetb": ("qqstpdb", "qqstnpdb"),
    }.items():
        assert (q[whole] == q[parts[0]] + q[parts[1]]).all(), whole
    assert (q["qqstmsmi"] <= q["qqstmsav"]).all()
    assert (q["qqstmsav"] <= q["qqstmsma"]).all()


def test_channels_move_what_their_tasks_put_and_get(mq: Tables) -> None:
    channels = mq["smf116_qcst"].group_by("qcstchnm").agg(
        pl.col("qcstnmsg", "qcstnbyt", "qcstnpmg", "qcstchty").sum()
    )  # fmt: skip
    moved = {name: rest for name, *rest in channels.iter_rows()}
    identity = mq["smf116_wtid"].select("record_no", pl.col("wtidchl").alias("channel"))
    tasks = (
        mq["smf116_wq"]
        .join(identity, on="record_no")
        .group_by("channel")
        .agg(pl.col("validput", "validget", "putbytes", "getbytes").sum())
    )
    checked = 0
    for channel, puts, gets, put_bytes, got_bytes in tasks.iter_rows():
        if channel.startswith("SYQ") or channel.endswith(("SYQ1", "SYQ2", "SYQ3")):
            assert moved[channel][:2] == [puts + gets, put_bytes + got_bytes]
            checked += 1
    assert checked == 2


def test_channel_figures_are_possible(mq: Tables) -> None:
    c = mq["smf116_qcst"]
    assert (c["qcstfuba"] <= c["qcstbatc"]).all()
    messages = c.filter(pl.col("qcstbatc") > 0)
    assert (messages["qcstnmsg"] <= messages["qcstbatc"] * messages["qcstcbsz"]).all()
    sent = c.filter(pl.col("qcstchty") == 1)
    assert (sent["qcstbyst"] > sent["qcstnbyt"]).all()
    timed = c.filter(pl.col("qcstntav") > 0)
    assert timed.height
    assert (timed["qcstntmn"] <= timed["qcstntav"]).all()
    assert (timed["qcstntav"] <= timed["qcstntmx"]).all()
    assert (c["qcststrt"] < c["qcstcltm"]).all()


def test_channel_initiator_tasks_are_never_overworked(mq: Tables) -> None:
    interval = mq["smf115_qwhs"].select("record_no", "qwhsdurn")
    for table in ("smf115_qct_dsp", "smf115_qct_adp", "smf115_qct_ssl", "smf115_qct_dns"):
        tasks = mq[table].join(interval, on="record_no")
        assert (tasks["qctcptm"] <= tasks["qcteltm"]).all()
        assert (tasks["qcteltm"] + tasks["qctwttm"] == tasks["qwhsdurn"]).all()
    assert mq["smf115_qct_adp"]["qctreqn"].sum() > 1000


def test_logs_add_up(mq: Tables) -> None:
    log = mq["smf115_qjst"]
    ios = [sum(map(sum, row)) for row in log["qjstiocount"].to_list()]
    pages = [sum(map(sum, row)) for row in log["qjstioci"].to_list()]
    assert log["qjstlogw"].to_list() == ios
    assert log["qjstciwr"].to_list() == pages
    interval = mq["smf115_qwhs"].select("record_no", "qwhsdurn")
    idle = log.join(interval, on="record_no")
    assert (idle["qjstslptu"] > 0).all()
    assert (idle["qjstslptu"] <= idle["qwhsdurn"]).all()
    assert log["qjstwrf"].sum() == mq["smf116_wtas"]["wtasjcn"].sum()
    logged = mq["smf116_wtas"]["wtasjwb"].sum()
    assert 0 <= log["qjstbffl"].sum() * 4096 - logged < 4096 * log.height


def test_buffer_pools_agree_with_their_page_sets(dumps: dict[str, Tables]) -> None:
    for name in ("synthetic_mq_935", "synthetic_mq_1000"):
        pools, sets = dumps[name]["smf115_qpst"], dumps[name]["smf115_qis1"]
        written = sets["qis1dwpp"] + sets["qis1imwp"] + sets["qis1ckpp"]
        assert written.to_list() == pools["qpsttpw"].to_list()
        assert sets["qis1getp"].to_list() == pools["qpstrio"].to_list()
        assert (sets["qis1ppg"] + sets["qis1nppg"] + sets["qis1unpg"] <= sets["qis1topg"]).all()
        assert (pools["qpstrio"] <= pools["qpstgetp"]).all()
        assert (pools["qpstcbsl"] <= pools["qpstcbs"]).all()
        assert (pools["qpstcbs"] <= pools["qpstnbuf"]).all()
        assert (pools["qpstcbsl"] >= 0).all()


def test_one_buffer_pool_runs_short_of_buffers_once(syq1: Tables) -> None:
    pools = syq1["smf115_qpst"].sort("record_no")
    short = pools.filter(pl.col("qpstcbsl") < 0.15 * pl.col("qpstnbuf"))
    assert set(short["qpstpool"]) == {2}
    assert 1 <= short.height <= 3
    assert (short["qpstdwt"] > 0).all()
    assert pools["qpstrio"].sum() > 0
    reads = syq1["smf116_wq"].filter(pl.col("getpsn") > 0)
    assert set(reads["basename"]) == {"SYN.SETTLE.FILE"}
    assert reads["getpsn"].sum() == pools["qpstrio"].sum()


def test_shared_queues_agree_with_their_structure(syq1: Tables) -> None:
    own = syq1["smf115_qest"].filter(pl.col("qeststr") == "SYNAPPL1")
    tasks = syq1["smf116_wtas"]
    assert own["qestcsec"].sum() == tasks["wtascsec"].sum() > 0
    assert own["qestcmec"].sum() == tasks["wtascmec"].sum() > 0
    shared = syq1["smf116_wq"].filter(pl.col("cfstrucname") == "SYNAPPL1")
    requests = sum(sum(map(sum, row)) for row in shared["mqcfreq_cfcount"].to_list())
    assert requests == own["qestcsec"].sum() + own["qestcmec"].sum()


# --- storage manager


def test_records_of_the_storage_manager_have_no_qwhs(mq: Tables) -> None:
    """They have the time of their statistics, except the first one of the pools after a start."""
    storage = mq["smf_record"].filter(pl.col("record_subtype").is_in([5, 6, 7]))
    assert not set(storage["record_no"]) & set(mq["smf115_qwhs"]["record_no"])
    statistics = mq["smf_record"].filter(
        (pl.col("record_type") == 115) & (pl.col("record_subtype") == 1)
    )
    alone = storage.filter(~pl.col("smf_time").is_in(statistics["smf_time"].implode()))
    runs = 0 if not storage.height else 2 if "SYQ1" in set(storage["subsystem_id"]) else 1
    assert alone["record_subtype"].to_list() == [5] * runs


def test_the_first_statistics_after_a_restart_are_followed_by_another_record(syq1: Tables) -> None:
    kinds = syq1["smf_record"].filter(pl.col("record_subtype").is_in([1, 2, 215, 240]))
    order = kinds.filter(pl.col("record_type") == 115)["record_subtype"].to_list()
    (at,) = [i for i, subtype in enumerate(order) if subtype == 240]
    assert order[at - 3 : at + 1] == [1, 2, 215, 240]
    numbers = syq1["smf115_qwhs"].filter(pl.col("record_subtype") == 240)["qwhsiseq"]
    assert numbers.to_list() == [1]


# --- accounting


def test_queues_that_do_not_fit_go_into_another_record(syq1: Tables) -> None:
    overflow = syq1["smf116_wq"].filter(pl.col("record_subtype") == 2)
    first = syq1["smf116_wq"].filter(pl.col("record_subtype") == 1)
    assert overflow.height
    assert set(overflow["correl"]) <= set(first["correl"])
    # The number of queues in WTAS is that of both records.
    counted = syq1["smf116_wtas"].filter(pl.col("wtaswqct") > 10)
    assert counted["wtaswqct"].sum() == overflow.height + 10 * counted.height
    assert syq1["smf_record"]["length"].max() < 32_760


def test_queues_and_their_task_have_the_same_correlator(mq: Tables) -> None:
    made = {}
    columns = [pl.col("wtasstrt").dt.epoch("us"), "wtasmthr", "wtaswtas"]
    for number, us, *blocks in mq["smf116_wtas"].select("record_no", *columns).iter_rows():
        made[number] = ((us + US_1900_TO_1970) << 12).to_bytes(8) + b"".join(blocks)
    queues = mq["smf116_wq"].filter(pl.col("record_subtype") == 1)
    assert queues.height > 10
    for number, correlator in queues.select("record_no", "correl").iter_rows():
        assert made[number] == correlator


def test_accounting_intervals_follow_each_other(mq: Tables) -> None:
    for _, rows in mq["smf116_wtas"].sort("record_no").group_by("wtasmthr", "wtasstrt"):
        assert (rows["wtasints"] < rows["wtasinte"]).all()
        assert rows["wtasints"].to_list()[1:] == rows["wtasinte"].to_list()[:-1]


def test_a_task_without_queues_has_no_pointer_to_them(mq: Tables) -> None:
    idle = mq["smf116_wtas"].filter(pl.col("wtaswqct") == 0)
    assert idle.height
    lengths = mq["smf_record"].join(idle.select("record_no"), on="record_no")["length"]
    block = 16 if "smf116_qwhx" in mq else 0
    assert set(lengths) == {28 + 3 * 8 + 36 + 92 + block + 208 + 2344}


def test_cpu_times_are_less_than_elapsed_times(mq: Tables) -> None:
    queues = mq["smf116_wq"]
    for verb in ("open", "close", "get", "put", "put1"):
        assert (queues[f"{verb}ct"] <= queues[f"{verb}et"]).all()
    tasks = mq["smf116_wtas"]
    assert (tasks["wtascmct"] <= tasks["wtascmet"]).all()
    assert (tasks["wtasjwet"] <= tasks["wtascmet"]).all()


def test_jobs_that_end_write_their_clocks(syq1: Tables) -> None:
    assert set(syq1["smf116_qwhc"].filter(pl.col("record_subtype") == 0)["qwhccn"]) == {
        "SYNLOAD",
        "SYNPOST",
    }
    sizes = syq1["smf116_qmac"]
    queues = syq1["smf116_wq"].filter(pl.col("basename") == "SYN.SETTLE.FILE")
    assert sizes["qmacputd"].sum() == queues["validput"].sum() > 0
    assert (syq1["smf116_qwac"]["qwacejst"] >= syq1["smf116_qwac"]["qwacbjst"]).all()


# --- AMS


def test_audit_records_are_valid(dumps: dict[str, Tables]) -> None:
    tables = dumps["synthetic_ams"]
    data = tables["smf180_data"]
    assert data.height == tables["smf180_product"].height == 240
    assert tables["smf180_recipient"].height == data["rb41nrc"].sum() > 0
    failed = data.filter(pl.col("rb41dec") == 4)
    assert 0 < failed.height < 30
    assert (failed["rb41rsn"] == 2063).all()
    assert (data.filter(pl.col("rb41dec") == 2)["rb41aud"] == 0).all()
    assert data["queue_name"].str.starts_with("SYN.PAY").all()
    moved = data.filter(pl.col("rb41act").is_in([2, 3, 4]))
    assert (moved["message_id"].bin.size() == 24).all()
    names = tables["smf180_recipient"]["rb41rcrp"]
    assert names.str.starts_with("CN=syn-recipient-").all()
