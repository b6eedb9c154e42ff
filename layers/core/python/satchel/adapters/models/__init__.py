"""Models. ``offline`` needs no key and no network."""
