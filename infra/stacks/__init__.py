"""The two stacks by lifetime: ``data`` is permanent, ``service`` may be deleted and created again at any time.

A stack composes constructs and grants permissions. It imports ``constructs``; only ``application`` imports it.
"""
