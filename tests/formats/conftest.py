"""What the tests of the dialects may ask for."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def vendors() -> dict[str, Any]:
    """What each vendor takes. Their SDKs take seconds to load, which is for whoever runs these tests alone."""
    from tests.formats.vendors import VENDORS

    return VENDORS
