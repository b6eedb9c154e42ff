"""The words of tools and queries, as the search for tools compares them. No I/O.

Words are compared by their stems. Words with a common meaning (``remove`` and ``delete``) also match, with less weight.
The libraries for this are larger than what they would replace: Snowball's stemmer (836 KB) found no more tools, and a
thesaurus such as WordNet has far more meanings than tools have.
"""

import re
from collections.abc import Iterator

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
_NAME = re.compile(r"[^\W_]+")
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))
_MIN_STEM = 3
_IRREGULAR = """
    began begin|bought buy|built build|came come|chose choose|chosen choose|done do|drawn draw|drew draw|fell fall|
    felt feel|found find|gave give|given give|gone go|held hold|hidden hide|kept keep|knew know|known know|left leave|
    lent lend|lost lose|made make|meant mean|met meet|paid pay|ran run|rose rise|said say|saw see|seen see|sent send|
    shown show|sold sell|spent spend|taken take|taught teach|thought think|threw throw|thrown throw|told tell|took take|
    went go|written write|wrote write
"""
_BASE_FORMS = dict(pair.split() for pair in _IRREGULAR.split("|"))
_FILE_ENDING_CHARS = range(2, 5)
_FILE_KINDS = {"docx": "word document", "xlsx": "excel workbook", "pptx": "powerpoint presentation"}
_FILE_KINDS |= dict.fromkeys(("gif", "jpeg", "jpg", "png"), "image")
_WITHOUT_MEANING = """
    a about above after again against all am an and any are as at be because been before being below between both but
    by can could did do does doing down during each few for from further had has have having he her here him his how i
    if in into is it its just let may me might more most must my need no nor not now of off on once only or other our
    out over own please same shall she should so some such than that the their them then there these they this those
    through to too under until up very want was we were what when where while who whom why will with would you your
"""
_STOP_WORDS = frozenset(_WITHOUT_MEANING.split())
_GROUPS = """
    create add attach begin book build compose draft draw enter file generate give insert log make new open place plan \
        post publish put record register report reserve schedule send start upload write
    delete cancel clear close detach discard drop erase remove revoke rid stop uninvite unsubscribe unwatch
    update adjust alter assign change correct edit extend fix format modify move postpone rename replace reschedule \
        resize scale set
    get check describe display fetch inspect look open read retrieve see show status tell view
    list browse enumerate find free running search show which
    search discover find locate look match occur query
    save export keep persist store write
    copy clone duplicate
    merge combine concatenate join
    split divide separate
    send deliver forward mail post submit
    run evaluate execute launch perform start
    calculate compute evaluate math percent sum
    convert export transform translate
    summarize abstract overview summary
    compare diff difference
    undo reset restore revert rollback
    check test validate verify
    import load upload
    export download save
    watch follow monitor subscribe
    protect encrypt lock password
    click press tap
    type enter fill
    echo repeat
    login authenticate signin
    image graphic icon logo photo picture screenshot
    note annotation comment remark
    event appointment meeting
    email mail
    chart diagram graph plot
    folder directory
    file document
    task issue ticket todo
    person attendee contact employee guest member people user
    error bug crash defect exception failure
    message chat text
    dialog alert box popup prompt
    alert alarm notification notify warning
    price amount cost
    expense cost pay payment spend
    invoice bill receipt
    discount coupon promotion
    order buy purchase
    shipment delivery parcel
    customer buyer client
    company firm organization
    permission access right share
    presentation deck powerpoint slide
    workbook excel sheet spreadsheet worksheet
    column attribute field property
    row entry line record
    header heading title
    color colour shading
    paper article publication
    citation bibliography reference
    topic subject theme
    tag keyword label
    code program script snippet source
    history log revision version
    backup dump snapshot
    server computer host machine
    secret credential key password token
    place address location
    route direction trip way
    weather forecast rain temperature
    vacation absence holiday leave
    song music track
    video clip film movie
    website browser page site url web
    size big bytes large
    time clock date hour
"""
"""Words that mean much the same in the names and descriptions of tools, one group per line."""


def words(text: str) -> list[str]:
    """Return the stems of the words that carry meaning, in their order.

    The parts of a name count as words, and so does the whole: ``arXiv`` is ``ar``, ``xiv`` and ``arxiv``. Single
    characters and numbers do not count. An address is the word ``url``, a path is ``file path``, and ``a.docx`` is
    also a file.
    """
    found = (word.lower() for word in _split(text))
    return [stem(word) for word in found if len(word) > 1 and not word.isdigit() and word not in _STOP_WORDS]


def meanings(word: str) -> tuple[str, ...]:
    """Return the groups of words with a common meaning to which the stem of a word belongs."""
    return _MEANINGS.get(word, ())


def stem(word: str) -> str:
    """Return the word without its ending, so that ``issues`` matches ``issue``, and ``renaming`` matches ``rename``."""
    word = _BASE_FORMS.get(word, word)
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = word.removesuffix(ending) + replacement
            break
    return word.removesuffix("e")


def _split(text: str) -> Iterator[str]:
    for chunk in text.split():
        if chunk.startswith(("https://", "http://")):
            yield "url"
            continue
        if chunk.startswith(("/", "~/", "./")):
            yield from ("file", "path")
            continue
        for name in _NAME.findall(chunk):
            parts = _PART.findall(name)
            yield from parts
            if len(parts) > 1:
                yield name
        yield from _file_words(chunk)


def _file_words(chunk: str) -> Iterator[str]:
    """Yield what the name of a file says about it, or nothing for other texts."""
    name, dot, ending = chunk.rstrip(".,;:!?)\"'").rpartition(".")
    if name and dot and ending.isalpha() and len(ending) in _FILE_ENDING_CHARS and "@" not in name:
        yield from ("file", *_FILE_KINDS.get(ending, "").split())


def _read_groups() -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for line in _GROUPS.replace("\\\n", "").strip().splitlines():
        group = line.split()
        for word in group:
            groups[stem(word)] = (*groups.get(stem(word), ()), group[0])
    return groups


_MEANINGS = _read_groups()
