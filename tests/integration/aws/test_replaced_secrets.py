"""Links to conversations and personal tokens get another secret, unless another request was faster."""

from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.chat_links import PREFIX, DynamoChatLinks
from satchel.adapters.dynamodb.personal_tokens import DynamoPersonalTokens
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.users import DynamoErasures
from satchel.domain.chat_links import ChatLink, digest_token
from satchel.domain.errors import ErasureRunning, RequestRunning
from satchel.domain.ids import LinkId, TokenId, UserName
from satchel.domain.personal_tokens import PersonalToken
from tests.integration.aws.factories import START, new_session_id, random_id

NOW = START + timedelta(minutes=1)


@pytest.fixture
def links(table: Table) -> DynamoChatLinks:
    return DynamoChatLinks(table)


@pytest.fixture
def tokens(table: Table) -> DynamoPersonalTokens:
    return DynamoPersonalTokens(table)


@pytest.fixture
def link(links: DynamoChatLinks, user: UserName) -> ChatLink:
    """A stored link."""
    link = ChatLink(
        link_id=LinkId(random_id("l")),
        owner=user,
        session_id=new_session_id(),
        epoch=1,
        with_files=False,
        created_at=START,
        expires_at=START + timedelta(days=7),
        token_digest=digest_token(random_id("x")),
    )
    links.add(link)
    return link


@pytest.fixture
def token(tokens: DynamoPersonalTokens, user: UserName) -> PersonalToken:
    """A stored token."""
    token = PersonalToken(
        token_id=TokenId(random_id("p")),
        user=user,
        groups=frozenset({"users", "admins"}),
        name="program",
        digest=digest_token(random_id("x")),
        created_at=START,
        expires_at=START + timedelta(days=7),
    )
    tokens.add(token, 20)
    return token


def renewed_link(link: ChatLink) -> ChatLink:
    return link.model_copy(update={"token_digest": digest_token(random_id("x"))})


def renewed_token(token: PersonalToken) -> PersonalToken:
    return token.model_copy(update={"digest": digest_token(random_id("x"))})


def pointers(table: Table, *links: ChatLink) -> list[bool]:
    """Return for each link whether there is a pointer to it by its secret."""
    return [table.get(f"{PREFIX}{link.token_digest}", "CHATLINK") is not None for link in links]


def test_only_the_new_secret_finds_the_link(links: DynamoChatLinks, link: ChatLink) -> None:
    renewed = renewed_link(link)

    links.replace(link, renewed, NOW)

    assert links.find(link.token_digest) is None
    assert links.find(renewed.token_digest) == links.get(link.owner, link.link_id) == renewed


def test_revocation_removes_the_pointer_of_the_new_secret(table: Table, links: DynamoChatLinks, link: ChatLink) -> None:
    renewed = renewed_link(link)
    links.replace(link, renewed, NOW)

    links.remove(link.owner, link.link_id)

    assert pointers(table, link, renewed) == [False, False]


def test_second_of_two_replacements_of_a_link_is_refused(table: Table, links: DynamoChatLinks, link: ChatLink) -> None:
    first, second = renewed_link(link), renewed_link(link)
    links.replace(link, first, NOW)

    with pytest.raises(RequestRunning):
        links.replace(link, second, NOW)

    assert links.get(link.owner, link.link_id) == first
    assert pointers(table, link, first, second) == [False, True, False]


def test_revoked_link_is_not_stored_again(table: Table, links: DynamoChatLinks, link: ChatLink) -> None:
    links.remove(link.owner, link.link_id)
    renewed = renewed_link(link)

    with pytest.raises(RequestRunning):
        links.replace(link, renewed, NOW)

    assert links.get(link.owner, link.link_id) is None
    assert pointers(table, renewed) == [False]


def test_link_is_not_replaced_while_all_data_of_its_owner_is_erased(
    table: Table, links: DynamoChatLinks, link: ChatLink
) -> None:
    DynamoErasures(table).begin(link.owner, START)

    with pytest.raises(ErasureRunning):
        links.replace(link, renewed_link(link), NOW)

    assert links.find(link.token_digest) == link


def test_token_has_the_new_secret_and_nothing_else_changes(tokens: DynamoPersonalTokens, token: PersonalToken) -> None:
    renewed = renewed_token(token)

    tokens.replace(token, renewed)

    assert tokens.get(token.user, token.token_id) == renewed


def test_second_of_two_replacements_of_a_token_is_refused(tokens: DynamoPersonalTokens, token: PersonalToken) -> None:
    first = renewed_token(token)
    tokens.replace(token, first)

    with pytest.raises(RequestRunning):
        tokens.replace(token, renewed_token(token))

    assert tokens.get(token.user, token.token_id) == first


def test_token_that_was_used_meanwhile_is_not_replaced(tokens: DynamoPersonalTokens, token: PersonalToken) -> None:
    tokens.mark_used(token.user, token.token_id, NOW)

    with pytest.raises(RequestRunning):
        tokens.replace(token, renewed_token(token))

    assert tokens.get(token.user, token.token_id) == token.model_copy(update={"last_used_at": NOW})


def test_revoked_token_is_not_stored_again(tokens: DynamoPersonalTokens, token: PersonalToken) -> None:
    tokens.remove(token.user, token.token_id)

    with pytest.raises(RequestRunning):
        tokens.replace(token, renewed_token(token))

    assert tokens.get(token.user, token.token_id) is None
