"""Large dumps for benchmarks."""
