"""Routes for shared links to files: create, list, revoke."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query

from satchel.domain.errors import SharedLinkNotFound
from satchel.domain.ids import FileKey, IdBody, LinkId
from satchel.domain.links import SharedLink
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import Cursor, FilePath, IdempotencyKey, InjectedUseCases, Limit, LinkPath
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.files import LinkOut, LinkPage, LinksRevoked, LinkWithUrl, NewLink

router = APIRouter(tags=["links"])

_CREATED = examples.responses(201, examples.LINK_WITH_URL, 400, 403, 404, 409, 413, 422)


@router.post("/api/files/{file_key}/link", status_code=201, responses=_CREATED)
def share_file(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    file_key: FilePath,
    body: NewLink | None = None,
    idempotency_key: IdempotencyKey = None,
) -> LinkWithUrl:
    """Create a link to a file's newest version, valid up to a day unless the file is deleted or its session ends."""
    seconds = (body or NewLink()).ttl_seconds

    def create(id_body: IdBody | None) -> tuple[str, tuple[SharedLink, str]]:
        link, url = use_cases.share_file(user, file_key, seconds, id_body)
        return link.link_id, (link, url)

    def read(link_id: str) -> tuple[SharedLink, str]:
        return use_cases.share_file.again(user, LinkId(link_id))

    request = ("share_file", f"{file_key} {seconds}")
    link, url = use_cases.run_once(user, idempotency_key, request, create, read)
    return LinkWithUrl(**LinkOut.of(link).model_dump(), url=url)


@router.get("/api/links", responses=examples.responses(200, examples.LINKS, 403, 422))
def list_links(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    file_key: Annotated[str | None, Query(max_length=100, description="Only links of this file.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> LinkPage:
    """List the user's valid links, newest first. A page that is not the last may have fewer than `limit` items."""
    page = use_cases.read_links(user, FileKey(file_key) if file_key is not None else None, limit, cursor)
    return LinkPage(links=[LinkOut.of(link) for link in page.items], cursor=page.cursor)


@router.delete("/api/links/{link_id}", status_code=204, responses=problem_responses(403, 404, 422))
def revoke_link(user: CurrentUser, use_cases: InjectedUseCases, link_id: LinkPath) -> None:
    """Revoke a link. It stops working immediately. Safe to repeat."""
    with suppress(SharedLinkNotFound):
        use_cases.revoke_links(user, link_id)


@router.delete("/api/links", responses=examples.responses(200, examples.LINKS_REVOKED, 403))
def revoke_all_links(user: CurrentUser, use_cases: InjectedUseCases) -> LinksRevoked:
    """Revoke all links of the user. They stop working immediately."""
    return LinksRevoked(revoked=use_cases.revoke_links.all(user))
