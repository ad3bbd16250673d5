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

    [provider]                      # only for a provider that sends no email_verified
    every_address_is_verified = true
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import ip_address
from pathlib import Path

from app.pipeline.places import home
from ingest.base.errors import PerfhouseError

__all__ = ["READER", "TRIAGER", "Roles", "SignInError", "is_loopback", "is_verified",
           "read_roles", "role_of", "sign_in_file"]  # fmt: skip

READER, TRIAGER = "reader", "triager"

_NEEDED = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_LEAST_SECRET = 32  # characters of cookie_secret
_TRUST = "every_address_is_verified"


@dataclass(frozen=True, slots=True)
class Roles:
    """Who has which role.

    patterns: of addresses, by role. every_address_is_verified: whether an address counts as
    verified if the provider does not say so.
    """

    patterns: Mapping[str, Sequence[str]]
    every_address_is_verified: bool = False


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
    names = {READER, TRIAGER}
    if not isinstance(roles, dict) or not roles or not names.issuperset(roles):
        raise SignInError(
            f"{file}: [roles] names reader and triager, each with a list of addresses"
        )
    for role, people in roles.items():
        if not (isinstance(people, list) and all(isinstance(person, str) for person in people)):
            raise SignInError(f"{file}: [roles] {role} is not a list of addresses")
    provider = settings.get("provider", {})
    if not isinstance(provider, dict) or not {_TRUST}.issuperset(provider):
        raise SignInError(f"{file}: [provider] has one setting, {_TRUST}")
    trusted = provider.get(_TRUST, False)
    if not isinstance(trusted, bool):
        raise SignInError(f"{file}: [provider] {_TRUST} is not true or false")
    return Roles(roles, trusted)


def role_of(person: Mapping[str, object], roles: Roles) -> str | None:
    """Return the role of a signed-in person, None if there is none.

    person: the claims of the provider. Only an address that it says is verified has a role.
    """
    address = person.get("email")
    if not isinstance(address, str) or not is_verified(person, roles):
        return None
    for role in (TRIAGER, READER):
        patterns = roles.patterns.get(role, ())
        if any(fnmatchcase(address.lower(), pattern.lower()) for pattern in patterns):
            return role
    return None


def is_verified(person: Mapping[str, object], roles: Roles) -> bool:
    """Return whether the address of a person counts as verified."""
    claim = person.get("email_verified")
    if claim is None:
        return roles.every_address_is_verified
    # OpenID Connect has a Boolean here. The meaning of a text such as "true" is the provider's own,
    # and "false" is one too, so none is guessed.
    return claim is True
