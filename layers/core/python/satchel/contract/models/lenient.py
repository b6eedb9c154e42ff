"""The base of models that read what tools write: an optional field that is wrong is left out, the rest stays."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator


class LenientModel(BaseModel):
    """Fields not in ``essential`` that do not validate count as not given; so does null. Unknown keys are left out.

    ``model_fields_set`` therefore tells what a tool gave and we could use.
    """

    model_config = ConfigDict(coerce_numbers_to_str=True)
    essential: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="wrap")
    @classmethod
    def _leave_out_what_is_wrong(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401
        if not isinstance(data, Mapping):
            return handler(data)
        given = {key: value for key, value in data.items() if value is not None}
        try:
            return handler(given)
        except ValidationError as error:
            wrong = {str(fault["loc"][0]) for fault in error.errors(include_input=False) if fault["loc"]}
            if not wrong or wrong & cls.essential:
                raise
        return handler({key: value for key, value in given.items() if key not in wrong})


def in_words(error: ValidationError) -> str:
    """Say in one line what was wrong, without what was given (it may be megabytes)."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(_fault(".".join(map(str, fault["loc"])), fault["msg"]) for fault in faults)


def _fault(where: str, message: str) -> str:
    if message == "Field required":
        return f"no {where}"
    message = message.removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
