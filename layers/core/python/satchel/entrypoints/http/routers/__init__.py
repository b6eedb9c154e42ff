"""The routes, one module for each resource; each module exports ``router``.

The name of a route function is its operation id, and its docstring the description in the OpenAPI document.
"""
