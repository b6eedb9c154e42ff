"""The one table: who keeps what under which key stands at the top of each module.

Items carry their model as JSON in ``doc``; what a condition or an index needs stands beside it as an attribute.
"""
