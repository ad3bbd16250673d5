"""Sends one mail, in a process of its own, because a server may answer byte by byte for hours.

`python -m app.pipeline.mail` reads what `send_mail` is given from stdin, as JSON, and writes why
the server did not accept the mail. No message contains the URL, which may hold a password.
"""

from __future__ import annotations

import json
import smtplib
import ssl
import sys
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from app.pipeline.post import in_time
from ingest.base.child import end_with_parent

__all__ = ["send_mail"]

_SECONDS = 10.0  # for one answer of the server
_PORTS = {"smtp": 25, "smtps": 465}
_LOCAL = ("localhost", "127.0.0.1", "::1")


def send_mail(
    server: str,
    sender: str,
    to: Sequence[str],
    subject: str,
    text: str,
    name: str,
    seconds: float,
) -> str:
    """Send a mail; return why the server did not accept it, or ''. Raises nothing.

    server: smtp://[USER:PASSWORD@]HOST[:PORT], or smtps:// for TLS from the start; name: identifies
    the mail, so that a reader's program knows one that was sent twice.
    """
    return in_time(
        "app.pipeline.mail",
        {"server": server, "sender": sender, "to": list(to), "subject": subject, "text": text,
         "name": name},
        seconds,
    )  # fmt: skip


def _send(given: dict[str, str], to: list[str]) -> str:
    try:
        url = urlsplit(given["server"])
        host, port = url.hostname, url.port or _PORTS.get(url.scheme, 0)
        user, password = unquote(url.username or ""), unquote(url.password or "")
    except ValueError:
        return "its URL is not valid"
    if url.scheme not in _PORTS or not host:
        return "its URL is not like smtp://HOST:PORT"
    mail = EmailMessage()
    try:
        mail["Subject"] = " ".join(given["subject"].split())
        mail["From"], mail["To"] = given["sender"], ", ".join(to)
        mail["Date"] = formatdate()
        mail["Message-ID"] = f"<{given['name']}@perfhouse>"
        mail["Auto-Submitted"] = "auto-generated"  # no holiday reply
    except ValueError:
        return "an address is not valid"
    mail.set_content(given["text"])
    try:
        tls = ssl.create_default_context()
        if url.scheme == "smtps":
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=_SECONDS, context=tls)
        else:
            smtp = smtplib.SMTP(host, port, timeout=_SECONDS)
        with smtp:
            smtp.ehlo()
            is_safe = url.scheme == "smtps"
            if not is_safe and smtp.has_extn("starttls"):
                smtp.starttls(context=tls)
                smtp.ehlo()
                is_safe = True
            if user:
                if not is_safe and host not in _LOCAL:
                    return "it offers no TLS, and a password is not sent without"
                smtp.login(user, password)
            refused = smtp.send_message(mail)
    except smtplib.SMTPRecipientsRefused:
        return "it refused all addresses"
    except smtplib.SMTPAuthenticationError:
        return "it refused the user or the password"
    except smtplib.SMTPResponseException as error:
        return f"it answered with status {error.smtp_code}"
    except (smtplib.SMTPException, UnicodeError):
        return "its answer cannot be read"
    except ssl.SSLError:
        return "its certificate is not accepted"
    # The others have it: it is not sent to them again.
    return "" if len(refused) < len(to) else "it refused all addresses"


if __name__ == "__main__":
    from app.pipeline.post import reason_of

    end_with_parent()
    given = json.load(sys.stdin)
    try:
        sys.stdout.write(_send(given, given["to"]))
    except Exception as error:
        sys.stdout.write(reason_of(error))
