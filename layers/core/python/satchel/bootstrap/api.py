"""The HTTP application of this process. A module of its own: only the api function has FastAPI in its layer."""

import os
from collections.abc import Callable

from fastapi import FastAPI

import satchel.adapters.jwt_signer  # noqa: F401  (now, while the environment starts, not with the first request)
from satchel.bootstrap.functions import use_cases
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import from_claims, from_headers
from satchel.settings import ApiSettings


def build_app(closing: Callable[[], bool] = lambda: False) -> FastAPI:
    """Return the application. ``closing`` is true when the server is about to stop: long polls then end early.

    Raises RuntimeError if a deployed function is set to trust identity headers.
    """
    settings = ApiSettings()
    if settings.auth == "local" and "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        raise RuntimeError(
            "SATCHEL_AUTH=local trusts identity headers: use it for a server on loopback, never for a deployment"
        )
    read_identity = from_headers if settings.auth == "local" else from_claims(settings.identity_claim)
    return create_app(use_cases(), read_identity, closing)
