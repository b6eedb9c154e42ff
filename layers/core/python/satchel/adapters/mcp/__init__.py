"""MCP client of the runners (Lambda functions): starts or contacts tool servers, and lists and calls their tools.

Read ``client`` first. Each module uses only modules that come later in this chain: ``client → pool → session → stdio |
http → stdio_transport | guarded_transport``. ``processes`` starts and ends server processes. All asynchronous code runs
on the process's only event loop (``adapters.event_loop``).
"""
