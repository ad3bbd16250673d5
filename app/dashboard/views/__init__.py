"""One script a page, run by Streamlit; each is in the navigation."""
