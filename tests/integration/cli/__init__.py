"""The `satchel` command as a process, against a server behind a socket."""
