"""Walls around a server's process, put up by the process itself before it becomes the server.

The runner decides (``walls``: what may be read and written; ``probe``: what this kernel can do). A fresh interpreter
then runs ``launch``, which puts up what was decided (``groups``, ``limits``, ``mounts``, ``landlock``, ``seccomp``, by
``syscalls``) and execs the server. In a server that is Python ``guest`` runs first: it reports what its tools try
outside their corner, and the runner reads that by ``refusals``.

What runs in the child imports nothing but the standard library, and of that little: each start pays for it.
"""
