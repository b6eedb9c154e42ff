"""Satchel: a serverless chat back end for MCP tools.

Imports point in one direction: ``bootstrap → adapters | entrypoints → use_cases → settings → services → ports → domain
→ contract``. Start reading at ``use_cases`` (the list of use cases and their dependencies) or at ``services`` (their
code).
"""

__version__ = "0.1.0"
