"""Benchmarks, each measured against a baseline in the same run, so that the ratio is comparable between machines.

`python -m tests.bench` runs the `BENCHMARKS` of all modules `bench_*.py` in this folder and writes docs/benchmarks.md.
"""
