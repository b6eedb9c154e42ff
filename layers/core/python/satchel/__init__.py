"""Satchel: a serverless chat back end for MCP tools.

Imports point one way: ``bootstrap → adapters | entrypoints → use_cases → settings → services → ports → domain →
contract``.
Start reading at ``use_cases`` (what there is, and what it needs) or at ``services`` (what it does).
"""

__version__ = "0.1.0"
