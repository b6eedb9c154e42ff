"""Tests of `satchel lint`: its findings, its report, and the examples of the specifications."""
