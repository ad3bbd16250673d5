"""The dashboard: what the published warehouse holds, in a browser.

One way down: ``views`` (one page each) -> ``components`` (what pages share) -> ``app.results``
(SQL over the marts) and ``app.charts`` (frame in, Altair chart out). Neither knows Streamlit;
only ``app.results.reader`` opens the file.
"""
