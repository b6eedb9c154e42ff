"""Resources and prompts that MCP servers offer besides tools."""

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
