"""The entry points of Satchel: the HTTP API, the WebSocket API and the handler of the DynamoDB stream.

An entry point translates a request into a use case call, and the result into a response. It contains no business rules.
The package ``bootstrap`` and the Lambda handlers in ``functions/`` create the entry points.
"""
