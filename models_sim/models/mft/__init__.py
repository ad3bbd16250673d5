"""Managed File Transfer on z/OS (document 000, Appendices C and E) and over distance (D)."""
