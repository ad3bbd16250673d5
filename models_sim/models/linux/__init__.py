"""Managed File Transfer between Linux machines (document 002)."""
