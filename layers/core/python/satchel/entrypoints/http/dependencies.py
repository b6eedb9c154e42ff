"""What FastAPI injects into routes: the use cases of the application that serves the request."""

from typing import Annotated

from fastapi import Depends, Request

from satchel.use_cases import UseCases


def use_cases_of(request: Request) -> UseCases:
    """Return the use cases of the application that serves this request."""
    use_cases: UseCases = request.app.state.use_cases
    return use_cases


InjectedUseCases = Annotated[UseCases, Depends(use_cases_of)]
