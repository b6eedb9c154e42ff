"""Links that people share with themselves: made, listed, revoked."""

from typing import Annotated

from fastapi import APIRouter, Query

from satchel.domain.ids import FileKey
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.paths import FilePath, LinkPath
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.schemas.files import LinkMade, LinkOut, LinkPage, LinksRevoked, NewLink
from satchel.entrypoints.http.schemas.paging import Cursor, Limit

router = APIRouter(tags=["links"])

_MADE = examples.shown(201, examples.LINK_MADE) | responses(400, 403, 404, 413, 422)


@router.post("/api/files/{file_key}/link", status_code=201, responses=_MADE)
def share_file(who: Who, use_cases: InjectedUseCases, file_key: FilePath, wanted: NewLink | None = None) -> LinkMade:
    """Make a link to a file's newest version that lives up to a day. It ends with the file and with its session."""
    link, address = use_cases.share_file(who, file_key, (wanted or NewLink()).ttl_seconds)
    return LinkMade(**LinkOut.of(link).model_dump(), url=address)


@router.get("/api/links", responses=examples.shown(200, examples.LINKS) | responses(403, 422))
def list_links(
    who: Who,
    use_cases: InjectedUseCases,
    file_key: Annotated[str | None, Query(max_length=100, description="Only links of this file.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> LinkPage:
    """List the links that live, newest first. A page may hold fewer than `limit` while more pages follow."""
    page = use_cases.read_links(who, FileKey(file_key) if file_key is not None else None, limit, cursor)
    return LinkPage(links=[LinkOut.of(link) for link in page.items], cursor=page.cursor)


@router.delete("/api/links/{link_id}", status_code=204, responses=responses(403, 404, 422))
def revoke_link(who: Who, use_cases: InjectedUseCases, link_id: LinkPath) -> None:
    """Revoke a link: from now on it opens nothing."""
    use_cases.revoke_links(who, link_id)


@router.delete("/api/links", responses=examples.shown(200, examples.LINKS_REVOKED) | responses(403))
def revoke_all_links(who: Who, use_cases: InjectedUseCases) -> LinksRevoked:
    """Revoke all links."""
    return LinksRevoked(revoked=use_cases.revoke_links.all(who))
