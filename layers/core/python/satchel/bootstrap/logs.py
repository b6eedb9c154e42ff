"""Structured logs: powertools' formatter on the root of our loggers. Bodies, tokens and prompts are never logged."""

import logging
from functools import lru_cache

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging.utils import copy_config_to_registered_loggers


@lru_cache
def set_up_logs(service: str) -> Logger:
    """Make every ``satchel`` logger write JSON lines that name the function."""
    logging.getLogger("satchel")
    logger = Logger(service=service)
    copy_config_to_registered_loggers(source_logger=logger, include={"satchel"})
    return logger
