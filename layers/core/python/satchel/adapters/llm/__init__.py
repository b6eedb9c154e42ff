"""Adapters for language models.

``model_router`` selects the model by name, ``retrying_model`` retries failed requests, and ``streaming_model`` sends
one request with pydantic_ai. ``providers`` has one module per provider. ``offline`` is a built-in substitute that needs
no API key and no network.
"""
