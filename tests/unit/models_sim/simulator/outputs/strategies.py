"""Building blocks for strategies of printed rows: names, texts, moments, figures, rows.

A strategy draws tables (name -> list of rows); rows leave out nulls.
"""

from datetime import datetime, timedelta

from hypothesis import strategies as st

NAME = st.text("ABCDEFGHJKLM0123456789", min_size=1, max_size=8).map(lambda name: f"Q{name[:7]}")
NOT_SHOWN = ["Cs", "Cc", "Zl", "Zp", "Zs", "Cn", "Co"]
TEXT = st.text(st.characters(exclude_categories=NOT_SHOWN), min_size=1, max_size=12)
#: Words separated by single blanks, as in reports and logs.
WORDS = st.lists(TEXT, min_size=1, max_size=4).map(" ".join)
PLAIN_WORDS = st.lists(NAME, min_size=1, max_size=4).map(" ".join)
START = datetime(2000, 1, 1)
MOMENT = st.integers(0, 10**9).map(lambda n: START + timedelta(seconds=n))
MILLISECONDS = st.integers(0, 10**12).map(lambda n: START + timedelta(milliseconds=n))
HUNDREDTHS = st.integers(0, 10**11).map(lambda n: START + timedelta(milliseconds=10 * n))
COUNT = st.integers(0, 10**9)
SMALL = st.integers(0, 10**4)


def decimals(places, least=0, most=10**5):
    """Figures with this number of decimals."""
    return st.integers(round(least * 10**places), round(most * 10**places)).map(
        lambda n: n / 10**places
    )


def rows(least=1, most=4, **columns):
    """Rows with independent columns; a name that ends in _ is optional."""
    needed = {name: s for name, s in columns.items() if not name.endswith("_")}
    more = {name[:-1]: s for name, s in columns.items() if name.endswith("_")}
    return st.lists(st.fixed_dictionaries(needed, optional=more), min_size=least, max_size=most)


PERCENT = decimals(1, 0, 100)


def numbered(found, start=1):
    """Rows with a record_no."""
    return [{"record_no": n} | row for n, row in enumerate(found, start)]
