"""Who may see the dashboard, and who may answer regressions.

On this machine's own address (127.0.0.1) nobody signs in. On any other address everybody has to,
with OpenID Connect, as a TOML file says ($PERFHOUSE_SIGN_IN, or secrets/sign-in.toml in the data
folder):

    [auth]                          # as Streamlit's st.login takes it
    redirect_uri = "https://HOST/oauth2callback"
    cookie_secret = "..."           # long and random
    client_id = "..."
    client_secret = "..."
    server_metadata_url = "https://PROVIDER/.well-known/openid-configuration"

    [roles]                         # addresses; * stands for any text
    reader = ["*@example.com"]      # sees every page
    triager = ["ann@example.com"]   # also answers regressions
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from ipaddress import ip_address
from pathlib import Path

from app.pipeline.places import home
from ingest.errors import PerfhouseError

__all__ = ["READER", "TRIAGER", "SignInError", "is_loopback", "read_roles", "role_of",
           "sign_in_file"]  # fmt: skip

READER, TRIAGER = "reader", "triager"
Roles = Mapping[str, Sequence[str]]

_NEEDED = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_LEAST_SECRET = 32  # characters of cookie_secret


class SignInError(PerfhouseError):
    """The dashboard may not be opened to other machines; one line that says what to set."""


def sign_in_file() -> Path:
    """Return the path of the settings of sign-in, whether or not they are there."""
    named = os.environ.get("PERFHOUSE_SIGN_IN")
    return Path(named).absolute() if named else home() / "secrets" / "sign-in.toml"


def is_loopback(address: str) -> bool:
    """Return whether only this machine can reach a server on an address."""
    try:
        return address == "localhost" or ip_address(address).is_loopback
    except ValueError:
        return False


def read_roles(file: Path) -> Roles:
    """Return the roles in the settings of sign-in. Raises SignInError if they are not complete."""
    try:
        mode = file.stat().st_mode
        settings = tomllib.loads(file.read_text())
    except OSError as error:
        raise SignInError(
            f"sign-in is needed on this address: {file}: {error.strerror}; docs/install.md says "
            "what to set there"
        ) from None
    except ValueError as error:
        raise SignInError(f"{file}: {error}") from None
    if stat.S_IMODE(mode) & 0o077:
        raise SignInError(f"{file}: others may read its secrets; run: chmod 600 {file}")
    auth, roles = settings.get("auth", {}), settings.get("roles", {})
    missing = [name for name in _NEEDED if not (isinstance(auth, dict) and auth.get(name))]
    if missing:
        raise SignInError(f"{file}: [auth] lacks {', '.join(missing)}")
    if len(str(auth["cookie_secret"])) < _LEAST_SECRET:
        raise SignInError(f"{file}: cookie_secret needs {_LEAST_SECRET} or more characters")
    known = {READER, TRIAGER}
    if not isinstance(roles, dict) or not roles or not known.issuperset(roles):
        raise SignInError(
            f"{file}: [roles] names reader and triager, each with a list of addresses"
        )
    for role, people in roles.items():
        if not (isinstance(people, list) and all(isinstance(one, str) for one in people)):
            raise SignInError(f"{file}: [roles] {role} is not a list of addresses")
    return roles


def role_of(person: Mapping[str, object], roles: Roles) -> str | None:
    """Return the role of a signed-in person, None if there is none.

    person: the claims of the provider. An address that it says is not verified has no role.
    """
    address = str(person.get("email") or "").lower()
    if not address or person.get("email_verified") is False:
        return None
    for role in (TRIAGER, READER):
        if any(fnmatchcase(address, pattern.lower()) for pattern in roles.get(role, ())):
            return role
    return None
