"""Large dumps for benchmarks, made by repeating small ones."""
