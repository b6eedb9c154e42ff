"""Turns: start, rounds of the model, approvals, end and reading."""
