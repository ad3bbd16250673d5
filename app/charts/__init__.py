"""Charts as pure functions: a frame in, an Altair chart out.

They know neither Streamlit nor the database. Colours are left to the theme, which has one set for
light and one for dark; a chart fixes only the order in which its series take them.
"""
