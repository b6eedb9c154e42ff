"""Questions that a tool asks the user (MCP elicitation): the forms and links that tools may send, and the answers.

A form has fields of the restricted JSON Schema of MCP: texts, numbers, yes or no, and choices. ``Form`` accepts these
fields only, cuts their texts, and checks answers.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel

from satchel.contract.jsonable import replace_surrogates
from satchel.domain.ids import CallId, TurnId
from satchel.domain.size_limits import truncate

MAX_QUESTIONS = 10
"""Maximum questions that a tool may ask at once."""

MAX_FIELDS = 50
MAX_CHOICES = 200
MAX_STATE_CHARS = 64_000
"""Maximum length of the state that a server wants back with the answers. Larger orders may not fit into an event."""

MAX_ANSWER_BYTES = 16_000
MAX_REPORTED_BYTES = 64_000
"""Maximum size of a question that a tool asks while it runs, as its runner reports it."""

MAX_RECORD_BYTES = 200_000
"""Maximum size of the stored questions of a call. With ten answers, the item stays below DynamoDB's 400 KB."""

_MAX_ANSWER_CHARS = 10_000
_MAX_MESSAGE_CHARS = 2_000
_MAX_URL_CHARS = 8_000
_MAX_NAME_CHARS = 200
_MAX_QUOTED_CHARS = 200

NOT_ANSWERED = "The user did not answer the tool's question in time. Ask the user before you call the tool again."

Mode = Literal["form", "url"]
Action = Literal["accept", "decline", "cancel"]
Value = str | int | float | bool | list[str]


class UnsupportedQuestion(ValueError):
    """A tool asked something that Satchel does not show to users. The text says what, as a part of a sentence."""


def _clean(text: object) -> object:
    return truncate(str(replace_surrogates(text)), _MAX_MESSAGE_CHARS) if isinstance(text, str) else text


Text = Annotated[str, BeforeValidator(_clean)]
_Name = Annotated[str, Field(max_length=_MAX_NAME_CHARS)]
_Choices = Annotated[list[_Name], Field(min_length=1, max_length=MAX_CHOICES)]
_Count = Annotated[int, Field(ge=0)]


class _SchemaPart(BaseModel):
    """A part of a form's schema. Keywords that MCP does not define are dropped."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True)


class Choice(_SchemaPart):
    """A choice with the title that users see."""

    const: _Name
    title: Text


class _Field(_SchemaPart):
    title: Text | None = None
    description: Text | None = None


class TextField(_Field):
    """A text, or one choice: of ``enum`` (with the titles ``enum_names``, if any) or of ``one_of``.

    A ``format`` that MCP does not define is ignored.
    """

    type: Literal["string"]
    min_length: _Count | None = None
    max_length: _Count | None = None
    # In the order of the MCP SDK: Python keeps the first of two equal unions, so another order would make the generated
    # documents depend on what is imported first.
    format: Literal["date", "date-time", "email", "uri"] | None = None
    enum: _Choices | None = None
    enum_names: list[Text] | None = None
    one_of: Annotated[list[Choice], Field(min_length=1, max_length=MAX_CHOICES)] | None = None
    default: str | None = None

    @field_validator("format", mode="before")
    @classmethod
    def _ignore_unknown(cls, value: object) -> object:
        return value if value in _FORMATS else None

    def find_problem(self, value: object) -> str | None:
        """Return what is wrong with an answer, or None."""
        if not isinstance(value, str):
            return "must be a text"
        choices = self.enum if self.enum is not None else [each.const for each in self.one_of or []]
        if choices:
            return None if value in choices else "must be one of the choices"
        if self.min_length is not None and len(value) < self.min_length:
            return f"must have at least {self.min_length} characters"
        if len(value) > (_MAX_ANSWER_CHARS if self.max_length is None else self.max_length):
            return f"must have at most {_MAX_ANSWER_CHARS if self.max_length is None else self.max_length} characters"
        return None if self.format is None or _has_format(value, self.format) else f"must be {_FORMATS[self.format]}"


class NumberField(_Field):
    """A number or an integer."""

    type: Literal["number", "integer"]
    minimum: float | int | None = None
    maximum: float | int | None = None
    default: float | int | None = None

    def find_problem(self, value: object) -> str | None:
        """Return what is wrong with an answer, or None."""
        if isinstance(value, bool) or not isinstance(value, int | float) or value in {math.inf, -math.inf}:
            return "must be a number"
        if self.type == "integer" and isinstance(value, float) and not value.is_integer():
            return "must be a whole number"
        if self.minimum is not None and value < self.minimum:
            return f"must be at least {self.minimum}"
        if self.maximum is not None and value > self.maximum:
            return f"must be at most {self.maximum}"
        return None


class BooleanField(_Field):
    """Yes or no."""

    type: Literal["boolean"]
    default: bool | None = None

    def find_problem(self, value: object) -> str | None:
        """Return what is wrong with an answer, or None."""
        return None if isinstance(value, bool) else "must be true or false"


class ChoiceItems(_SchemaPart):
    """The choices of a field with several choices: ``enum``, or ``any_of`` with titles."""

    type: Literal["string"] = "string"
    enum: _Choices | None = None
    any_of: Annotated[list[Choice], Field(min_length=1, max_length=MAX_CHOICES)] | None = None

    @model_validator(mode="after")
    def _has_choices(self) -> "ChoiceItems":
        if not self.values:
            raise ValueError("a list without choices")
        return self

    @property
    def values(self) -> Sequence[str]:
        """Return the values that may be chosen."""
        return self.enum if self.enum is not None else [each.const for each in self.any_of or []]


class ChoicesField(_Field):
    """Several choices."""

    type: Literal["array"]
    items: ChoiceItems
    min_items: _Count | None = None
    max_items: _Count | None = None
    default: list[str] | None = None

    def find_problem(self, value: object) -> str | None:
        """Return what is wrong with an answer, or None."""
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            return "must be a list of choices"
        if not set(value) <= set(self.items.values):
            return "must have only values of the choices"
        if len(set(value)) < len(value):
            return "must have each choice once"
        if self.min_items is not None and len(value) < self.min_items:
            return f"must have at least {self.min_items} choices"
        if self.max_items is not None and len(value) > self.max_items:
            return f"must have at most {self.max_items} choices"
        return None


FormField = Annotated[TextField | NumberField | BooleanField | ChoicesField, Field(discriminator="type")]


class FieldProblem(BaseModel):
    """A problem of one field of an answer. ``field`` is its path in the body of the request."""

    field: str
    message: str


class Form(_SchemaPart):
    """A form: its fields by name, in order, and the names of those that the user must fill in."""

    type: Literal["object"] = "object"
    properties: Annotated[dict[_Name, FormField], Field(max_length=MAX_FIELDS)]
    required: list[str] = []

    @field_validator("required")
    @classmethod
    def _drop_unknown(cls, names: list[str], info: Any) -> list[str]:  # noqa: ANN401  (pydantic's ValidationInfo)
        return [name for name in names if name in info.data.get("properties", {})]

    def find_problems(self, content: Mapping[str, object]) -> list[FieldProblem]:
        """Return the fields of an answer that violate the form. Messages never contain the answer."""
        problems = {name: "is required" for name in self.required if name not in content}
        for name, value in content.items():
            field = self.properties.get(name)
            problem = field.find_problem(value) if field else "is not a field of the form"
            if problem:
                problems[name] = problem
        return [FieldProblem(field=f"body.content.{name}", message=text) for name, text in problems.items()]

    @property
    def defaults(self) -> dict[str, Value]:
        """Return the fields with a default: the answer of a user who changes nothing."""
        return {name: field.default for name, field in self.properties.items() if field.default is not None}


_FORMATS: Mapping[str, str] = {
    "email": "an email address",
    "uri": "a URI",
    "date": "a date (YYYY-MM-DD)",
    "date-time": "a date and time (RFC 3339)",
}


def _has_format(value: str, kind: str) -> bool:
    if kind == "email":
        name, _, host = value.partition("@")
        return bool(name) and all(host.split(".")) and "@" not in host and not _has_space(value)
    try:
        if kind == "uri":
            scheme, _, rest = value.partition(":")
            return bool(scheme and rest) and urlsplit(value).scheme == scheme.lower() and not _has_space(value)
        if kind == "date":
            return date.fromisoformat(value).isoformat() == value
        return "T" in value.upper() and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _has_space(value: str) -> bool:
    return any(char.isspace() for char in value)


class Question(BaseModel):
    """A question of a tool: a form, or a link that the user opens. ``key`` is the server's name for it.

    ``form`` is None in the mode ``url``, and ``url`` is None in the mode ``form``.
    """

    key: str
    mode: Mode
    message: Text
    form: Form | None = None
    url: str | None = None

    @model_validator(mode="after")
    def _check_mode(self) -> "Question":
        if (self.form is None) is (self.mode == "form") or (self.url is None) is (self.mode == "url"):
            raise ValueError("a question has either a form or a URL")
        return self

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or len(url) > _MAX_URL_CHARS:
            raise ValueError("a link that is no web address")
        return url


def parse_questions(requests: Mapping[str, Any]) -> list[Question]:
    """Return the questions in ``inputRequests`` of a server. Raise UnsupportedQuestion for anything else."""
    if len(requests) > MAX_QUESTIONS:
        raise UnsupportedQuestion(f"it asked {len(requests)} questions at once; the maximum is {MAX_QUESTIONS}")
    return [_parse_question(key, request) for key, request in requests.items()]


def _parse_question(key: str, request: object) -> Question:
    if not isinstance(request, dict) or not isinstance(request.get("params", {}), dict):
        raise UnsupportedQuestion("it asked a malformed question")
    method, params = request.get("method"), request.get("params", {})
    if method != "elicitation/create":
        raise UnsupportedQuestion(f"it requested {str(method)[:50]}, which MCP has deprecated and Satchel refuses")
    return parse_elicitation(key, params)


def parse_elicitation(key: str, params: Mapping[str, Any]) -> Question:
    """Return the question in the parameters of ``elicitation/create``. Raise UnsupportedQuestion if it is invalid."""
    mode = params.get("mode") or "form"
    try:
        return Question.model_validate(
            {
                "key": key,
                "mode": mode,
                "message": params.get("message", ""),
                "form": params.get("requestedSchema") if mode == "form" else None,
                "url": params.get("url") if mode == "url" else None,
            }
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))[:_MAX_QUOTED_CHARS]
        raise UnsupportedQuestion(
            f"it asked an invalid question ({place}: {first['msg'][:_MAX_QUOTED_CHARS]})"
        ) from error


class RequestedInput(BaseModel):
    """The questions of a tool call that ended without a result, and the state that the server wants back."""

    questions: Annotated[list[Question], Field(min_length=1, max_length=MAX_QUESTIONS)]
    state: Annotated[str | None, Field(max_length=MAX_STATE_CHARS, repr=False)] = None

    @classmethod
    def parse(cls, requests: Mapping[str, Any], state: str | None) -> "RequestedInput":
        """Return what a server requests. Raise UnsupportedQuestion if Satchel cannot show it."""
        requested = cls.model_construct(questions=parse_questions(requests), state=state)
        if len(state or "") > MAX_STATE_CHARS or len(requested.model_dump_json().encode()) > MAX_RECORD_BYTES:
            raise UnsupportedQuestion("its questions are too large")
        if not requested.questions:
            raise UnsupportedQuestion("it requested input without a question")
        return requested


class InputAnswer(BaseModel):
    """The user's answer to a question. ``content`` has the values of a form, by field, if ``action`` is ``accept``.

    An accepted form without ``content`` is answered with its defaults.
    """

    model_config = ConfigDict(
        extra="forbid",
        hide_input_in_errors=True,
        json_schema_extra={"examples": [{"input_id": "1-0", "action": "accept", "content": {"city": "Bern"}}]},
    )

    input_id: Annotated[str, Field(max_length=20)]
    action: Action
    content: Annotated[dict[_Name, Value] | None, Field(max_length=MAX_FIELDS, repr=False)] = None


class AnsweredInput(BaseModel):
    """A question of a tool was answered. The answer's content is never returned."""

    call_id: CallId
    input_id: str
    action: Action


class OpenInput(BaseModel):
    """A question that waits for the user: a form with ``schema``, or the link ``url``.

    The answer must arrive before ``expires_at``. ``bound_seconds`` is set if a tool is running while the user answers:
    its wait is short, so clients show a countdown.
    """

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    call_id: CallId
    input_id: str
    tool: str
    mode: Mode
    message: str
    form: Annotated[Form | None, Field(alias="schema")] = None
    url: str | None = None
    expires_at: datetime
    bound_seconds: int | None = None


class PosedQuestion(NamedTuple):
    """A question and its id, with the answer if the user has given one."""

    input_id: str
    question: Question
    answer: InputAnswer | None


class CallInput(BaseModel):
    """The questions that a call asked at once, their answers by position, and what the call needs to continue.

    ``round`` counts how often the call has asked, from 1. ``state`` goes back to the server with the answers. Never
    return or log ``task_token``, which resumes the turn; it is None while the tool runs and waits for the answer itself
    (``bound_seconds``). ``taken``: the answers were sent to the tool. ``earlier`` are answered questions of earlier
    rounds, as the model reads them.
    """

    call_id: CallId
    turn_id: TurnId
    tool: str
    round: int
    questions: list[Question]
    answers: dict[int, InputAnswer] = Field(default={}, repr=False)
    state: str | None = Field(default=None, repr=False)
    task_token: str | None = Field(default=None, repr=False)
    expires_at: datetime
    bound_seconds: int | None = None
    taken: bool = False
    earlier: list[dict[str, str]] = []

    @property
    def posed(self) -> Sequence[PosedQuestion]:
        """Return the questions in order, with their ids."""
        return [
            PosedQuestion(f"{self.round}-{index}", question, self.answers.get(index))
            for index, question in enumerate(self.questions)
        ]

    @property
    def is_in_call(self) -> bool:
        """Return True if the tool is running while it waits for the answers."""
        return self.bound_seconds is not None

    @property
    def is_answered(self) -> bool:
        """Return True if the user has answered all questions."""
        return len(self.answers) == len(self.questions)

    @property
    def responses(self) -> dict[str, dict[str, Any]]:
        """Return the answers as MCP's ``inputResponses``."""
        return {each.question.key: to_elicit_result(each.answer) for each in self.posed if each.answer is not None}

    def open_inputs(self, now: datetime) -> Sequence[OpenInput]:
        """Return the questions that the user can still answer."""
        if self.taken or now >= self.expires_at:
            return []
        return [self.to_open(each) for each in self.posed if each.answer is None]

    def to_open(self, posed: PosedQuestion) -> OpenInput:
        """Return a question as clients see it."""
        question = posed.question
        return OpenInput(
            call_id=self.call_id,
            input_id=posed.input_id,
            tool=self.tool,
            mode=question.mode,
            message=question.message,
            form=question.form,
            url=question.url,
            expires_at=self.expires_at,
            bound_seconds=self.bound_seconds,
        )

    def for_model(self) -> list[dict[str, str]]:
        """Return what the call asked and the user's actions, without the answers: they may be secret."""
        answered = [
            {"message": truncate(each.question.message, _MAX_QUOTED_CHARS), "action": each.answer.action}
            for each in self.posed
            if each.answer is not None
        ]
        return [*self.earlier, *answered]


def to_elicit_result(answer: InputAnswer) -> dict[str, Any]:
    """Return an answer as the result of ``elicitation/create``."""
    if answer.content is None:
        return {"action": answer.action}
    return {"action": answer.action, "content": answer.content}
