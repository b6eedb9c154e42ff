"""Writing messages: copy, retry, edit, queue, drafts, and the caret."""

import json
import re

from playwright.sync_api import expect

from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import UNENDING_CALL, ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard
from tests.fake_providers.held_pieces import HoldPieces
from tests.fake_providers.replies import Answer, ErrorKind, ErrorReply
from tests.fake_providers.server import FakeEndpoint
from tests.pictures import png


def test_failed_message_is_retried_and_an_answer_is_copied_and_edited(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    endpoint.replies = [ErrorReply(ErrorKind.REJECTED), Answer(["It is **fine**."])]
    chat.open(chat.user.create_session(model="anthropic"))
    failed = chat.ask("How is it?")
    expect(failed.locator(".error-message")).to_be_visible()
    expect(failed.get_by_role("button", name="Copy")).to_have_count(0)
    failed.get_by_role("button", name="Retry").click()
    versions = page.get_by_role("group", name="Versions of this message")
    expect(versions).to_contain_text("2/2")
    expect(chat.turns).to_have_count(1)
    turn = chat.turns.last
    expect(turn).to_have_attribute("aria-busy", "false")
    expect(turn.locator(".user-message")).to_have_text("How is it?")

    actions = turn.get_by_role("group", name="Actions for this message")
    expect(actions).to_contain_text(re.compile(r"\d\d?:\d\d.* · Model: anthropic · 18 tokens"))
    keys.press("button", "Copy", back=True)
    expect(page.get_by_label("Announcements")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == "It is **fine**."
    keys.press("button", "Edit")
    expect(chat.message_box).to_be_focused()
    expect(chat.message_box).to_have_value("How is it?")
    chat.screenshot("message-actions")


def test_reasoning_is_a_fold_with_its_duration_and_stays_after_a_reload(
    chat: ChatPage, endpoint: FakeEndpoint, hold_pieces: HoldPieces
) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    thoughts = ["First **look** ", "at ", "the ", "sky, ", "then ", "answer."]
    text = hold_pieces(["It is blue."])
    endpoint.replies = [Answer(text, thoughts=thoughts, pause=0.4)]
    chat.open(chat.user.create_session(model="openai-chat"))
    turn = chat.send("How is it?")
    fold = turn.locator("details.reasoning")
    expect(fold.locator("summary")).to_have_text("Thinking…")
    expect(turn.get_by_text("Thinking…")).to_have_count(1)
    text.release_all()
    expect(turn).to_have_attribute("aria-busy", "false")
    for _ in range(2):
        expect(fold.locator("summary")).to_have_text(re.compile(r"^Thought for \d+ s$"))
        expect(turn.locator(".answer-text")).to_have_text("It is blue.")
        expect(turn.get_by_text("look")).to_have_count(0)
        keys.press("summary", "Thought for")
        expect(fold).to_contain_text("First look at the sky, then answer.")
        expect(fold.locator("strong")).to_have_text("look")
        assert find_axe_violations(page) == []
        page.reload()


def test_edited_message_begins_a_branch_and_the_original_is_kept(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    endpoint.replies = [Answer([text]) for text in ("First answer", "Second answer", "Edited answer", "Next answer")]
    session_id = chat.user.create_session(model="anthropic")
    chat.open(session_id)
    chat.ask("First")
    chat.ask("SECOND")
    messages = chat.turns.locator(".user-message")

    chat.message_box.press("ArrowUp")
    expect(page.get_by_text("Editing a message.")).to_be_visible()
    assert find_axe_violations(page) == []
    chat.message_box.fill("Second, edited")
    chat.message_box.press("Enter")
    expect(messages).to_have_text(["First", "Second, edited"])
    expect(chat.turns.last).to_contain_text("Edited answer")
    expect(chat.turns.last).to_have_attribute("aria-busy", "false")
    chat.ask("Next")
    assert "SECOND" not in str(endpoint.requests[-1])
    versions = page.get_by_role("group", name="Versions of this message")
    expect(versions).to_have_text(re.compile("2/2"))
    chat.screenshot("branches")

    keys.press("button", "Previous version", back=True)
    expect(messages).to_have_text(["First", "SECOND"])
    expect(versions).to_have_text(re.compile("1/2"))
    page.reload()
    expect(messages).to_have_text(["First", "Second, edited", "Next"])
    with page.expect_download() as download:
        keys.press("button", "Actions for", back=True)
        expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
        page.get_by_role("menuitem", name="Export as JSON").press("Enter")
    turns = json.loads(download.value.path().read_text("utf-8"))["turns"]
    assert [turn["message"] for turn in turns] == ["First", "SECOND", "Second, edited", "Next"]
    assert [turn["after"] for turn in turns] == [None, None, turns[0]["turn_id"], None]


def test_caret_drafts_and_queue(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    expect(chat.message_box).to_be_focused()
    running = chat.send(UNENDING_CALL)
    first = chat.session_id
    queue = chat.queue("my next message")
    expect(queue).to_have_text("my next message")
    chat.queue("never mind")
    keys.press("button", "Remove never mind", back=True)
    expect(queue.get_by_role("listitem")).to_have_count(1)
    chat.screenshot("queue")
    chat.message_box.press("Escape")
    expect(running).to_have_attribute("aria-busy", "false")
    expect(chat.turns.locator(".user-message").last).to_have_text("my next message")
    expect(queue).to_have_count(0)
    expect(chat.turns.last).to_have_attribute("aria-busy", "false")

    chat.message_box.press("ArrowUp")
    expect(chat.message_box).to_have_value("my next message")
    chat.message_box.fill("draft of the first chat")
    keys.press("button", "New chat")
    expect(chat.message_box).to_be_focused()
    expect(chat.message_box).to_have_value("")
    chat.message_box.fill("draft of a new chat")
    page.reload()
    expect(chat.message_box).to_have_value("draft of a new chat")
    expect(chat.message_box).to_be_focused()
    page.goto(f"/#{first}")
    expect(chat.message_box).to_have_value("draft of the first chat")


def test_attached_picture_has_a_thumbnail_before_it_is_sent(chat: ChatPage) -> None:
    page = chat.page
    with page.expect_file_chooser() as chooser:
        Keyboard(page).press("button", "Attach files")
    chooser.value.set_files({"name": "dot.png", "mimeType": "image/png", "buffer": png(2, 2)})
    picture = chat.attached.locator("img")
    picture.wait_for()
    assert picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == 2
    chat.attached.get_by_role("button", name="Remove dot.png").click()
    expect(chat.attached).to_have_count(0)


_RECORD_SPEECH = """() => {
    window.spoken = [];
    window.SpeechSynthesisUtterance = function (text) { this.text = text; };
    Object.defineProperty(window, 'speechSynthesis', {value: {
        speak: utterance => window.spoken.push(utterance), cancel: () => window.spoken.push(null),
    }});
}"""


def test_answer_is_read_aloud_until_its_end_or_until_stopped(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    page.add_init_script(f"({_RECORD_SPEECH})()")
    page.reload()
    endpoint.replies = [Answer(["## Result\n\nIt is **fine**."])]
    chat.open(chat.user.create_session(model="anthropic"))
    chat.ask("How is it?")
    keys.press("button", "Read aloud", back=True)
    expect(page.get_by_role("button", name="Stop reading")).to_be_focused()
    assert page.evaluate("window.spoken.at(-1).text") == "Result\n\nIt is fine ."
    page.evaluate("window.spoken.at(-1).onend()")
    expect(page.get_by_role("button", name="Read aloud")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Read aloud")).to_be_focused()
    assert page.evaluate("window.spoken.at(-1)") is None


def test_answer_is_rated_and_continued(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    endpoint.replies = [Answer(["The first half."]), Answer(["The second half."])]
    chat.open(chat.user.create_session(model="anthropic"))
    chat.ask("Tell me everything.")
    with page.expect_response(lambda response: response.url.endswith("/rating") and response.status == 204):
        keys.press("button", "Good answer", back=True)
    expect(page.get_by_role("button", name="Good answer")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("button", name="Good answer")).to_have_attribute("aria-pressed", "true")
    keys.press("button", "Continue", back=True)
    expect(chat.turns).to_have_count(2)
    expect(chat.turns.last).to_contain_text("The second half.")
    expect(chat.turns.get_by_role("button", name="Continue")).to_have_count(1)


_RECORD_LENGTHS = """() => {
    window.lengths = new Set();
    const look = () => {
        window.lengths.add(document.querySelector('.turn:last-of-type .streaming')?.textContent.length ?? 0);
        requestAnimationFrame(look);
    };
    look();
}"""


def test_streamed_text_grows_evenly_with_a_caret_until_its_end(
    new_chat_page: ChatPageFactory, endpoint: FakeEndpoint, hold_pieces: HoldPieces
) -> None:
    lumps = ["It is fine, and it stays fine. " * 8] * 6
    held = hold_pieces(lumps)
    endpoint.replies = [Answer(held)]
    chat = new_chat_page(reduced_motion="no-preference")
    chat.open(chat.user.create_session(model="anthropic"))
    chat.page.evaluate(_RECORD_LENGTHS)
    turn = chat.send("How is it?")
    for shown in range(2, 2 + 6 * len(lumps), 6):  # the beginning at once, and each later lump in several steps
        held.release()
        chat.page.wait_for_function("shown => window.lengths.size >= shown", arg=shown)
    text = "document.querySelector('.streaming p')"
    chat.page.wait_for_function(f"() => {text} && getComputedStyle({text}, '::after').content.startsWith('\"▍\"')")
    held.release_all()
    expect(turn).to_have_attribute("aria-busy", "false")
    expect(turn.locator(".answer-text")).to_have_text("".join(lumps).strip())
    expect(turn.locator(".streaming")).to_have_count(0)


def test_streamed_text_is_shown_as_it_arrives_with_reduced_motion(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    lumps = ["It is fine, and it stays fine. " * 8] * 6
    endpoint.replies = [Answer(lumps, pause=0.4)]
    chat.open(chat.user.create_session(model="anthropic"))
    chat.page.evaluate(_RECORD_LENGTHS)
    chat.ask("How is it?")
    assert len(chat.page.evaluate("[...window.lengths]")) <= len(lumps) + 2  # before the text, and after its end


def test_complete_calls_fold_into_a_line_and_failed_calls_do_not(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    call = '/calculator.evaluate {"expression": "%s"}'
    turn = chat.ask(f"{call % '2+3'}\n{call % '2*3'}")
    head = turn.get_by_role("button", name=re.compile(r"^2 tools · [\d.]+ s$"))
    expect(head).to_have_attribute("aria-expanded", "false")
    expect(turn.locator(".call").first).to_be_hidden()
    chat.screenshot("calls-folded")
    keys.press("button", "2 tools", back=True)
    expect(turn.locator(".call")).to_have_text([re.compile("Done"), re.compile("Done")])
    expect(turn.locator(".call").first).to_be_visible()
    chat.screenshot("calls-open")

    failed = chat.ask(f"{call % '2+3'}\n{call % '2+'}")
    expect(failed.get_by_role("button", name="2 tools")).to_have_attribute("aria-expanded", "true")
    expect(failed.locator(".error-message")).to_be_visible()
    page.reload()
    expect(turn.locator(".call").first).to_be_hidden()
