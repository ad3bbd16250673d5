"""completion: let the shell complete commands, options and names."""

from __future__ import annotations

import argparse

from app.cli.common import Command

__all__ = ["add"]

_SHELLS = ("bash", "zsh", "fish", "powershell")


def add(command: Command) -> None:
    """Declare the command."""
    completion = command(
        "completion",
        _completion,
        "print a script for completion in the shell",
        examples="""
            completion bash >> ~/.bashrc
            completion zsh >> ~/.zshrc
            completion fish > ~/.config/fish/completions/perfhouse.fish
        """,
        has_warehouse=False,
    )
    completion.add_argument("shell", choices=_SHELLS)


def _completion(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["perfhouse"], shell=arguments.shell))
    return 0
