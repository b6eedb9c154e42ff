"""What a person asks of all their files: some of them, and how much they are."""

from pydantic import BaseModel, ConfigDict

from satchel.domain.files import FileRecord, Source


class FileFilter(BaseModel):
    """Which files are meant: those that fit everything that is given."""

    model_config = ConfigDict(frozen=True)

    session_id: str | None = None
    source: Source | None = None
    category: str | None = None
    name_prefix: str = ""

    @property
    def narrows(self) -> bool:
        """Tell whether something is asked by which no list is ordered, so that records must be looked at to know."""
        return self.source is not None or self.category is not None

    def fits(self, record: FileRecord) -> bool:
        """Tell whether a file is meant."""
        return (
            self.session_id in {None, record.session_id}
            and self.source in {None, record.source}
            and self.category in {None, record.category}
            and record.name.startswith(self.name_prefix)
        )


class Usage(BaseModel):
    """How much a person keeps: the bytes of all versions, and the number of files."""

    bytes: int = 0
    count: int = 0
