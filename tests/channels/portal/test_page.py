"""The page's files as they are served: nothing from elsewhere, nothing inline, nothing stale."""

import re

import pytest


@pytest.mark.parametrize("path", ["/portal", "/portal/"])
async def test_the_page_finds_its_files_with_and_without_a_slash(opened, path):
    """Whichever way it is reached; they are kept for good under the address of their content."""
    http = (await opened()).http
    page = await http.get(path)
    assert page.headers["content-type"].startswith("text/html")
    found = re.findall(r'(?:href|src)="([^"#]+)"', page.text)
    assert len(found) == 3
    for address in found:
        asset = await http.get(page.url.join(address))
        assert asset.status_code == 200
        assert "immutable" in asset.headers["cache-control"]
        assert asset.headers["x-content-type-options"] == "nosniff"


async def test_an_address_without_the_right_hash_is_asked_for_again(opened):
    """A page of yesterday must not keep today's script for a year, nor the other way round."""
    http = (await opened()).http
    for query in ("", "?v=0123456789ab"):
        assert (await http.get(f"/portal/page/portal.js{query}")).headers["cache-control"] == "no-cache"
    assert (await http.get("/portal/")).headers["cache-control"] == "no-cache"


async def test_what_a_browser_has_already_is_not_sent_again(opened):
    """Scripts that other scripts ask for by their plain names, on the portal as where one speaks."""
    http = (await opened()).http
    asset = await http.get("/portal/page/marks.js")
    again = await http.get("/portal/page/marks.js", headers={"If-None-Match": asset.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.js", "portal.html", "..%2froutes.py", "%2e%2e%2f__init__.py"])
async def test_only_the_page_s_own_files_are_served(opened, name):
    """Not the code beside them, and the document only in its place."""
    assert (await (await opened()).http.get(f"/portal/page/{name}")).status_code == 404


async def test_browsers_are_told_to_run_and_load_only_what_is_ours(opened):
    """No inline script, no foreign request, no frame; the link in the address is passed on to nobody."""
    page = await (await opened()).http.get("/portal/")
    policy = dict(part.strip().partition(" ")[::2] for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src", "img-src")} == {"'self'"}
    assert page.headers["referrer-policy"] == "no-referrer"
    assert not re.search(r"<style|style=|\bon\w+=|<script(?![^>]*\bsrc=)", page.text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page.text)
