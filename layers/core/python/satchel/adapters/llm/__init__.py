"""Models. ``offline`` needs no key and no network; all others are asked through pydantic_ai, one file a provider.

``asking`` picks the model by its name, ``patient`` asks again what may pass, ``spoken`` puts one question to one model.
"""
