from __future__ import annotations

from pathlib import Path

import pytest

from expectations.limits import LIMITS_FILE, read_limits
from ingest.base.errors import SettingsError
from tests.kit.cases import cases


def test_limits_of_the_project_are_read() -> None:
    limits = read_limits()
    assert limits.gap_seconds == 1.0
    assert set(limits.queue_manager_subtypes) <= set(limits.subtypes)


@cases
def test_invalid_key_is_named(old: str, new: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    text = LIMITS_FILE.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(SettingsError, match=words):
        read_limits(file)
