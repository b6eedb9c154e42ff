"""Answers of AWS in place of moto's, for requests that moto does not know. botocore checks them against its models."""

from typing import Any, cast

import boto3
from botocore.awsrequest import AWSResponse
from botocore.model import OperationModel
from botocore.validate import validate_parameters

Answer = dict[str, Any]


class RecordedAnswers:
    """Answers by operation. It also notes the names of all operations that the session's clients send."""

    def __init__(self, session: boto3.Session) -> None:
        self.sent: list[str] = []
        self._answers: dict[str, Answer] = {}
        self._refused: dict[str, str] = {}
        session.events.register_first("before-call", cast("Any", self._reply))  # a reply replaces the request

    def give(self, operation: str, **answer: object) -> None:
        """Answer an operation, such as ``GetAccountSettings``."""
        self._answers[operation] = answer

    def refuse(self, operation: str, code: str = "AccessDeniedException") -> None:
        """Refuse an operation with an error code."""
        self._refused[operation] = code

    def _reply(self, model: OperationModel, **_: object) -> tuple[AWSResponse, Answer] | None:
        self.sent.append(model.name)
        if code := self._refused.get(model.name):
            return _response(400), {"Error": {"Code": code, "Message": "refused"}}
        if (answer := self._answers.get(model.name)) is not None:
            assert model.output_shape is not None
            validate_parameters(answer, model.output_shape)
            return _response(200), answer
        return None


def _response(status: int) -> AWSResponse:
    return AWSResponse("", status, cast("Any", {}), None)
