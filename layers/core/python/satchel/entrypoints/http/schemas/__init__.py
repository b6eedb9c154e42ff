"""The JSON bodies of requests and responses, except those that are domain models."""
