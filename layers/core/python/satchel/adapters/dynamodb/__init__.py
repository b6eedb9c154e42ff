"""Adapters that store data in one DynamoDB table. Each module's docstring lists the keys (``pk / sk``) of its items.

An item stores a domain object as JSON in the attribute ``doc``. Fields that conditions, updates or an index need are
stored in separate attributes.
"""
