"""Who is asking, and which groups they are in."""

from pydantic import BaseModel, ConfigDict

from satchel.domain.ids import UserName

EVERYBODY = "users"


class Identity(BaseModel):
    """A signed-in person. ``name`` is what tools receive as ``username``."""

    model_config = ConfigDict(frozen=True)

    name: UserName
    groups: frozenset[str] = frozenset({EVERYBODY})
