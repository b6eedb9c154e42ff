"""Tests of the rules of `satchel lint`."""
