"""Code that runs inside a Python server: ``start``, which imports ``guard``. It loads no other module of Satchel."""
