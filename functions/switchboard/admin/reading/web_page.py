"""A web page: what it says without its menus and frames, cut at its headings, by trafilatura."""

import re

from switchboard.admin.reading.extract import Extract, NotReadable, by_heading, decoded

MOST_HTML = 4 * 1024 * 1024
_META = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w-]{1,40})", re.IGNORECASE)
_HEAD_BYTES = 4_096
_ELSEWHERE = (("iframe", "frame of another page", "frames of other pages"), ("img", "picture", "pictures"))
_FILMS = (("video", "film", "films"), ("object", "embedded object", "embedded objects"))


def read_page(content: bytes, charset: str) -> Extract:
    """Return what a page says.

    Args:
        content: Its HTML.
        charset: What its server says that it is in; empty where it says nothing.

    Raises:
        NotReadable: It is longer than any page of text, or says nothing that can be read.
    """
    if len(content) > MOST_HTML:
        raise NotReadable(
            f"The page is {len(content) / 1_048_576:.0f} MB long; pages of up to {MOST_HTML // 1_048_576} MB are read. "
            "Take the text from a smaller page, or from a file."
        )
    claims = [charset] if charset else []
    claims += [found[1].decode() for found in [_META.search(content[:_HEAD_BYTES])] if found]
    html, actual = decoded(content, claims)
    from lxml import html as parser
    from trafilatura import extract as words_of
    from trafilatura import extract_metadata

    markdown = words_of(
        html, output_format="markdown", include_comments=False, include_tables=True, favor_recall=True, fast=False
    )
    if not markdown or not markdown.strip():
        made_by_scripts = "<script" in html.lower()
        why = " It may be put together by scripts in the browser, which are not run here." if made_by_scripts else ""
        raise NotReadable(
            f"The page says nothing that can be read.{why} Save it as a PDF, and take the text from that."
        )
    metadata = extract_metadata(html)
    extract = Extract(title=str((metadata and metadata.title) or ""))
    by_heading(extract, markdown)
    tree = parser.document_fromstring(html.encode("utf-8", "replace"))
    for tag, one, more in (*_ELSEWHERE, *_FILMS):
        count = sum(1 for _ in tree.iter(tag))
        if count:
            extract.unread.append(f"{count} {one if count == 1 else more} in it")
    if claims and actual.lower() not in [claim.lower() for claim in claims]:
        extract.notes.append(f"It says that it is written in {claims[0][:40]}, and was read as {actual}.")
    return extract
