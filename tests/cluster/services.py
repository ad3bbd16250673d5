"""PostgreSQL, Redis and an object store, each on a free port of 127.0.0.1, in a folder."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any

import boto3
import httpx
import psycopg2
import redis

from tests.kit.airflow import wait

__all__ = ["BUCKET", "Door", "ObjectStore", "PostgreSQL", "Redis", "free_port"]

BUCKET = "perfhouse"
_UP = 60.0  # seconds to come up
_DOWN = 60.0  # seconds to stop


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Service(ABC):
    """A process that ends with this one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.password = secrets.token_urlsafe(24)
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir()

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """Return the command that serves."""

    @abstractmethod
    def is_up(self) -> bool:
        """Return whether it answers."""

    @property
    def user(self) -> str | None:
        """The user to run as; None for this one."""
        return None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self.process = self._begin(self.command(), log)
        wait(self.is_up, f"{type(self).__name__} comes up", _UP)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it by a signal, and wait until it ended."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(_DOWN)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def _begin(self, command: Sequence[str | Path], log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self._as_user(), "setpriv", "--pdeathsig", "INT", *command],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder,
            start_new_session=True,  # Ctrl-C is for us; we stop it in our order
        )  # fmt: skip

    def _as_user(self) -> list[str]:
        if self.user is None:
            return []
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]


class PostgreSQL(Service):
    """A server with a database for Airflow and one for the catalog, each with its own role."""

    ROLES = ("airflow", "perfhouse")

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.data = folder / "data"
        self.passwords = {role: secrets.token_urlsafe(24) for role in self.ROLES}
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parts[-2]))
        found = shutil.which("initdb")
        self.bin = Path(found).parent if found else versions[-1]

    @property
    def user(self) -> str | None:
        """PostgreSQL refuses to run as root."""
        return "postgres" if os.geteuid() == 0 else None

    def start(self) -> None:
        """Start it; the first time, with a new data folder and the databases."""
        is_new = not self.data.exists()
        if is_new:
            self._make()
        super().start()
        if is_new:
            with closing(self._connect("postgres", "postgres", self.password)) as db:
                db.autocommit = True
                for role, password in self.passwords.items():
                    with db.cursor() as cursor:
                        cursor.execute(f"CREATE ROLE {role} LOGIN PASSWORD %s", (password,))
                        cursor.execute(f"CREATE DATABASE {role} OWNER {role}")

    def restart(self) -> None:
        """End it as a crash would, and start it again."""
        self.stop(signal.SIGQUIT)
        self.start()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it; by default it ends the sessions first."""
        super().stop(how)

    def address(self, role: str) -> str:
        """Return the URL of a role's database, with its password."""
        return f"postgresql+psycopg2://{role}:{self.passwords[role]}@127.0.0.1:{self.port}/{role}"

    def command(self) -> Sequence[str | Path]:
        """Return the command of the server."""
        return [
            self.bin / "postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder,
            "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200",
        ]  # fmt: skip

    def is_up(self) -> bool:
        """Return whether it takes connections."""
        try:
            self._connect("postgres", "postgres", self.password).close()
        except psycopg2.OperationalError:
            return False
        return True

    def _connect(self, database: str, user: str, password: str) -> psycopg2.extensions.connection:
        return psycopg2.connect(
            host="127.0.0.1", port=self.port, dbname=database, user=user, password=password
        )

    def _make(self) -> None:
        secret = self.folder / "password"
        secret.touch(mode=0o600)
        secret.write_text(self.password)
        if self.user:
            for path in (self.folder, secret):
                shutil.chown(path, self.user, self.user)
        subprocess.run(
            [*self._as_user(), self.bin / "initdb", "-D", self.data, "--username=postgres",
             "--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C.UTF-8"],
            check=True, capture_output=True, cwd=self.folder,
        )  # fmt: skip


class Redis(Service):
    """A broker that keeps nothing on disk."""

    @property
    def address(self) -> str:
        """Its URL, with the password."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def command(self) -> Sequence[str | Path]:
        """Return the command of the server; the password is in a file that others cannot read."""
        settings = self.folder / "redis.conf"
        settings.touch(mode=0o600)
        settings.write_text(
            f'bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\nsave ""\n'
            f"appendonly no\ndir {self.folder}\n"
        )
        return ["redis-server", settings]

    def is_up(self) -> bool:
        """Return whether it answers."""
        with suppress(redis.RedisError), redis.Redis.from_url(self.address) as client:
            return bool(client.ping())
        return False


class ObjectStore(Service):
    """A store that speaks S3, asks for a signature, and keeps everything in memory."""

    key = secret = ""

    def start(self) -> None:
        """Start it with a user who may do anything, and an empty bucket."""
        super().start()
        users = self._client("iam", "anybody", "anything")
        users.create_user(UserName=BUCKET)
        may = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [may]})
        users.put_user_policy(UserName=BUCKET, PolicyName="all", PolicyDocument=document)
        made = users.create_access_key(UserName=BUCKET)["AccessKey"]
        self.key, self.secret = made["AccessKeyId"], made["SecretAccessKey"]
        self._bucket().create_bucket(Bucket=BUCKET)

    def command(self) -> Sequence[str | Path]:
        """Return the command of the server, which lets the first three requests in unsigned."""
        environment = ["env", "INITIAL_NO_AUTH_ACTION_COUNT=3"]
        server = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        return [*environment, *server]

    def is_up(self) -> bool:
        """Return whether it answers."""
        return httpx.get(f"{self._address}/moto-api/").is_success

    def requests(self) -> Counter[str]:
        """Return how many requests it had, by method."""
        found = re.findall(r'"(?:\x1b\[\d+m)*([A-Z]+) /', (self.folder / "log").read_text())
        return Counter(found)

    def bytes(self) -> int:
        """Return the size of all objects."""
        pages = self._bucket().get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return sum(found["Size"] for page in pages for found in page.get("Contents", ()))

    @property
    def _address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _bucket(self) -> Any:
        return self._client("s3", self.key, self.secret)

    def _client(self, service: str, key: str, secret: str) -> Any:
        return boto3.client(
            service, endpoint_url=self._address, region_name="us-east-1",
            aws_access_key_id=key, aws_secret_access_key=secret,
        )  # fmt: skip


class Door:
    """Connections to a port go through it while it is open; when it is shut, they are refused."""

    def __init__(self, leads_to: int) -> None:
        self.leads_to = leads_to
        self.port = free_port()
        self._loop = asyncio.new_event_loop()
        self._inside: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def open(self) -> None:
        """Let connections through."""
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()

    def shut(self) -> None:
        """Refuse connections, and break those that go through."""
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()

    def close(self) -> None:
        """Shut it for good."""
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._through, "127.0.0.1", self.port)

    async def _shut(self) -> None:
        if self._server:
            self._server.close()
            self._server = None
        for writer in self._inside:
            writer.transport.abort()

    async def _through(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.leads_to)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, back}
        self._inside |= both
        try:
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            self._inside -= both
            for one in both:
                one.transport.abort()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(1 << 18):
            target.write(piece)
            await target.drain()
        target.write_eof()
