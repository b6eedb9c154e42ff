"""Store what an app gets of a call: the page as a file of the call, and the state, from which a reload restores it."""

import io

from satchel.contract import APP_MIME, Artifact, ArtifactProblem
from satchel.domain.apps import APP_INDEX, AppState, app_file_name, state_key
from satchel.domain.calls import StoredFile
from satchel.domain.object_keys import UNCLAIMED_TAGS
from satchel.ports.runners import CallOrder
from satchel.ports.storage import FileStore
from satchel.ports.tool_client import AppAnswer
from satchel.services.files.artifact_records import to_stored_file


def store_app(store: FileStore, order: CallOrder, answer: AppAnswer) -> tuple[list[StoredFile], list[ArtifactProblem]]:
    """Store the app of a call, if it has one, and its state. Return the stored file, or why there is none.

    If an app made the call, only the state is stored. It is deleted after a day.
    """
    name = app_file_name(order.tool)
    if answer.problem:
        return [], [ArtifactProblem(name=name, reason=answer.problem)]
    if answer.page is None and not order.from_app:
        return [], []
    state = answer.page.state(answer.result) if answer.page else AppState(result=answer.result)
    body = io.BytesIO(state.bounded().model_dump_json().encode())
    store.put(state_key(order.user, order.call_id), body, "application/json", UNCLAIMED_TAGS)
    if answer.page is None:
        return [], []
    artifact = Artifact(
        name=name, mime=APP_MIME, uri=answer.page.uri, title=order.app_title, viewer="app", auto_open=True
    )
    file = to_stored_file(order.user, order.call_id, APP_INDEX, artifact)
    store.put(file.key, io.BytesIO(answer.page.html.encode()), APP_MIME, UNCLAIMED_TAGS)
    return [file], []
