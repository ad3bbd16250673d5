"""Query results as a table, at every width; their text is in sessions/render.txt."""

import io

import duckdb

from app.cli.render import render


def test_every_line_fits_any_terminal(monkeypatch):
    texts = ", ".join(f"repeat('y', {7 * n}) AS column_{n}" for n in range(1, 6))
    for width in range(24, 140, 7):
        monkeypatch.setenv("COLUMNS", str(width))
        out = io.StringIO()
        with duckdb.connect() as db:
            render(db.execute(f"SELECT {texts}"), "table", out)
        assert max(map(len, out.getvalue().splitlines()[:-1])) <= width
