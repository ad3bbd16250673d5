"""docs/manifest.md is what the model says, and its example is a manifest."""

import re

from ingest.formats.bench import manifest
from scripts.manifest_page import PAGE, text


def test_the_page_is_that_of_the_model():
    again = "python -m scripts.manifest_page writes it again"
    assert PAGE.read_text("utf-8") == text(), again


def test_its_example_is_read_without_a_fault():
    example = re.findall(r"```toml\n(.*?)```", text(), re.DOTALL)[0]
    parsed = manifest.parse(example.encode())
    assert parsed.rejected == []
    levels = parsed.tables["bench_run_factor"].select("factor", "value").rows()
    assert ("x_compression_level", "6") in levels
    assert parsed.tables["bench_measurement"]["value"].to_list() == [71.15]
