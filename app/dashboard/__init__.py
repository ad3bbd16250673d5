"""The dashboard: what the published warehouse holds, in a browser.

One way down: ``views`` (a page each) -> ``components`` (what pages share) -> ``queries`` (SQL over
the marts) and ``charts`` (frame in, Altair chart out). Charts know neither Streamlit nor the
database; queries know no Streamlit; only ``reader`` opens the file.
"""
