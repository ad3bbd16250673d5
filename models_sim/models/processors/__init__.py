"""Processors z13 to z16 and what MQ gains from them (document 004)."""
