"""Which addresses on the web are a business's own."""

from switchboard.contract.business.own_addresses import OwnSite, own_sites
from tests.each import each


@each(
    ("address", "site"),
    [
        ("https://www.Rosa.example/de/", OwnSite("rosa.example")),
        ("rosa.example", OwnSite("rosa.example")),
        ("http://127.0.0.1:8080/portal/?business=salon", OwnSite("127.0.0.1:8080")),
        ("https://m\xfcnchen.example", OwnSite("xn--mnchen-3ya.example")),
        # One of the pages there is the business's; the host is not.
        ("https://sites.google.com/view/rosa", OwnSite("sites.google.com", "/view/rosa")),
        ("https://facebook.com/", None),
        ("wixsite.com", None),
        ("https://user@rosa.example/", None),
        ("javascript:alert(1)", None),
        ("ftp://rosa.example/", None),
        ("http://[x", None),
        ("rosa", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_an_owners_address_covers_their_site_and_not_their_neighbours(address: object, site: OwnSite | None) -> None:
    """As owners write it; what is no site of theirs covers nothing."""
    assert own_sites(address) == (() if site is None else (site,))


def test_the_same_site_is_told_once() -> None:
    """The portal often lies on the website."""
    assert own_sites("https://rosa.example", "https://www.rosa.example/portal/") == (OwnSite("rosa.example"),)
