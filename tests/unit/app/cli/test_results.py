"""The CI jobs of the documents; other comparisons of results are sessions."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from app.pipeline.places import ROOT


def k6(rate, p95, name=None):
    """Return a summary of k6; with a name, of a trend of one's own."""
    metrics = {"http_reqs": {"rate": rate}, name or "http_req_duration": {"avg": 1, "p(95)": p95}}
    return json.dumps({"metrics": metrics})


@pytest.mark.parametrize("number", [0, 1])
def test_the_ci_jobs_of_the_page_measure_and_compare(tmp_path, monkeypatch, number):
    """All but what installs and comments is run, with git and bench.sh of the test."""
    page = (ROOT / "docs" / "pull-requests.md").read_text("utf-8")
    job = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[number])
    if number == 0:
        steps = [step.get("run", "") for step in job["jobs"]["performance"]["steps"]]
    else:
        steps = job["performance"]["script"]
    kept = [step for step in steps if step and not step.startswith(("pip ", "gh "))]
    here, base, tools = (tmp_path / name for name in ("here", "base", "tools"))
    for folder, p95 in ((here, 44), (base, 40)):
        folder.mkdir()
        script = f"#!/bin/sh\necho '{k6(1000, p95)}' | sed s/{p95}/{p95}.$$/\n"
        (folder / "bench.sh").write_text(script)
        (folder / "bench.sh").chmod(0o755)
    tools.mkdir()
    (tools / "git").symlink_to(shutil.which("true"))
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(kept)], cwd=here, check=False,
        env=os.environ | {"PATH": path},
    )  # fmt: skip
    assert done.returncode == 1
    assert (here / "comparison.md").read_text().startswith("### Worse: `candidate`")
