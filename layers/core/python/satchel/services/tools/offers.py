"""Requests prompts and resources of MCP servers for their users. Runners answer, and the API does not invoke them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from satchel.domain.audit import ENTRY_ID_KIND, offer_entry
from satchel.domain.errors import InvalidRequest, NotFound, Unavailable
from satchel.domain.ids import new_id
from satchel.domain.resources import OfferAnswer, OfferRequest, Prompt
from satchel.domain.users import Identity
from satchel.ports.runners import OfferReader
from satchel.ports.system import Clock
from satchel.services.calls.audit import log_audit
from satchel.services.tools.tool_lists import ListTools


@dataclass(frozen=True)
class RequestOffers:
    """Return what a server that the user may call answers to a request for a prompt or a resource."""

    listed: ListTools
    read: OfferReader
    clock: Clock
    entropy: Callable[[int], bytes]

    def prompt(self, user: Identity, server: str, name: str, arguments: Mapping[str, str]) -> OfferAnswer:
        """Return the text and the files of a prompt.

        Raise NotFound if the user's servers do not offer it, InvalidRequest if an argument is missing or the server
        rejects the request, and Unavailable if the server does not answer.
        """
        prompt = self._find_prompt(user, server, name)
        missing = [each.name for each in prompt.arguments if each.required and not arguments.get(each.name)]
        if missing:
            raise InvalidRequest(f"The prompt needs a value for: {', '.join(missing)}.")
        request = OfferRequest(method="prompts/get", name=name, arguments=dict(arguments))
        return self._answer(user, server, request)

    def complete(
        self, user: Identity, server: str, name: str, argument: str, arguments: Mapping[str, str]
    ) -> list[str]:
        """Return values of a prompt's argument that begin like its value in ``arguments``.

        Return no values if the server cannot complete arguments. Raise NotFound and Unavailable like ``prompt``.
        """
        if argument not in {each.name for each in self._find_prompt(user, server, name).arguments}:
            raise NotFound("The prompt has no such argument.")
        request = OfferRequest(method="completion/complete", name=name, arguments=dict(arguments), argument=argument)
        return self.read(server, user.name, request).values

    def resource(self, user: Identity, server: str, uri: str) -> OfferAnswer:
        """Return the content of a resource as files. Raise the errors of ``prompt``."""
        offers = self.listed.offers(user.groups)
        if not any((each.server, each.uri) == (server, uri) for each in offers.resources):
            raise NotFound("There is no such resource.")
        return self._answer(user, server, OfferRequest(method="resources/read", name=uri))

    def _find_prompt(self, user: Identity, server: str, name: str) -> Prompt:
        for prompt in self.listed.offers(user.groups).prompts:
            if (prompt.server, prompt.name) == (server, name):
                return prompt
        raise NotFound("There is no such prompt.")

    def _answer(self, user: Identity, server: str, request: OfferRequest) -> OfferAnswer:
        started = self.clock.monotonic()
        error_code: str | None = Unavailable.code
        try:
            answer = self.read(server, user.name, request)
            error_code = None if answer.problem is None else InvalidRequest.code
        finally:
            now = self.clock.now()
            entry = offer_entry(
                user.name,
                server,
                request,
                audit_id=new_id(ENTRY_ID_KIND, now, self.entropy(10)),
                at=now,
                result="error" if error_code else "ok",
                error_code=error_code,
                duration_seconds=round(self.clock.monotonic() - started, 3),
            )
            log_audit(entry)
        if answer.problem is not None:
            raise InvalidRequest(f"The server '{server}' refused the request: {answer.problem}")
        return answer
