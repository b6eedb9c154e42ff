"""Satchel: a serverless back end for chats in which a language model calls MCP tools.

Imports point in one direction: ``bootstrap → adapters | entrypoints → use_cases → settings → services → ports → domain
→ contract``. Start reading at ``use_cases`` (all use cases and their dependencies) or at ``services`` (the code of the
use cases).
"""

__version__ = "0.1.0"
