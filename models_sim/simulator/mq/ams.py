"""SMF 180 of a synthetic system: audit records of Advanced Message Security."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from models_sim.simulator.mq.dump import Dump, Row

__all__ = ["add_audit"]

_OPEN, _GET, _PUT, _PUT1, _CLOSE = range(1, 6)
_GRANTED, _DENIED = 2, 4
_INTEGRITY, _PRIVACY, _CONFIDENTIALITY = 2, 3, 4
_SHA_256, _AES_256 = 5, 5
_SECURITY_ERROR = 2063  # MQRC_SECURITY_ERROR
_PROTECTED = (  # queue, quality of protection, recipients
    ("SYN.PAYMENT.REQUEST", _PRIVACY, 2),
    ("SYN.PAYMENT.REPLY", _INTEGRITY, 0),
    ("SYN.PAYROLL.FILE", _CONFIDENTIALITY, 3),
)
_JOBS = (("SYNPAY01", "SYNUSR1"), ("SYNPAY02", "SYNUSR2"), ("SYNROLL", "SYNUSR3"))


def add_audit(
    dump: Dump,
    manager: str,
    start: datetime,
    seconds: float,
    records: int,
    rng: np.random.Generator,
) -> None:
    """Add `count` records at random moments from the UTC moment `start` on."""
    for at in np.sort(rng.uniform(0, seconds, records)).tolist():
        moment = start + timedelta(microseconds=round(at * 1e6))
        data, recipients = _data(dump.system, manager, rng)
        product = {
            "smfb4ver": 10,
            "smfb4fmi": "SYNTHET",
            "smfb4mvs": "SYNTHETIC SYSTEM",
        }
        tables = {
            "smf180_product": [product],
            "smf180_data": [data],
            "smf180_recipient": [{"rb41rcrp": name} for name in recipients],
        }
        dump.add(moment, 180, 0, {"smfrecssid": manager, "smfrecsty": 1}, tables)


def _data(system: str, manager: str, rng: np.random.Generator) -> tuple[Row, list[str]]:
    queue, protection, most = _PROTECTED[int(rng.integers(len(_PROTECTED)))]
    job, user = _JOBS[int(rng.integers(len(_JOBS)))]
    action = int(rng.choice([_GET, _PUT, _PUT1, _OPEN, _CLOSE], p=[0.42, 0.4, 0.08, 0.05, 0.05]))
    denied = bool(rng.random() < 0.04)
    moves = action in {_GET, _PUT, _PUT1}
    # The audit codes of failures. Failed opens and closes have no code of their own.
    failure = {_GET: 5, _PUT: 34, _PUT1: 34}.get(action, 0)
    recipients = [f"CN=syn-recipient-{i},O=Synthetic,C=GB" for i in range(1, most + 1)]
    row: Row = {
        "rb41jbn": job,
        "rb41usr": user,
        "rb41sys": system,
        "rb41plx": "SYNPLEX",
        "rb41act": action,
        "rb41rsn": _SECURITY_ERROR if denied else 0,
        "rb41aud": failure if denied else 0,
        "rb41dec": _DENIED if denied else _GRANTED,
        "rb41pop": protection,
        "rb41sga": _SHA_256 if protection in {_INTEGRITY, _PRIVACY} else 0,
        "rb41enc": _AES_256 if protection in {_PRIVACY, _CONFIDENTIALITY} else 0,
        "rb41fmt": "MQSTR" if moves else "",
        "rb41kru": int(rng.integers(0, 64)) if protection == _CONFIDENTIALITY and moves else 0,
        "object_name": queue,
        "queue_name": queue,
        "queue_manager_name": manager,
        "sender_identity": f"CN={user.lower()},O=Synthetic,C=GB" if moves else "",
    }
    if moves:
        row["message_id"] = b"CSQ " + manager.encode().ljust(12) + rng.bytes(8)
    return row, recipients if moves else []
