"""Sandbox for the process of an MCP server. A launcher process enters the sandbox, then executes the server.

The runner (the process that starts servers) uses four modules. ``policy`` decides what a server can read and write, and
builds its command. ``probe`` finds the sandbox layers that the kernel enforces. ``violations`` and ``outside_changes``
find the paths outside the workspace that a tool tried to access or changed.

The launcher process runs ``launch``, which applies the policy with ``limits``, ``mounts``, ``landlock``, ``seccomp``
and ``bpf``. In a Python server, ``guest`` blocks and reports file access outside the workspace. These modules import
only a few modules of the standard library, because each import delays every start of a server.
"""
