"""Ways in. Each turns a request of its kind into a call of one use case and back; no rules of the product live here.

Called by ``bootstrap``; imports ``services`` and what lies under them.
"""
