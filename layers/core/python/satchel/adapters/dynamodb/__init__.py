"""Implements ports with a DynamoDB table. Each module's docstring lists the keys (``pk / sk``) of the items it writes.

An item holds its domain model as JSON in the attribute ``doc``. Fields that a condition, an update
or an index needs are separate attributes.
"""
