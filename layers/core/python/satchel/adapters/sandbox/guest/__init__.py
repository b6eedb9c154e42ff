"""Code that runs inside a Python server: the script ``start`` and ``guard``, which import nothing else of Satchel."""
