"""Takes every step with the client of openapi-python-client, and prints what it saw as JSON.

Run by the tests, beside the package ``generated``. Argument: JSON {url, token}.
"""

import base64
import io
import json
import sys
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from generated import AuthenticatedClient
from generated.api.conversations import delete_conversation, import_conversation, read_conversation
from generated.api.files import delete_file, download, list_files, read_file, upload_content, upload_file
from generated.api.links import share_file
from generated.api.sessions import start_session
from generated.api.turns import decide_approval, read_approval, read_events, take_turn
from generated.models import (
    DecisionRequest,
    FileOut,
    FileUpload,
    ImportedTurn,
    ImportRequest,
    NewLink,
    NewSession,
    TurnRequest,
    UploadFileFileForm,
)
from generated.types import File

FILES = 200


def ask(client: AuthenticatedClient, session_id: str, message: str) -> list[Any]:
    """Start a turn and follow it to its end; approve each call that waits."""
    turn = take_turn.sync(session_id, client=client, body=TurnRequest(message=message))
    events: list[Any] = []
    while True:
        after = events[-1].seq if events else 0
        page = read_events.sync(session_id, turn.turn_id, client=client, after=after, wait=20)
        for event in page.events:
            if event.type_ == "tool_approval_request":
                ids = (session_id, turn.turn_id, event.call_id)
                request = read_approval.sync(*ids, client=client)
                decision = DecisionRequest(approved=True, digest=request.digest)
                decide_approval.sync(*ids, client=client, body=decision)
        events += page.events
        if page.done:
            return events


def upload(client: AuthenticatedClient, name: str, content: bytes) -> FileOut:
    body = FileUpload(name=name, b64=base64.b64encode(content).decode())
    return upload_content.sync(client=client, body=body)


def fetch_text(client: AuthenticatedClient, file_key: str) -> str:
    record = read_file.sync(file_key, client=client)
    [token] = parse_qs(urlsplit(record.download_url).query)["token"]
    content: bytes = download.sync_detailed(file_key, client=client, token=token).content
    return content.decode()


def count_files(client: AuthenticatedClient) -> int:
    keys: set[str] = set()
    page = list_files.sync(client=client, limit=50)
    keys.update(file.file_key for file in page.files)
    while page.cursor:
        page = list_files.sync(client=client, limit=50, cursor=page.cursor)
        keys.update(file.file_key for file in page.files)
    return len(keys)


def import_and_delete(client: AuthenticatedClient) -> list[str]:
    turns = [ImportedTurn(message="What is 6 * 7?", answer="42")]
    session = import_conversation.sync(client=client, body=ImportRequest(title="Old", turns=turns))
    read = read_conversation.sync(session.session_id, client=client)
    deleted = delete_conversation.sync_detailed(session.session_id, client=client)
    missing = read_conversation.sync_detailed(session.session_id, client=client)
    return [*(turn.answer for turn in read.turns), *(str(int(each.status_code)) for each in (deleted, missing))]


def main(url: str, token: str) -> dict[str, Any]:
    client = AuthenticatedClient(base_url=url, token=token)
    session = start_session.sync(client=client, body=NewSession(title="August"))
    content = File(io.BytesIO(b"from a form"), "note.txt", "text/plain")
    form = upload_file.sync(client=client, body=UploadFileFileForm(file=content, session_id=session.session_id))
    uploaded = upload(client, "json.txt", b"from JSON")
    calculated = ask(client, session.session_id, '/calculator.evaluate {"expression": "6 * 7"}')
    approved = ask(client, session.session_id, '/approval.write {"name": "written.txt", "text": "hello"}')
    link = share_file.sync(form.file_key, client=client, body=NewLink(ttl_seconds=60))
    for number in range(count_files(client), FILES):
        upload(client, f"{number}.txt", b"a")
    files = count_files(client)
    texts = [fetch_text(client, form.file_key), fetch_text(client, uploaded.file_key)]
    deleted = delete_file.sync_detailed(form.file_key, client=client)
    return {
        "texts": texts,
        "calculated": calculated[-1].response.answer,
        "approved": [event.type_ for event in approved],
        "link": link.url,
        "files": files,
        "deleted": int(HTTPStatus(deleted.status_code)),
        "conversation": import_and_delete(client),
    }


sys.stdout.write(json.dumps(main(**json.loads(sys.argv[1]))))
