"""One module a page; each is in the navigation."""
