"""The rules for sessions, turns, tool calls, files and time limits, without I/O.

The package ``services`` applies these rules. This package imports only ``contract``, pydantic and the standard library.
"""
