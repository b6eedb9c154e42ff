"""What is deployed, by how long it lives: ``data`` outlives the code, ``service`` may be made anew at any time.

A stack composes constructs and says who may do what; it imports ``constructs`` and is imported by ``application`` only.
"""
