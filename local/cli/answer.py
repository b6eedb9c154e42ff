"""The answer of a turn as text: what was said, the files it made, and how to go on."""

from collections.abc import Iterator, Sequence

from local.cli.save import Saved, TurnFile
from local.cli.text import one_line, plain
from satchel.domain.prompt import human_size
from satchel.domain.responses import FinalResponse, ResponseDeferred


def answer_lines(response: FinalResponse, saved: Sequence[Saved]) -> Iterator[str]:
    """Write the answer; ``saved`` belongs to the artifacts and then the deferred ones, in order, or is empty."""
    if response.message:
        yield plain(response.message)
    yield from file_lines(response, saved)
    yield ""
    yield f"Session {response.session_id}"
    yield f'Go on with: satchel ask --session {response.session_id} "…"'


def file_lines(response: FinalResponse, saved: Sequence[Saved]) -> Iterator[str]:
    """Write the files that were made, and those that wait."""
    made = len(response.artifacts)
    yield from _section("Files", response.artifacts, saved[:made])
    yield from _section("Waiting for you", response.deferred_artifacts, saved[made:])


def files_of(response: FinalResponse) -> list[TurnFile]:
    """Return all files of an answer, in the order in which they are listed."""
    return [*response.artifacts, *response.deferred_artifacts]


def _section(title: str, files: Sequence[TurnFile], saved: Sequence[Saved]) -> Iterator[str]:
    if not files:
        return
    yield ""
    yield title
    rows = [[one_line(file.name), file.mime, human_size(file.size)] for file in files]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for index, (file, (name, mime, size)) in enumerate(zip(files, rows, strict=True)):
        place = f"  {_place(saved[index])}" if saved else ""
        yield f"  {name:<{widths[0]}}  {mime:<{widths[1]}}  {size:>{widths[2]}}{place}"
        if isinstance(file, ResponseDeferred):
            yield from _next_steps(file)


def _next_steps(file: ResponseDeferred) -> Iterator[str]:
    if file.reason:
        yield f"    why: {one_line(file.reason)}"
    for action in file.next_actions:
        yield f"    next: {one_line(action)}"


def _place(saved: Saved) -> str:
    if saved.problem:
        return f"not saved: {saved.problem}"
    return f"{'replaced' if saved.replaced else 'saved'} {saved.path}"
