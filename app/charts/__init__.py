"""Charts as pure functions: a frame in, an Altair chart out.

They know neither Streamlit nor the database. The theme sets the colours, for light and for dark; a
chart only fixes the order in which its series take them.
"""
