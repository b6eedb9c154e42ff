"""Pure rules of sessions, turns, files and time. Imports nothing but ``contract``, pydantic and the standard library.

Called by ``services``; knows neither AWS nor MCP nor HTTP.
"""
