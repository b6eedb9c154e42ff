"""Adapters for AWS, MCP servers, language models and the operating system. All implement Protocols of ``ports``.

Adapters may import ``ports``, ``domain`` and ``contract``. Only ``bootstrap`` creates adapters.
"""
