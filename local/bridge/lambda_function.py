"""The bridge as a Lambda function. Lambda starts the script ``start`` in place of its runtime, and that this module."""

import asyncio
import os

from starlette.types import ASGIApp

from local.bridge.lambda_runtime import serve


def load() -> ASGIApp:
    """Return the application with the settings of the function's variables. Raise KeyError if one is missing."""
    from local.bridge.app import create_app  # noqa: PLC0415  (the runtime reports its failure)
    from local.bridge.caller import BridgeSettings  # noqa: PLC0415  (the same)

    settings = BridgeSettings(
        url=os.environ["SATCHEL_URL"],
        link_seconds=int(os.environ["SATCHEL_BRIDGE_LINK_SECONDS"]),
        wait_seconds=float(os.environ["SATCHEL_BRIDGE_WAIT_SECONDS"]),
        max_seconds=float(os.environ["SATCHEL_BRIDGE_MAX_SECONDS"]),
    )
    return create_app(settings, [each for each in os.environ["SATCHEL_WEB_ORIGINS"].split(",") if each])


if __name__ == "__main__":
    asyncio.run(serve(load))
