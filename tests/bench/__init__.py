"""Benchmarks: each is measured against a baseline in the same run, so that the ratio holds on any machine.

`python -m tests.bench` finds the modules `bench_*.py` here, each with its `BENCHMARKS`, and writes docs/benchmarks.md.
"""
