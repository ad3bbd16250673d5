"""What a drawing of systems shows."""

from __future__ import annotations

import json

from app.charts.topology import systems
from tests.kit.cases import cases

MACHINES = [{"system": name, "sysplex": "PLEX", "machine": "z16", "cps": 4, "ziips": 2}
            for name in ("MVS1", "MVS2")]  # fmt: skip
MANAGERS = [{"queue_manager": f"MQ{n}", "system": f"MVS{n}"} for n in (1, 2)]
PARTS = dict.fromkeys(("machines", "managers", "channels", "facilities", "disks", "partners"), ())
PAIRS = [{"queue_manager": "MQ1", "remote": "MQ2", "channels": 4},
         {"queue_manager": "MQ1", "remote": "elsewhere", "channels": 1}]  # fmt: skip


@cases
def test_systems_are_drawn_with_what_connects_them(
    parts: dict[str, list[dict[str, object]]], shown: list[str], arrows: int
) -> None:
    spec = systems(PARTS | parts, width=700)
    drawn = json.dumps(spec)
    assert [text for text in shown if json.dumps(text)[1:-1] not in drawn] == []
    assert len(spec["layer"][1]["data"]["values"]) == arrows
