"""Tests of the `satchel` command against a server in memory."""
