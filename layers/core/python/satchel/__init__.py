"""Satchel: a serverless chat back end for MCP tools.

Imports point one way: ``bootstrap → settings → adapters | entrypoints → services → ports → domain → contract``.
Start reading at ``bootstrap/`` (what a function is made of) or at ``services/`` (what it does).
"""

__version__ = "0.1.0"
