"""The outside world: AWS, MCP servers, models, the machine. Each adapter implements a Protocol of ``ports``.

Imports ``ports``, ``domain`` and ``contract``; is constructed by ``bootstrap`` and by nobody else.
"""
