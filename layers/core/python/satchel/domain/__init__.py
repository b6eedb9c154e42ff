"""The rules for sessions, turns, tool calls, files and time limits, without I/O.

``services`` calls this package. It imports only ``contract``, pydantic and the standard library: no AWS, MCP or HTTP.
"""
