"""The bridge as a function with a public address, whose responses are streamed (docs/bridge.md)."""

from collections.abc import Sequence

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.function import PythonFunction
from infra.constructs.layers import FunctionLayers
from infra.limits import BRIDGE_RESPONSE_SECONDS, BRIDGE_SECONDS
from infra.packing.contents import BRIDGE_START
from infra.settings import Settings

_LINK_SECONDS = 24 * 3600


class Bridge(Construct):
    """The function and its address (``url``). It sends the token of each request to the API, and may do nothing else.

    API Gateway's HTTP API would buffer its responses, and CloudFront would need the header of the token for its own
    signature, so the function has an address of its own.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        settings: Settings,
        function_layers: FunctionLayers,
        api_url: str,
        origins: Sequence[str],
    ) -> None:
        super().__init__(scope, id_)
        with function_layers.bridge_code() as code:
            self.function = PythonFunction(
                self,
                "Function",
                folder="bridge",
                code=code,
                function_layers=function_layers,
                settings=settings,
                environment={
                    # Replaces Lambda's runtime, which returns whole responses. So the function has no handler.
                    "AWS_LAMBDA_EXEC_WRAPPER": BRIDGE_START,
                    "SATCHEL_URL": api_url,
                    "SATCHEL_WEB_ORIGINS": ",".join(origins),
                    "SATCHEL_BRIDGE_LINK_SECONDS": str(_LINK_SECONDS),
                    "SATCHEL_BRIDGE_WAIT_SECONDS": str(settings.bridge_wait_seconds),
                    "SATCHEL_BRIDGE_MAX_SECONDS": str(BRIDGE_RESPONSE_SECONDS),
                },
                seconds=BRIDGE_SECONDS,
            )
        address = self.function.add_function_url(
            auth_type=lambda_.FunctionUrlAuthType.NONE, invoke_mode=lambda_.InvokeMode.RESPONSE_STREAM
        )
        self.url = address.url
