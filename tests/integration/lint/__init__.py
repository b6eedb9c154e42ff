"""Tests of `satchel lint` with real servers over stdio."""
