"""One script per page, run by Streamlit; the navigation lists them all."""
