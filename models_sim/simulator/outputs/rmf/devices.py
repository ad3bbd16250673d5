"""Write RMF's Direct Access Device Activity and Crypto Hardware Activity reports.

Device rates have three decimals; device times (ms) have as many as fit into four characters;
connect and utilisation percentages have two, others one. Card rates have two decimals, execution
times (ms) three, utilisation one. Every figure of a line must be present, because RMF prints all of
them.
"""

from __future__ import annotations

from itertools import zip_longest

from models_sim.simulator.outputs.rmf.page import figure, line, page, reports
from models_sim.simulator.outputs.text import Row, Tables, fitting

__all__ = ["CRYPTO", "DASD", "write_crypto", "write_dasd"]

_TIMES = ("avg_resp_time_ms", "avg_iosq_time_ms", "avg_cmr_dly_ms", "avg_db_dly_ms",
          "avg_int_dly_ms", "avg_pend_time_ms", "avg_disc_time_ms", "avg_conn_time_ms")  # fmt: skip
DASD = ("storage_group", "dev_num", "device_type", "number_of_cyl", "volume_serial", "pav",
        "pav_number", "lcu", "device_activity_rate", *_TIMES, "dev_conn_pct", "dev_util_pct",
        "dev_resv_pct", "avg_nmbr_alloc", "any_alloc_pct")  # fmt: skip
CRYPTO = ("section", "card_type", "card_id", "operation", "rate", "exec_time_ms", "util_pct")
_DASD_HEADING = (
    f"{'':49}DEVICE   AVG  AVG   AVG  AVG  AVG   AVG  AVG  AVG    %      %     %     AVG    %",
    (
        "STORAGE   DEV  DEVICE   NUMBER  VOLUME PAV  LCU  ACTIVITY RESP IOSQ  CMR  DB   INT"
        "   PEND DISC CONN   DEV    DEV   DEV   NMBR   ANY"
    ),
    (
        " GROUP    NUM  TYPE     OF CYL  SERIAL           RATE     TIME TIME  DLY  DLY  DLY"
        "   TIME TIME TIME   CONN   UTIL  RESV  ALLOC  ALLOC"
    ),
)
_DASD_TIME_ENDS = (62, 67, 73, 78, 83, 89, 94, 99)
_DASD_ENDS = (106, 113, 119, 126, 133)
_SECTIONS = {
    "CCA COPROCESSOR": (
        "          -------- TOTAL --------  KEY-GEN",
        " TYPE  ID    RATE  EXEC TIME UTIL%    RATE",
    ),
    "PKCS11 COPROCESSOR": (
        " TYPE  ID    RATE  EXEC TIME UTIL%  FUNCTION          RATE  EXEC TIME UTIL%",
    ),
    "ACCELERATOR": (
        (
            "          -------- TOTAL --------    KEY   - ME-FORMAT RSA OPERATIONS -"
            "  - CRT-FORMAT RSA OPERATIONS -"
        ),
        (
            " TYPE  ID    RATE  EXEC TIME UTIL%           RATE  EXEC TIME UTIL%"
            "          RATE  EXEC TIME UTIL%"
        ),
    ),
}


def write_dasd(tables: Tables) -> list[str]:
    """Return the reports of rmf_dasd."""
    printed: list[str] = []
    for heading, rows in reports(tables, {"rmf_dasd": DASD}):
        printed += page("DIRECT ACCESS DEVICE ACTIVITY", heading)
        printed += [*_DASD_HEADING, *map(_device, rows["rmf_dasd"])]
    return printed


def _device(row: Row) -> str:
    group = row["storage_group"] or ""
    pav = row["pav"] or figure(row["pav_number"], 0)
    percents = zip(
        _DASD_ENDS,
        (("dev_conn_pct", 2), ("dev_util_pct", 2), ("dev_resv_pct", 1), ("avg_nmbr_alloc", 1),
         ("any_alloc_pct", 1)),
        strict=True,
    )  # fmt: skip
    cells = [
        (len(group), group), (14, row["dev_num"]), (20, row["device_type"] or ""),
        (30, figure(row["number_of_cyl"], 0)), (38, row["volume_serial"]), (42, pav),
        (47, row["lcu"]), (56, figure(row["device_activity_rate"], 3)),
        *((end, _time(row[name])) for end, name in zip(_DASD_TIME_ENDS, _TIMES, strict=True)),
        *((end, figure(row[name], decimals)) for end, (name, decimals) in percents),
    ]  # fmt: skip
    return line(*((end, text) for end, text in cells if text))


def _time(value: float) -> str:
    """Return milliseconds in four characters, without a zero before the decimal point."""
    return fitting(4, *(f"{value:.{n}f}".removeprefix("0") for n in (3, 2, 1)), f"{value:.0f}")


def write_crypto(tables: Tables) -> list[str]:
    """Return the reports of rmf_crypto."""
    printed: list[str] = []
    for heading, rows in reports(tables, {"rmf_crypto": CRYPTO}):
        printed += page("CRYPTO HARDWARE ACTIVITY", heading)
        sections: dict[str, dict[tuple[str, int], list[Row]]] = {}
        for row in rows["rmf_crypto"]:
            cards = sections.setdefault(row["section"], {})
            cards.setdefault((row["card_type"], row["card_id"]), []).append(row)
        for section, cards in sections.items():
            printed += [f"-------- CRYPTOGRAPHIC {section} --------", *_SECTIONS[section]]
            for (kind, number), operations in cards.items():
                printed += _card(f" {kind:<5} {number:>2}", section, operations)
            printed.append("")
    return printed


def _card(name: str, section: str, operations: list[Row]) -> list[str]:
    """Return a card's line with its total, and its operations beside and below it."""
    total, *others = operations
    first = f"{name} {_figures(total)}"
    if section == "CCA COPROCESSOR":
        return [first + "".join(f" {row['rate']:7.2f}" for row in others)]
    if section == "PKCS11 COPROCESSOR":
        beside = [f"  {row['operation']:<14}{_figures(row)}" for row in others]
    else:
        pairs = zip(others[::2], others[1::2], strict=True)
        beside = [
            f"   {me['operation'].partition('-')[2]:>4}  {_figures(me)}     {_figures(crt)}"
            for me, crt in pairs
        ]
    lines = zip_longest([first], beside, fillvalue="")
    return [f"{front or ' ' * len(first)}{back}" for front, back in lines]


def _figures(row: Row) -> str:
    return f"{row['rate']:8.2f} {row['exec_time_ms']:9.3f} {row['util_pct']:5.1f}"
