"""A few random lives of a warehouse; tests/system has many."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.lives import lives


@pytest.mark.timeout(1800)
def test_what_changed_step_by_step_equals_a_build_of_everything(days: Path) -> None:
    lives(days, number=2, changes=2)
