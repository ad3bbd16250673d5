"""Many random lives of a warehouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.lives import lives


@pytest.mark.timeout(4 * 3600)
def test_what_changed_step_by_step_equals_a_build_of_everything(days: Path) -> None:
    lives(days, number=50, changes=4)
