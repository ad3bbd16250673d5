"""The dashboard: the published warehouse in a browser.

``views`` (one page each) use ``components`` and ``filters`` (shared by pages), ``app.results`` (SQL
on the marts) and ``app.charts`` (frame in, Altair chart out). Those two know nothing of Streamlit,
and only ``app.results.reader`` opens the file.
"""
