"""The webhook of notices, and its warehouse."""

from tests.kit.webhook import warehouse, webhook  # noqa: F401 - fixtures
