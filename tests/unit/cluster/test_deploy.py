"""What deploy/ says exists: settings, files, secrets."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.pipeline.places import ROOT

DEPLOY = ROOT / "deploy"
#: Airflow's scheduler reads it, but does not describe it.
UNDESCRIBED = {("scheduler", "num_stuck_in_queued_retries")}


def pairs(file: Path) -> dict[str, str]:
    """The settings in a file of NAME=VALUE."""
    lines = (line.strip() for line in file.read_text().splitlines())
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


SETTINGS = pairs(DEPLOY / "settings.env")
SECRETS = pairs(DEPLOY / "secrets.env.example")
COMPOSE = (DEPLOY / "compose.yaml").read_text()
IN_COMPOSE = set(re.findall(r"^\s+([A-Z][A-Z0-9_]+):", COMPOSE, re.MULTILINE))
NAMES = sorted({*SETTINGS, *SECRETS, *IN_COMPOSE})


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    """Airflow's configuration by section, with that of the Celery provider if it is installed."""
    from airflow.configuration import retrieve_configuration_description

    found: dict[str, Any] = retrieve_configuration_description(include_providers=False)
    if find_spec("airflow.providers.celery"):
        from airflow.providers.celery.get_provider_info import get_provider_info

        found = found | get_provider_info()["config"]
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("AIRFLOW__")])
def test_airflow_has_each_setting(name: str, described: dict[str, Any]) -> None:
    _, section, option = name.lower().split("__", 2)
    if section.startswith("celery") and not find_spec("airflow.providers.celery"):
        pytest.skip("needs Airflow's Celery provider: make cluster")
    if (section, option) in UNDESCRIBED:
        from airflow.jobs import scheduler_job_runner

        assert f'"{option}"' in Path(str(scheduler_job_runner.__file__)).read_text()
    else:
        assert option in described[section]["options"]


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("PERFHOUSE_")])
def test_perfhouse_or_the_script_reads_each_setting(name: str) -> None:
    code = [*ROOT.glob("app/**/*.py"), *ROOT.glob("dags/*.py"), *ROOT.glob("ingest/**/*.py")]
    used = [*code, DEPLOY / "compose.yaml", DEPLOY / "prepare.sh"]
    places = [file for file in used if name in file.read_text()]
    assert places
    if name in SETTINGS:
        assert set(places) - {DEPLOY / "compose.yaml"}


def test_nothing_is_told_to_others() -> None:
    quiet = pairs(ROOT / "scripts/quiet.env")
    assert quiet.items() <= SETTINGS.items()


def test_the_broker_offers_no_task_again_while_it_may_run() -> None:
    from app.schedule.tasks import DEFAULTS

    again = SETTINGS["AIRFLOW__CELERY_BROKER_TRANSPORT_OPTIONS__VISIBILITY_TIMEOUT"]
    assert int(again) > DEFAULTS["execution_timeout"].total_seconds()


def test_each_variable_of_the_compose_file_is_a_secret_to_fill_in() -> None:
    assert set(re.findall(r"(?<!\$)\$\{(\w+)", COMPOSE)) == SECRETS.keys()
    assert not SECRETS.keys() & SETTINGS.keys()


def test_each_service_of_the_compose_file_is_complete() -> None:
    compose = yaml.safe_load(COMPOSE)
    services = compose["services"]
    volumes, configs = compose["volumes"].keys(), compose["configs"]
    for service in services.values():
        assert service["image"]
        assert set(service.get("depends_on", ())) <= services.keys()
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in {*volumes, "./sign-in.toml"}
        assert {c["source"] for c in service.get("configs", [])} <= configs.keys()
        if "env_file" in service:
            assert (DEPLOY / service["env_file"]).is_file()
    for config in configs.values():
        assert "content" in config or (DEPLOY / config["file"]).is_file()
    assert {"api-server", "scheduler", "dag-processor", "triggerer", "worker"} <= services.keys()


def test_the_chart_takes_the_settings_from_the_same_file() -> None:
    values = yaml.safe_load((DEPLOY / "values.yaml").read_text())
    (settings,) = yaml.safe_load(values["extraEnvFrom"])
    name = settings["configMapRef"]["name"]
    page = (DEPLOY / "README.md").read_text()
    assert f"configmap {name} --from-env-file=deploy/settings.env" in page
    named = re.findall(r"^\s*\w+SecretName: (\S+)|jwtSecretName: (\S+)",
                       (DEPLOY / "values.yaml").read_text(), re.MULTILINE)  # fmt: skip
    for secret in {one or other for one, other in named}:
        assert secret in page


def test_the_image_has_the_dags_of_the_wheel_and_the_user_of_the_volumes() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    in_wheel = build["targets"]["wheel"]["sources"]["dags"]
    assert re.findall(r"DAGS_FOLDER=(\S+)", dockerfile) == [
        f"/usr/local/lib/python3.11/site-packages/{in_wheel}"
    ]
    assert re.findall(r"^FROM python:([\d.]+)-", dockerfile, re.MULTILINE) == ["3.11"]
    users = re.findall(r"--uid (\d+)", dockerfile)
    assert users == re.findall(r"^user=(\d+)", (DEPLOY / "prepare.sh").read_text(), re.MULTILINE)
