"""The ports on one DynamoDB table. Each module's docstring lists the keys (``pk / sk``) of the items that it writes.

An item holds its domain model as JSON in the attribute ``doc``. A field that a condition, an update or an index needs
is an attribute of its own.
"""
