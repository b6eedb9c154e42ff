"""A test's system: the use cases over fakes, and methods that prepare sessions, turns, calls and files."""

import io
from datetime import timedelta
from typing import Any

from satchel.contract import Artifact, DeferredArtifact, Display
from satchel.domain.calls import Call, CallResult, RunnerReport, StoredFile
from satchel.domain.conversation import ModelReply
from satchel.domain.files import FileRecord
from satchel.domain.ids import call_id
from satchel.domain.sessions import Session, Turn
from satchel.domain.steps import CallStep, Failure, TurnStep
from satchel.domain.users import Identity
from satchel.services.files.artifact_records import to_stored_file
from satchel.services.turns.start_turn import TurnRequest
from tests.unit.services.samples import ALICE
from tests.unit.services.wiring import Wiring


class World(Wiring):
    """The use cases over fakes. All fakes are public, so that tests can read them."""

    def session(self, who: Identity = ALICE) -> Session:
        """Start a session."""
        return self.use_cases.start_session(who)

    def turn(
        self,
        session: Session,
        message: str = "Hello",
        who: Identity = ALICE,
        tools: list[str] | None = None,
        files: list[str] | None = None,
    ) -> Turn:
        """Start a turn."""
        return self.use_cases.start_turn(
            who, session.session_id, TurnRequest(message=message, tools=tools, files=files or [])
        )

    def upload(
        self, name: str, body: bytes = b"a,b\n1,2\n", session: Session | None = None, who: Identity = ALICE
    ) -> FileRecord:
        """Upload a file, one second after the previous step."""
        self.clock.advance(1)
        return self.use_cases.upload_file(who, name, body, None, session.session_id if session else None)

    def expire_after(self, record: FileRecord, after: timedelta = timedelta(hours=1)) -> FileRecord:
        """Set the time at which a file expires."""
        at = int((self.clock.now() + after).timestamp())
        return self.files.save_version(record.model_copy(update={"expires_at": at}))

    def call(
        self, turn: Turn, tool: str = "report.echo", arguments: str = "{}", round_number: int = 0, index: int = 0
    ) -> Call:
        """Store a proposed call."""
        call = Call(
            call_id=call_id(turn.turn_id, round_number, index),
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            user=turn.user,
            tool=tool,
            arguments=arguments,
            ref=f"ref-{round_number}-{index}",
            round=round_number,
            index=index,
        )
        self.calls.add([call])
        return call

    def reload(self, call: Call) -> Call:
        """Return the stored call."""
        stored = self.calls.get(call.turn_id, call.call_id)
        assert stored is not None
        return stored

    def stored_file(
        self, call: Call, name: str, body: bytes = b"<p>", index: int = 0, mime: str = "text/html", **fields: object
    ) -> StoredFile:
        """Store a file as a runner does, and return its entry in the report. ``fields`` are those of the artifact."""
        model = DeferredArtifact if fields.pop("deferred", False) is True else Artifact
        artifact = model.model_validate({"name": name, "mime": mime, "path": name} | fields)
        stored = to_stored_file(call.user, call.call_id, index, artifact)
        self.put(stored.key, body, mime)
        return stored

    def tool_file(
        self, session: Session, name: str, *, temporary: bool = False, expires_hours: int | None = None
    ) -> FileRecord:
        """Return a file that a tool has created in a turn of its own. It is deferred if ``expires_hours`` is given."""
        turn = self.turn(session)
        call = self.call(turn)
        fields: dict[str, Any] = {}
        if expires_hours is not None:
            waits = {"reason": "needs_editing", "next_actions": ["Edit it"], "expires_hours": expires_hours}
            fields = {"deferred": True, **waits}
        display = Display(storage_action="temporary") if temporary else None
        self.finish_call(call, RunnerReport(files=[self.stored_file(call, name, **fields)], display=display))
        self.complete(turn)
        return next(iter(self.files.list_by_name(session.user, session.session_id, name)))

    def reload_session(self, session: Session) -> Session:
        """Return the stored session."""
        stored = self.sessions.get(session.user, session.session_id)
        assert stored is not None
        return stored

    def put(self, key: str, body: bytes, mime: str = "text/plain") -> None:
        """Put an object into the store."""
        self.store.put(key, io.BytesIO(body), mime)

    def store_report(self, call: Call, report: RunnerReport) -> None:
        """Store a report as a runner does."""
        self.reports.save(call, report)

    def finish_call(self, call: Call, report: RunnerReport | None = None, failure: Failure | None = None) -> CallResult:
        """End a call, with or without a report, and return its recorded result."""
        if report is not None:
            self.store_report(call, report)
        self.use_cases.record_tool_result(call_step(call, failure=failure))
        result = self.reload(call).result
        assert result is not None
        return result

    def complete(self, turn: Turn, text: str = "Done.") -> None:
        """Let the model give its final answer after the calls of the turn, and end the turn."""
        self.model.replies.append(ModelReply(text=text))
        rounds = [call.round for call in self.calls.list(turn.turn_id)]
        step = self.use_cases.think(turn_step(turn, max(rounds, default=-1) + 1))
        if not step.ended:
            self.use_cases.finish_turn(TurnStep.model_validate(step.model_dump()))


def turn_step(turn: Turn, round_number: int = 0, failure: Failure | None = None) -> TurnStep:
    """Return the input of a state for a turn."""
    return TurnStep(
        user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id, round=round_number, failure=failure
    )


def call_step(call: Call, task_token: str | None = None, failure: Failure | None = None) -> CallStep:
    """Return the input of a state for a call."""
    ids: dict[str, Any] = call.model_dump(include={"user", "session_id", "turn_id", "call_id"})
    return CallStep(**ids, task_token=task_token, failure=failure)
