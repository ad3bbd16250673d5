"""Benchmarks: speed and peak memory of a load, and damaged files by the ten thousand."""
