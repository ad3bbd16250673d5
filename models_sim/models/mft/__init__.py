"""Managed File Transfer on z/OS and over distance (document 000)."""
