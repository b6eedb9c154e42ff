"""What the use cases need of the world, as small Protocols. Real ones in ``adapters``, fakes in ``tests/fakes``.

Imports ``domain`` and ``contract`` only.
"""
