"""The first hour as a new user lives it: shell as it stands on the pages, in a fresh clone.

The folder of the user is empty. Only the packages are not downloaded again: `.venv` is an
environment of the clone that takes them from this one.
"""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from urllib.request import urlopen

import pytest

from app.pipeline.places import ROOT

#: What ends with another status than 0: the page says so.
FOUND = {"perfhouse run first/web.csv", "perfhouse compare b020..b029 b030..b039"}
SERVES = {"perfhouse dashboard", "make run"}
#: What follows the tutorial: a command, its status, and what it says.
AND_THEN = [
    ("mkdir first/dumps && cp first/records/smf/* first/dumps && echo hello >first/dumps/notes.txt",
     0, ""),
    ("perfhouse init first/dumps", 0, "notes.txt: not recognised"),
    ("perfhouse run first/dumps --dry-run", 0, "a form of 'perfhouse init' to complete"),
    ("perfhouse run first/dumps", 0, "no known form: notes.txt"),
    ("perfhouse run first/dumps", 0, "health: 0 alarms"),
    ("perfhouse health", 0, "0 alarms"),
    ("export PERFHOUSE_WAREHOUSE=first/web.duckdb", 0, ""),
    ("echo 2026-03-01T03:00:00+00:00,b050,64,920,43.1 >>first/web.csv", 0, ""),
    ("perfhouse run first/web.csv", 1, "1 file: 1 loaded"),
    ("perfhouse sql 'SELECT count(*) AS n FROM fct_run' --format csv", 0, "51"),
    ("unset PERFHOUSE_WAREHOUSE", 0, ""),
    ("head -c 3000 first/records/smf/MVS1.smf >cut.smf && perfhouse ingest cut.smf", 0, ""),
    ("make run SERVE=0", 2, "Error 1"),
    ("make run", 0, "error: "),
]  # fmt: skip


def commands_of(page: Path) -> list[str]:
    """Return the commands of a page: the indented lines, with the text that one of them reads."""
    blocks = re.findall(r"(?:^    .*\n|^\n)+", page.read_text("utf-8"), re.MULTILINE)
    text = re.sub(r"^    ", "", "".join(blocks), flags=re.MULTILINE)
    return re.findall(r"^(.* <<'END'\n(?:.*\n)*?END|[a-z].*)$", text, re.MULTILINE)


class User:
    """Somebody at a shell in a clone; what is exported stays."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.state = folder / "perfhouse", folder / "state"
        (folder / "home").mkdir()
        self.state.write_text("export PERFHOUSE_WAREHOUSE=elsewhere.duckdb\n")
        self.environment = {"HOME": str(folder / "home"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        subprocess.run(["git", "clone", "--quiet", ROOT, self.clone], check=True)
        own = self.clone / ".venv"
        venv.create(own)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(own)}))
        shared = sysconfig.get_path("purelib")
        (packages / "shared.pth").write_text(f"{self.clone}\n{shared}\n")
        run = f"#!{own}/bin/python\nimport sys\nfrom app.cli.main import main\nsys.exit(main())\n"
        (own / "bin/perfhouse").write_text(run)
        (own / "bin/perfhouse").chmod(0o755)
        (own / ".ready").touch()

    def types(self, command: str) -> tuple[int, str]:
        """Run a command; return its status and what it printed. What serves is stopped."""
        script = f". {self.state}\n{command}\ns=$?\nexport -p >{self.state}\nexit $s\n"
        with subprocess.Popen(
            ["sh", "-c", script], cwd=self.clone, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        ) as shell:  # fmt: skip
            assert shell.stdout
            said = ""
            for line in shell.stdout:
                said += line
                if command in SERVES and (found := re.search(r"dashboard: (http\S+)", line)):
                    answer = opened(found[1])
                    os.killpg(shell.pid, signal.SIGTERM)
                    return answer, said + shell.stdout.read()  # until it has ended
            return shell.wait(), said


def opened(address: str) -> int:
    """Return 0 once a page is there."""
    for _ in range(120):
        try:
            with urlopen(address, timeout=5) as page:
                return int(page.status != 200)
        except OSError:
            subprocess.run(["sleep", "0.5"], check=True)
    return 1


@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="sessions of a shell")
def test_the_first_hour(tmp_path: Path) -> None:
    user = User(tmp_path)
    said = {}
    for command in commands_of(ROOT / "docs/tutorial.md"):
        status, said[command] = user.types(command)
        assert status == (command in FOUND), f"{command}: {said[command]}"
    assert len(said) > 15
    assert_what_the_page_says(said)
    assert (tmp_path / "perfhouse/first/regressions.md").stat().st_size > 500
    for command, expected, words in AND_THEN:
        status, printed = user.types(command)
        assert status == expected, f"{command}: {printed}"
        assert words in printed, f"{command}: {printed}"
    assert not [*(tmp_path / "home").glob("[!.]*")]


def assert_what_the_page_says(said: dict[str, str]) -> None:
    """Assert what the tutorial tells of the answers."""
    said = {command: " ".join(text.split()) for command, text in said.items()}
    (verdict,) = (text for command, text in said.items() if "machine=z16" in command)
    assert re.search(r"\d+ better, \d+ undecided", verdict)
    assert "worse" not in verdict
    dry = said["perfhouse run first/web.csv --dry-run"]
    assert "clients factor" in dry
    assert re.search(r"p95_ms figure p95 ms less is better", dry)
    assert "build b030" in said["perfhouse run first/web.csv"]
    (rates,) = (text for command, text in said.items() if "rate_mb_per_second" in command)
    assert rates.endswith("4 rows")
