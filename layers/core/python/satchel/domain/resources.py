"""Resources and prompts that MCP servers offer besides tools."""

from typing import Literal

from pydantic import BaseModel

MAX_OFFERED = 1000
"""The most resources, templates and prompts each of a server that Satchel stores."""

READ_RESOURCE = "read_resource"
"""The name of the tool with which Satchel reads a server's resources, unless the server has such a tool itself."""


class Resource(BaseModel):
    """Data of a server with an address, such as ``demo://report/7``."""

    server: str
    uri: str
    name: str
    title: str | None = None
    description: str = ""
    mime: str | None = None
    size: int | None = None


class ResourceTemplate(BaseModel):
    """A pattern for the addresses of resources, such as ``demo://report/{number}`` (RFC 6570)."""

    server: str
    uri_template: str
    name: str
    title: str | None = None
    description: str = ""
    mime: str | None = None


class PromptArgument(BaseModel):
    """An argument of a prompt."""

    name: str
    description: str = ""
    required: bool = False


class Prompt(BaseModel):
    """A prepared message of a server, with arguments."""

    server: str
    name: str
    title: str | None = None
    description: str = ""
    arguments: list[PromptArgument] = []


class Offers(BaseModel):
    """Everything that a server offers besides tools."""

    resources: list[Resource] = []
    templates: list[ResourceTemplate] = []
    prompts: list[Prompt] = []

    def with_server(self, server: str) -> "Offers":
        """Return the offers with the name of their server, which an untrusted runner could have changed."""
        changed = {
            field: [each.model_copy(update={"server": server}) for each in getattr(self, field)[:MAX_OFFERED]]
            for field in type(self).model_fields
        }
        return self.model_copy(update=changed)


OfferMethod = Literal["prompts/get", "completion/complete", "resources/read"]

MAX_OFFERED_CHARS = 4_000_000
"""The most characters of text and base64 that a user gets at once. Lambda limits a response to 6 MB."""

MAX_VALUES = 100
"""The most values that complete an argument. MCP has the same limit."""


class OfferRequest(BaseModel):
    """A user's request to a server for a prompt or a resource. ``name`` is the prompt, or the resource's address.

    ``arguments`` are those of the prompt. ``completion/complete`` asks for values of its argument ``argument``, which
    begin like the value in ``arguments``.
    """

    method: OfferMethod
    name: str
    arguments: dict[str, str] = {}
    argument: str | None = None


class OfferedFile(BaseModel):
    """A file of a prompt, or a resource. ``b64`` is its content as base64."""

    name: str
    mime: str
    b64: str


class OfferAnswer(BaseModel):
    """The answer to an ``OfferRequest``: a prompt's text and files, a resource's files, or values of an argument.

    ``problem`` says why the server has no answer.
    """

    text: str = ""
    files: list[OfferedFile] = []
    values: list[str] = []
    problem: str | None = None
