# ruff: noqa: ANN401, SLF001  (MiniStack has no types, and each change replaces a private name)
"""``python ministack_server.py``: run MiniStack, an emulator of AWS, with the changes that the stacks need.

It runs in an environment of its own (``requirements/witness.txt``) and imports nothing of this project. Each change
closes a gap between MiniStack and AWS; docs/deploy-witness.md lists them. The environment variables are those of
MiniStack.
"""

import http.client
import json
import os
import re
import ssl
import sys
from pathlib import Path
from typing import Any

from ministack import app  # type: ignore[import-untyped]  # it has no type annotations
from ministack.core import iam_actions, lambda_runtime  # type: ignore[import-untyped]  # the same
from ministack.services import apigateway, cloudfront, eventbridge, secretsmanager, stepfunctions  # type: ignore[import-untyped]  # the same
from ministack.services.cloudformation import provisioners, stacks  # type: ignore[import-untyped]  # the same

Json = dict[str, Any]
PORT = int(os.environ["GATEWAY_PORT"])


def add_resource_types() -> None:
    """Let CloudFormation create the types and attributes that MiniStack's does not know."""
    handlers = provisioners._RESOURCE_HANDLERS

    def user_pool_attributes(pool: str, known: Any = provisioners._cognito_user_pool_attributes) -> Json:
        attributes: Json = known(pool)
        return {**attributes, "ProviderURL": f"https://{attributes['ProviderName']}"}

    provisioners._cognito_user_pool_attributes = user_pool_attributes

    def alarm_record(name: str, props: Json, known: Any = provisioners._cw_metric_alarm_record) -> Any:
        """Store an alarm on metric math as an alarm on its first metric."""
        metrics = [each["MetricStat"] for each in props.get("Metrics", []) if "MetricStat" in each]
        if metrics:
            first = {key: value for key, value in metrics[0].items() if key != "Metric"}
            props = {**props, **first, **metrics[0]["Metric"], "Statistic": first["Stat"], "Metrics": None}
        return known(name, props)

    provisioners._cw_metric_alarm_record = alarm_record

    secret = handlers["AWS::SecretsManager::Secret"]

    def create_secret(logical_id: str, props: Json, stack: str) -> tuple[str, Json]:
        """Return the secret's ARN as ``Ref``, as AWS does."""
        _, attributes = provisioners._sm_secret_create(logical_id, props, stack)
        return attributes["Arn"], attributes

    def delete_secret(arn: str, props: Json) -> None:
        name, _ = secretsmanager._resolve(arn)
        provisioners._sm_secret_delete(name, props)

    handlers["AWS::SecretsManager::Secret"] = {**secret, "create": create_secret, "delete": delete_secret}

    def create_rotation(_logical_id: str, props: Json, _stack: str) -> tuple[str, Json]:
        """Store the rotation. MiniStack never rotates a secret by its function."""
        _, found = secretsmanager._resolve(props["SecretId"])
        found |= {key: props[key] for key in ("RotationLambdaARN", "RotationRules")} | {"RotationEnabled": True}
        return props["SecretId"], {}

    def create_route_response(_logical_id: str, props: Json, _stack: str) -> tuple[str, Json]:
        route = props["RouteId"].rpartition("/")[2]
        data = {key[0].lower() + key[1:]: value for key, value in props.items()}
        status, _, body = apigateway._create_route_response(props["ApiId"], route, data)
        if status >= http.client.BAD_REQUEST:
            raise ValueError(body)
        return json.loads(body)["routeResponseId"], {}

    def ignore(*_: object) -> None:
        """Do nothing: deleting the secret or the API deletes this as well."""

    handlers["AWS::SecretsManager::RotationSchedule"] = {"create": create_rotation, "delete": ignore}
    handlers["AWS::ApiGatewayV2::RouteResponse"] = {"create": create_route_response, "delete": ignore}


def send_stack_events() -> None:
    """Send EventBridge the events of CloudFormation about the end of a deployment."""
    add_event = stacks._add_event

    def add(stack_id: str, stack_name: str, logical_id: str, kind: str, status: str, *args: Any, **kwargs: Any) -> Any:
        result = add_event(stack_id, stack_name, logical_id, kind, status, *args, **kwargs)
        if kind == "AWS::CloudFormation::Stack" and logical_id == stack_name:
            detail = {"stack-id": stack_id, "status-details": {"status": status}}
            entry = {
                "Source": "aws.cloudformation",
                "DetailType": "CloudFormation Stack Status Change",
                "Detail": json.dumps(detail),
            }
            eventbridge._put_events({"Entries": [entry]}, allow_aws_source=True)
        return result

    stacks._add_event = add


def correct_permissions() -> None:
    """Evaluate three requests with the resource or action that AWS uses."""
    find_resource, find_action = iam_actions.extract_resource_arn, iam_actions.extract_iam_action

    def resource(service: str, method: str, path: str, headers: Json, body: bytes, query: Json, *args: str) -> str:
        """Use the state machine for a task's result. Its token does not name it: there is one state machine."""
        target = headers.get("x-amz-target", "")
        if service == "states" and ".SendTask" in target:
            (arn,) = [each["stateMachineArn"] for each in stepfunctions._state_machines.values()]
            return str(arn)
        return str(find_resource(service, method, path, headers, body, query, *args))

    def action(service: str, method: str, path: str, headers: Json, body: bytes, query: Json) -> str | None:
        """Use the same action for the first entry of a bulk deletion as for the others."""
        found: str | None = find_action(service, method, path, headers, body, query)
        if service == "s3" and method == "POST" and "delete" in query and found == "s3:DeleteObject":
            bucket = path.strip("/").partition("/")[0]
            entries = iam_actions._s3_batch_delete_targets(bucket, body)
            return "s3:DeleteObjectVersion" if entries and entries[0][1] else found
        return found

    iam_actions.extract_resource_arn, iam_actions.extract_iam_action = resource, action


def serve_aws_host_names() -> None:
    """Serve the host names of API Gateway, and CloudFront's origins and WebSocket connections through them."""
    app._EXECUTE_API_RE = re.compile(r"^([a-f0-9]{8})\.execute-api\.")
    cloudfront._is_aws_owned_host = lambda host: ".execute-api." not in host and host.endswith(".amazonaws.com")
    cloudfront._origin_connect_target = lambda _origin, _https: ("127.0.0.1", PORT, True)
    without_check = ssl._create_unverified_context()  # noqa: S323  (it connects to this process)
    cloudfront._origin_ssl_context = lambda: without_check
    find_keys = apigateway._resolve_jwks_url

    async def resolve_keys(authorizer: Json) -> str | None:
        """Return the URL of a user pool's keys. MiniStack would use HTTP, which it does not serve with TLS."""
        url: str | None = await find_keys(authorizer)
        return url.replace("http://", "https://") if url else None

    apigateway._resolve_jwks_url = resolve_keys
    serve = app.app

    async def with_cloudfront_sockets(scope: Json, receive: Any, send: Any) -> None:
        """Replace CloudFront's host name in WebSocket requests by that of the origin of ``/ws``."""
        if scope["type"] == "websocket":
            scope["headers"] = [
                (name, _origin_of(value) if name == b"host" else value) for name, value in scope["headers"]
            ]
        await serve(scope, receive, send)

    app.app = with_cloudfront_sockets


def _origin_of(host: bytes) -> bytes:
    """Return the host name to which a distribution forwards ``/ws``. Return any other host name unchanged."""
    label = app._parse_cloudfront_dataplane_host(host.decode())
    if label is None:
        return host
    config = cloudfront.parse_distribution_dataplane_config(cloudfront.find_distribution_for_label(label))
    (behavior,) = [each for each in config["ordered_behaviors"] if each["path_pattern"] == "/ws"]
    return str(config["origins"][behavior["target_origin_id"]]["domain_name"]).encode()


def run_functions_as_on_lambda() -> None:
    """Give each function its layers at /opt: the program ``function.sh`` starts Python there."""
    starter = str(Path(__file__).with_name("function.sh"))
    detect = lambda_runtime._detect_runtime_binary
    lambda_runtime._detect_runtime_binary = lambda runtime: (starter, detect(runtime)[1])
    os.environ["WITNESS_PYTHON"] = sys.executable


if __name__ == "__main__":
    add_resource_types()
    send_stack_events()
    correct_permissions()
    serve_aws_host_names()
    run_functions_as_on_lambda()
    app._port_is_bindable = lambda *_: False  # never listen on port 443
    app.main()
