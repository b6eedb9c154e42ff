"""The interpreter keeps its troubles to itself.

Sets the level of its loggers. Without it every *caught* failure of a state logs the whole program, 10 KB and more.
"""

import logging
from functools import cache


@cache
def install() -> None:
    """Silence the interpreter's loggers."""
    logging.getLogger("moto.stepfunctions.parser").setLevel(logging.CRITICAL)
