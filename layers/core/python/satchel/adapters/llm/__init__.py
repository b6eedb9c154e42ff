"""Adapters for language models.

``model_router`` selects the model by its name, ``retrying_model`` repeats failed requests, and ``streaming_model``
sends one request through pydantic_ai. ``providers`` has one module per provider. ``offline`` needs no key and no
network.
"""
