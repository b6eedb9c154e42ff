"""The rules of sessions, turns, files and time, without I/O. Imports ``contract``, pydantic and the standard library.

Called by ``services``; knows neither AWS nor MCP nor HTTP.
"""
