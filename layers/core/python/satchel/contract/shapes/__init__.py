"""Functions that read the forms in which tools return results and files. ``contract.normalize`` calls them.

*Recognizers* find the payload (the tool's actual data) in an MCP result; the first match wins. *Extractors* move the
fields that they know from a payload to an ``OutputBuilder``; all of them run.
"""
