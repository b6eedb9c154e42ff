"""Documents, workbooks and presentations in the canvas: content, limits, and nothing that runs or loads."""

import io
import re
import zipfile

import pytest
import xlsxwriter
from playwright.sync_api import Locator, expect
from pptx import Presentation
from pptx.util import Inches

from tests.e2e.recording_site import running_site
from tests.e2e.web.accessibility import find_axe_violations, find_keyboard_issues
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.test_files import open_files
from tests.pictures import png

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
MEBIBYTE = 1 << 20
NARROW_PADDING = "16px"
A4_WIDTH = re.compile(r"793\.\d+px")


def docx(paragraphs: str, site: str = "") -> bytes:
    """Return a document with these paragraphs (XML), whose relations name files of a site."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{OFFICE}/image" Target="{site}/picture.png" TargetMode="External"/>'
        f'<Relationship Id="r2" Type="{OFFICE}/hyperlink" Target="javascript:alert(1)" TargetMode="External"/>'
        f'<Relationship Id="r3" Type="{OFFICE}/aFChunk" Target="page.html"/></Relationships>',
        "word/page.html": f'<script src="{site}/script.js"></script>chunk',
        "word/document.xml": f'<w:document xmlns:w="{WORD}" xmlns:r="{OFFICE}" xmlns:a="{DRAWING}/main" '
        f'xmlns:wp="{DRAWING}/wordprocessingDrawing" xmlns:pic="{DRAWING}/picture">'
        f"<w:body>{paragraphs}</w:body></w:document>",
    }
    return archive({name: part.encode() for name, part in parts.items()})


def archive(entries: dict[str, bytes]) -> bytes:
    """Return a compressed ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name, content)
    return out.getvalue()


def paragraph(text: str) -> str:
    """Return a paragraph of a document."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


HOSTILE = (
    paragraph("&lt;img src=x onerror=alert(1)&gt;")
    + '<w:p><w:hyperlink r:id="r2"><w:r><w:t>press</w:t></w:r></w:hyperlink></w:p><w:altChunk r:id="r3"/>'
    "<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic><pic:blipFill>"
    '<a:blip r:link="r1" r:embed="r1"/></pic:blipFill><pic:spPr/></pic:pic></a:graphicData></a:graphic>'
    "</wp:inline></w:drawing></w:r></w:p>"
)


def xlsx() -> bytes:
    """Return a workbook with two sheets."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sales = book.add_worksheet("Sales")
    for row, cells in enumerate([("region", "units"), ("north", 3), ("south, east", 4.5)]):
        sales.write_row(row, 0, cells)
    book.add_worksheet("Plan").write_row(0, 0, ("month", "goal"))
    book.get_worksheet_by_name("Plan").write_row(1, 0, ("May", 12))
    book.close()
    return out.getvalue()


def pptx() -> bytes:
    """Return a presentation with a list, a table, a picture and notes."""
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Sales of May"
    first.placeholders[1].text = "North grew\nSouth did not"
    first.notes_slide.notes_text_frame.text = "Pause here."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(1, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "north", "<b>3</b>"
    picture = second.shapes.add_picture(io.BytesIO(png(30, 20)), Inches(1), Inches(3))
    picture._element.nvPicPr.cNvPr.set("descr", "A gray field")  # noqa: SLF001  (python-pptx has no name for it)
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def open_file(chat: ChatPage, name: str, body: bytes) -> Locator:
    """Upload a file, open it from My Files, and return its viewer."""
    chat.user.upload(None, name, body)
    open_files(chat)
    Keyboard(chat.page).press("button", name)
    return chat.page.locator(".pane:visible .viewer")


def find_issues(chat: ChatPage, name: str) -> list[str]:
    """Return the accessibility issues of the canvas with this file."""
    Keyboard(chat.page).go_to("tab", name)
    return [*find_keyboard_issues(chat.page, ".canvas"), *find_axe_violations(chat.page)]


def test_document_opens_as_pages(chat: ChatPage) -> None:
    heading = '<w:p><w:r><w:rPr><w:b/><w:color w:val="008080"/></w:rPr><w:t>Minutes</w:t></w:r></w:p>'
    viewer = open_file(chat, "minutes.docx", docx(heading + paragraph("All agreed.")))

    expect(viewer).to_have_attribute("data-viewer", "document")
    frame = viewer.frame_locator("iframe")
    expect(frame.get_by_text("Minutes")).to_have_css("color", "rgb(0, 128, 128)")
    expect(frame.get_by_text("All agreed.")).to_be_visible()
    page = frame.locator("section.docx")
    expect(page).to_have_css("padding-left", NARROW_PADDING)  # the canvas is narrower than a page
    chat.page.get_by_role("button", name="Full screen").click()
    expect(page).to_have_css("width", A4_WIDTH)
    chat.page.keyboard.press("Escape")
    assert find_issues(chat, "minutes.docx") == []
    chat.screenshot("viewer-docx")


def test_document_runs_and_loads_nothing(chat: ChatPage) -> None:
    with running_site() as site:
        viewer = open_file(chat, "hostile.docx", docx(HOSTILE + paragraph("The end"), site.origin))
        frame = viewer.frame_locator("iframe")
        expect(frame.get_by_text("The end")).to_be_visible()
        expect(frame.get_by_text("<img src=x")).to_be_visible()
        expect(frame.locator("a[href]:not([href^='#'])")).to_have_count(0)
        expect(frame.locator("script, iframe")).to_have_count(0)
        assert viewer.locator("iframe").get_attribute("sandbox") == ""
        assert site.requests == []


def test_end_of_a_very_long_document_is_left_out_and_named(chat: ChatPage) -> None:
    viewer = open_file(chat, "long.docx", docx("".join(paragraph(f"Line {number}") for number in range(20_000))))

    expect(viewer.get_by_role("note")).to_contain_text("the beginning of this document")
    frame = viewer.frame_locator("iframe")
    expect(frame.get_by_text("Line 9999", exact=True)).to_have_count(1)
    expect(frame.get_by_text("Line 19999", exact=True)).to_have_count(0)


def test_sheets_of_a_workbook_are_tables(chat: ChatPage) -> None:
    viewer = open_file(chat, "book.xlsx", xlsx())

    expect(viewer).to_have_attribute("data-viewer", "workbook")
    cells = viewer.locator(".table-row").last.locator("span")
    expect(cells).to_have_text(["2", "south, east", "4.5"])
    viewer.get_by_label("Sheet").select_option("Plan")
    expect(viewer.get_by_role("status").first).to_have_text("1 row, 2 columns")
    expect(viewer.locator(".table-row span")).to_have_text(["1", "May", "12"])
    assert find_issues(chat, "book.xlsx") == []
    chat.screenshot("viewer-xlsx")


def test_slides_show_their_texts_tables_pictures_and_notes(chat: ChatPage) -> None:
    viewer = open_file(chat, "deck.pptx", pptx())

    expect(viewer).to_have_attribute("data-viewer", "slides")
    slides = viewer.get_by_role("listitem")
    expect(slides).to_have_count(2)
    first, second = slides.all()
    expect(first.get_by_role("heading")).to_have_text("Sales of May")
    expect(first.get_by_role("paragraph").first).to_have_text("North grew")
    first.get_by_text("Notes").click()
    expect(first.get_by_text("Pause here.")).to_be_visible()
    expect(second.get_by_role("cell")).to_have_text(["north", "<b>3</b>"])
    picture = second.get_by_role("img", name="A gray field")
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("async image => (await image.decode(), image.naturalWidth)") == 30
    expect(viewer.get_by_role("note")).to_contain_text("Download the file to see their layout")
    assert find_issues(chat, "deck.pptx") == []
    chat.screenshot("viewer-pptx")


BOMB = b"<w:p/>" * (40 * MEBIBYTE // 6)


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("bomb.docx", archive({"word/document.xml": BOMB}), "unpacks to too much data"),
        ("bomb.xlsx", archive({"xl/workbook.xml": BOMB}), "unpacks to too much data"),
        ("bomb.pptx", archive({f"ppt/media/{number}.png": BOMB for number in range(4)}), "unpacks to too much data"),
        ("broken.docx", b"PK\3\4 and no more", "damaged"),
        ("broken.xlsx", archive({"a.txt": b"a"}), "damaged"),
        ("broken.pptx", archive({"ppt/presentation.xml": b"<not xml"}), "damaged"),
    ],
)
def test_file_that_cannot_be_shown_says_why(chat: ChatPage, name: str, body: bytes, reason: str) -> None:
    viewer = open_file(chat, name, body)

    expect(viewer.get_by_role("alert")).to_contain_text(re.compile(reason))
    expect(viewer.get_by_role("button", name="Download")).to_be_visible()
