"""The entry points of requests: HTTP, WebSocket messages, and records of the table's stream.

Each translates a request into one call of a use case, and the result into a response. They contain no business rules.
``bootstrap`` and the handlers create them; they import ``use_cases`` and the layers below.
"""
