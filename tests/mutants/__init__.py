"""Mutation testing of the security-critical modules.

``python -m tests.mutants [MODULE ...]`` changes each module in many small ways (mutants) and runs its tests for each
change. A mutant that no test notices survives. It needs a new test, or a reason in ``modules.toml`` if a test is
impossible.
"""
