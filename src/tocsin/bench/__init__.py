"""Benchmarks: rates and ratios, measured in one run, with their spread."""
