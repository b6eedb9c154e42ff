"""The routes of the HTTP API. Each module defines one resource's routes and exports them as ``router``.

In the OpenAPI document, a route function's name is the operation id and its docstring is the description.
"""
