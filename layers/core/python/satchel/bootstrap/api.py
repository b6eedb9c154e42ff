"""Builds the HTTP application. A separate module, because only the layer of the api function contains FastAPI."""

import os
from collections.abc import Callable

from fastapi import FastAPI

import satchel.adapters.jwt_signer  # noqa: F401  (import it at startup, so that the first request does not wait)
from satchel.bootstrap.functions import use_cases
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import (
    CurrentIdentity,
    IdentityReader,
    identity_from_claims,
    identity_from_headers,
    keep_identity,
)
from satchel.entrypoints.http.long_polling import Watch, watch_nothing
from satchel.settings import ApiSettings


def build_app(
    closing: Callable[[], bool] = lambda: False,
    watch: Watch = watch_nothing,
    read_identity: IdentityReader | None = None,
    find_current: CurrentIdentity = keep_identity,
) -> FastAPI:
    """Return the HTTP application. ``closing`` returns True if the server is about to stop. Long polls then end early.

    ``watch`` can tell long polls when a turn changes. ``read_identity`` replaces the sign-in method of the settings.
    ``find_current`` returns the user of a personal token as the user is now, or None if the user has no account.
    Raise RuntimeError if ``auth=local`` is set on AWS, where anyone could then send another user's identity headers.
    """
    settings = ApiSettings()
    if settings.auth == "local" and "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        raise RuntimeError(
            "SATCHEL_AUTH=local trusts identity headers: use it for a server on loopback, never for a deployment"
        )
    if read_identity is None:
        is_local = settings.auth == "local"
        read_identity = identity_from_headers if is_local else identity_from_claims(settings.identity_claim)
    return create_app(use_cases(), read_identity, closing, watch, find_current)
