"""Routes for personal tokens: create, list, revoke. A personal token itself cannot be used for them."""

from fastapi import APIRouter

from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import SignedInUser
from satchel.entrypoints.http.parameters import InjectedUseCases, TokenPath
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.tokens import NewToken, TokenList, TokenOut, TokenWithText

router = APIRouter(tags=["me"])

_CREATED = examples.responses(201, examples.TOKEN_WITH_TEXT, 400, 403, 409, 413, 422)


@router.post("/api/me/tokens", status_code=201, responses=_CREATED)
def create_token(user: SignedInUser, use_cases: InjectedUseCases, body: NewToken) -> TokenWithText:
    """Make a token for a program of the user, which sends it as the bearer token. Its text is returned only once."""
    token, text = use_cases.personal_tokens.create(user, body.name, body.ttl_days)
    return TokenWithText(**TokenOut.of(token).model_dump(), token=text)


@router.get("/api/me/tokens", responses=examples.responses(200, examples.TOKENS, 403))
def list_tokens(user: SignedInUser, use_cases: InjectedUseCases) -> TokenList:
    """List the user's valid personal tokens, newest first, without their texts."""
    return TokenList(tokens=[TokenOut.of(token) for token in use_cases.personal_tokens.list(user)])


@router.delete("/api/me/tokens/{token_id}", status_code=204, responses=problem_responses(403, 404, 422))
def revoke_token(user: SignedInUser, use_cases: InjectedUseCases, token_id: TokenPath) -> None:
    """Revoke a personal token. It stops working immediately. Safe to repeat."""
    use_cases.personal_tokens.revoke(user, token_id)
