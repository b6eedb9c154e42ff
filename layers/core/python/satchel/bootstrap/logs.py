"""Structured logs: powertools' formatter on the root of our loggers. Bodies, tokens and prompts are never logged."""

import logging
from functools import lru_cache
from threading import Lock

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging.utils import copy_config_to_registered_loggers

_setting_up = Lock()


def set_up_logs(service: str) -> Logger:
    """Make every ``satchel`` logger write JSON lines that name the function.

    Invocations that come side by side wait for the first of them: powertools' own set-up is no matter for two threads.
    """
    with _setting_up:
        return _set_up(service)


@lru_cache
def _set_up(service: str) -> Logger:
    logging.getLogger("satchel")
    logger = Logger(service=service)
    copy_config_to_registered_loggers(source_logger=logger, include={"satchel"})
    return logger
