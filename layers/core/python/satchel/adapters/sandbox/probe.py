"""Asks this machine's kernel which walls it holds (``checks``, in a process of its own)."""

import logging
import subprocess
from typing import get_args

from satchel.adapters.sandbox.children import command
from satchel.domain.isolation import Isolation, Layer

logger = logging.getLogger(__name__)

_SECONDS = 10.0


def find_layers() -> Isolation:
    """Try every layer. One whose check goes wrong in whatever way does not hold."""
    try:
        asked = subprocess.run(command("checks"), capture_output=True, timeout=_SECONDS, check=False, env={})  # noqa: S603
        said = asked.stdout.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        logger.warning("the kernel could not be asked for its walls", extra={"reason": str(error)})
        said = ""
    answers = dict(line.partition(":")[::2] for line in said.splitlines())
    missing: dict[Layer, str] = {layer: answers.get(layer, "the check failed") for layer in get_args(Layer)}
    holding = frozenset(layer for layer, trouble in missing.items() if not trouble)
    return Isolation(layers=holding, missing={layer: why for layer, why in missing.items() if why})
