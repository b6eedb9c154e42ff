"""Benchmarks of other products for the same task, each in its own virtual environment with pinned requirements."""
