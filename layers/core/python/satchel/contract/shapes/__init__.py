"""The forms in which tools return results and files. ``normalize`` lists the functions and calls them.

*Recognizers* find the payload in an MCP result; the first match wins. *Extractors* move the fields that they know from
a payload to an ``OutputBuilder``; all of them run. Both use ``mcp_result`` and ``output_builder``.
"""
