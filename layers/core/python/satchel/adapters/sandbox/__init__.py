"""Sandbox of a tool server's process. A launcher process enters the sandbox, then executes the server program.

In the runner, ``policy`` decides what a server can read and write, and builds its command; ``probe`` finds the sandbox
layers that this kernel enforces; ``violations`` and ``outside_changes`` find what a tool tried or changed outside its
workspace.

A new, bare interpreter runs ``launch``, which applies the policy (``limits``, ``mounts``, ``landlock``, and ``seccomp``
with ``bpf``) and then executes the server. A Python server runs inside ``guest``, which blocks and reports file access
outside the workspace. Modules that run in the new process import only a few standard library modules, because these
imports delay every start of a server.
"""
