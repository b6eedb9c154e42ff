"""Who is asking, and which groups they are in."""

from pydantic import BaseModel, ConfigDict

from satchel.domain.ids import UserName

EVERYBODY = "users"


class Identity(BaseModel):
    """A signed-in person. ``name`` is what tools receive as ``username``."""

    model_config = ConfigDict(frozen=True)

    name: UserName
    groups: frozenset[str] = frozenset({EVERYBODY})

    def may_use(self, groups: list[str]) -> bool:
        """Tell whether a server for these groups is open to the person; no groups means everybody signed in."""
        return not groups or not self.groups.isdisjoint(groups)
