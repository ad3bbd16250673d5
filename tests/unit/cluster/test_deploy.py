"""What deploy/ says exists: settings, files, secrets; and what its services may do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from configparser import ConfigParser
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
IMAGES = pairs(DEPLOY / ".env")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES, SECRETS = COMPOSE["services"], COMPOSE["secrets"]
IN_COMPOSE = {name for service in SERVICES.values() for name in service.get("environment", ())}
NAMES = sorted({*SETTINGS, *IN_COMPOSE})


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
    _, section, option = name.lower().removesuffix("_cmd").split("__", 2)
    if section.startswith("celery") and not find_spec("airflow.providers.celery"):
        pytest.skip("needs Airflow's Celery provider: make cluster")
    if (section, option) in UNDESCRIBED:
        from airflow.jobs import scheduler_job_runner

        assert f'"{option}"' in Path(str(scheduler_job_runner.__file__)).read_text()
    else:
        is_secret = described[section]["options"][option].get("sensitive", False)
        assert is_secret == name.endswith("_CMD")  # Airflow runs no command for others


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


def test_each_service_of_the_compose_file_is_complete() -> None:
    volumes, configs = COMPOSE["volumes"].keys(), COMPOSE["configs"]
    for service in SERVICES.values():
        assert service["image"].strip("${:?}") in {*IMAGES, "perfhouse"}
        assert set(service.get("depends_on", ())) <= SERVICES.keys()
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in {*volumes, "/tmp"}
        assert {c["source"] for c in service.get("configs", [])} <= configs.keys()
        if "env_file" in service:
            assert (DEPLOY / service["env_file"]).is_file()
    assert all((DEPLOY / config["file"]).is_file() for config in configs.values())
    # Compose would copy what is no file into the container, which it cannot if that is read-only.
    assert all(secret == {"file": f"./secrets/{name}"} for name, secret in SECRETS.items())
    assert {"api-server", "scheduler", "dag-processor", "triggerer", "worker"} <= SERVICES.keys()


USERS = {"postgres", "valkey", "1000:1000"}  # of the images, and not root


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_locked(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"cap_add", "devices", "ipc", "network_mode", "pid", "privileged"} & service.keys()
    assert service.get("user") in ({None} if service["image"] == "perfhouse" else USERS)


@pytest.mark.parametrize("name", SERVICES)
def test_a_secret_is_read_from_its_file_alone(name: str) -> None:
    service = SERVICES[name]
    environment = service.get("environment", {})
    files = [COMPOSE["configs"][config["source"]]["file"] for config in service.get("configs", [])]
    parts = [service.get(key) for key in ("command", "entrypoint", "healthcheck")]
    said = str([*parts, *environment.values(), *((DEPLOY / file).read_text() for file in files)])
    assert not re.search(r"--password|(?i:\$\{\w*(pass|secret|key))", said)
    assert {*re.findall(r"/run/secrets/([\w.-]+)", said)} == {*service.get("secrets", ())}
    for variable, value in environment.items():
        if re.search("PASSWORD|SECRET|_KEY|CONN|BACKEND|BROKER", variable):
            assert variable == "AWS_ACCESS_KEY_ID" or "/run/secrets/" in value


def ran(script: str, folder: Path, **environment: str) -> None:
    """Run a script of deploy/ in a folder."""
    shutil.copy(DEPLOY / script, folder)
    subprocess.run(["sh", folder / script], check=True, env=os.environ | environment)


def test_secrets_are_made_once_and_for_their_owner(tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/fernet_key").write_text("mine")
    ran("secrets.sh", tmp_path)
    made = {file.name: file.read_text() for file in (tmp_path / "secrets").iterdir()}
    assert made.keys() | {"sign-in.toml"} == SECRETS.keys()
    assert made.pop("fernet_key") == "mine"
    assert all(re.fullmatch(r"[\w-]{43}=", secret) for secret in made.values())
    assert len({*made.values()}) == len(made)
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    ran("secrets.sh", tmp_path)
    assert (tmp_path / "secrets/jwt_secret").read_text() == made["jwt_secret"]


def test_images_are_pinned_to_what_their_tags_mean_now(tmp_path: Path) -> None:
    shutil.copy(DEPLOY / ".env", tmp_path)
    (tmp_path / "docker").write_text('#!/bin/sh\necho "sha256:$DIGIT $6"\n')
    (tmp_path / "docker").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    for digit in "12":
        ran("pin.sh", tmp_path, PATH=path, DIGIT=digit)
    tags = {name: image.partition("@")[0] for name, image in IMAGES.items()}
    pinned = {name: f"{tag}@sha256:2 {tag}" for name, tag in tags.items()}
    assert pairs(tmp_path / ".env") == pinned


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
    assert re.findall(r"^FROM (.*)", dockerfile, re.MULTILINE) == ["${PYTHON_IMAGE}"]
    assert "\nUSER airflow\n" in dockerfile
    assert IMAGES["PYTHON_IMAGE"].startswith("python:3.11-")
    (user,) = re.findall(r"--uid (\d+)", dockerfile)
    assert SERVICES["worker"]["tmpfs"] == [f"/opt/airflow:uid={user},mode=0700"]
    assert f"install -o {user} -m 600" in (DEPLOY / "README.md").read_text()


COMMANDS = {
    name: [str(word).replace("$$", "$") for word in service.get("entrypoint") or service["command"]]
    for name, service in SERVICES.items()
    if "entrypoint" in service or "command" in service
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_program_of_a_service_takes_its_command(name: str) -> None:
    program, *rest = COMMANDS[name]
    if program == "airflow":
        from airflow.cli.cli_parser import get_parser

        if rest[0] == "celery" and not find_spec("airflow.providers.celery"):
            pytest.skip("needs Airflow's Celery provider: make cluster")
        get_parser().parse_args(rest)
    elif rest[0] == "-c":
        subprocess.run(["sh", "-n"], input=rest[1], text=True, check=True)
        for line in re.findall(r"exec perfhouse (.*)", rest[1]):
            from app.cli.main import _parser

            _parser().parse_args(line.split())
    else:
        assert (DEPLOY / Path(rest[0]).name).is_file()
        subprocess.run(["sh", "-n", DEPLOY / Path(rest[0]).name], check=True)


def test_airflow_gets_addresses_with_the_secrets_in_them(tmp_path: Path) -> None:
    for name in SECRETS:
        (tmp_path / name).write_text(f"<{name}>")
    for variable, value in SERVICES["worker"]["environment"].items():
        if variable.endswith("_CMD"):
            command = value.replace("$$", "$").replace("/run/secrets", str(tmp_path))
            done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
            assert re.search(r"<\w+>", done.stdout)
            assert done.stderr == ""


#: What runs of a night, which step of it fails, and its status.
NIGHT = ["run", "report", "retain", "backup"]
NIGHTS = {"": 0, "run": 2, "backup": 2, "locked": 75}


@pytest.mark.parametrize(("failing", "status"), NIGHTS.items())
def test_a_night_does_every_step_and_tells_of_those_that_fail(
    failing: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "perfhouse").write_text(
        f'#!/bin/sh\necho $1 >>"{tmp_path}/steps"\necho no space >&2\necho missing\n'
        f'[ "$1" != "{failing}" ] || exit 2\n'
        f'[ "$1" != notify ] || echo "$3" >"{tmp_path}/told"\n[ "$1" != run ] || exit 1\n'
    )
    (tmp_path / "perfhouse").chmod(0o755)
    given = {"WAREHOUSE": "w", "LANDING": "landing", "BACKUP": "backups", "HOME": "home"}
    environment = {f"PERFHOUSE_{name}": str(tmp_path / place) for name, place in given.items()}
    environment["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
    command = ["sh", DEPLOY / "night.sh"]
    if failing == "locked":
        command = ["flock", tmp_path / "w.night", *command]
    done = subprocess.run(
        command, env=os.environ | environment, check=False, stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == status
    assert ("still at work" in done.stderr) == (status == 75)
    if status != 75:
        told = ["notify"] * (status == 2)
        assert (tmp_path / "steps").read_text().split() == NIGHT + told
    if status == 2:
        assert (tmp_path / "told").read_text() == f"{failing}: no space; \n"


def test_the_timer_starts_the_service_that_runs_the_night() -> None:
    units = {suffix: ConfigParser(strict=False) for suffix in ("service", "timer")}
    for suffix, unit in units.items():
        unit.optionxform = str  # type: ignore[method-assign, assignment]
        unit.read(DEPLOY / f"perfhouse-night.{suffix}")
    assert units["service"]["Service"]["ExecStart"] == "/opt/perfhouse/night.sh"
    assert units["timer"]["Timer"]["Persistent"] == "true"
    page = (DEPLOY / "README.md").read_text()
    for name in re.findall(r"\$\{(PERFHOUSE_\w+):\?", (DEPLOY / "night.sh").read_text()):
        assert f"    {name}=" in page
    if shutil.which("systemd-analyze"):
        unit = DEPLOY / "perfhouse-night.timer"
        subprocess.run(["systemd-analyze", "verify", "--man=no", unit], check=True)
