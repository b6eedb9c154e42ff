"""MCP client of a runner: server processes and remote servers, their transports, sessions, and tool calls.

Read ``client`` first. Each module uses only the ones after it: ``client → pool → session → stdio | http →
stdio_transport | guarded_transport``, and ``processes`` starts servers in the sandbox. All asynchronous code runs on
the one ``adapters.event_loop`` of the process.
"""
