"""Fake model providers on a local port: they answer in the real wire formats, with the replies that a test sets."""
