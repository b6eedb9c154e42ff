"""The two stacks, separated by lifetime: ``data`` is permanent, ``service`` can be deleted and recreated any time.

A stack creates constructs and grants permissions. Stacks import ``constructs``; only ``application`` imports stacks.
"""
