"""The JSON bodies of HTTP requests and responses, except those that are domain models."""
