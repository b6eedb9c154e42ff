"""Sandbox of a server process, which the process enters by itself before it becomes the server.

In the runner, ``policy`` decides what a server can read and write, and builds its command; ``probe`` finds the layers
that this kernel enforces; ``violations`` and ``outside_changes`` find what a tool tried or changed outside its
workspace.

A new, bare interpreter runs ``launch``, which applies the policy (``limits``, ``mounts``, ``landlock``, and ``seccomp``
with ``bpf``) and then executes the server. A Python server runs inside ``guest``, which blocks and reports file access
outside the workspace. Modules of the new process import few modules of the standard library and nothing else, because
every start of a server waits for these imports.
"""
