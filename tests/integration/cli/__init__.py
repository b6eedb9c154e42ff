"""Tests of the `satchel` command as a process, against a server behind a socket."""
