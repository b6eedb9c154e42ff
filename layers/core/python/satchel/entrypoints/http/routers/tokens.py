"""Routes for personal tokens: create, list, revoke. A personal token itself cannot be used for them."""

from fastapi import APIRouter

from satchel.domain.ids import IdBody, TokenId
from satchel.domain.personal_tokens import PersonalToken
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import SignedInUser
from satchel.entrypoints.http.parameters import IdempotencyKey, InjectedUseCases, TokenPath
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.tokens import NewToken, TokenList, TokenOut, TokenWithText

router = APIRouter(tags=["me"])

_CREATED = examples.responses(201, examples.TOKEN_WITH_TEXT, 400, 403, 404, 409, 413, 422)


@router.post("/api/me/tokens", status_code=201, responses=_CREATED)
def create_token(
    user: SignedInUser, use_cases: InjectedUseCases, body: NewToken, idempotency_key: IdempotencyKey = None
) -> TokenWithText:
    """Make a token for a program of the user, which sends it as the bearer token. Its text is returned only once.

    A repeated request with the same `Idempotency-Key` returns the same token with a new text, and the earlier text
    stops working. If the token was used meanwhile, the response is 409 `E_TOKEN_USED`.
    """

    def create(id_body: IdBody | None) -> tuple[str, tuple[PersonalToken, str]]:
        token, text = use_cases.personal_tokens.create(user, body.name, body.ttl_days, id_body)
        return token.token_id, (token, text)

    def read(token_id: str) -> tuple[PersonalToken, str]:
        return use_cases.personal_tokens.again(user, TokenId(token_id))

    request = ("create_token", body.model_dump_json())
    token, text = use_cases.run_once(user, idempotency_key, request, create, read)
    return TokenWithText(**TokenOut.of(token).model_dump(), token=text)


@router.get("/api/me/tokens", responses=examples.responses(200, examples.TOKENS, 403))
def list_tokens(user: SignedInUser, use_cases: InjectedUseCases) -> TokenList:
    """List the user's valid personal tokens, newest first, without their texts."""
    return TokenList(tokens=[TokenOut.of(token) for token in use_cases.personal_tokens.list(user)])


@router.delete("/api/me/tokens/{token_id}", status_code=204, responses=problem_responses(403, 404, 422))
def revoke_token(user: SignedInUser, use_cases: InjectedUseCases, token_id: TokenPath) -> None:
    """Revoke a personal token. It stops working immediately. Safe to repeat."""
    use_cases.personal_tokens.revoke(user, token_id)
