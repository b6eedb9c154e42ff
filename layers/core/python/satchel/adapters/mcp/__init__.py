"""MCP seen from a runner: server processes, the transport over their pipes, sessions, and calls.

Start at ``client``. Beneath it, each knowing only those after it: ``client → pool → session → stdio | http →
line_stdio → processes → sandbox.launch``. Everything asynchronous runs on the one loop of ``loop``.
"""
