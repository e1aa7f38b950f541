"""The e-mail toolkit as its `toolkit.json` declares it (seed 001, "Example: Adding a New Tool")."""

import json
from pathlib import Path

import pytest

import switchboard.integrations.smtp
from switchboard.catalog.schema.schema import check_schema, compile_schema
from switchboard.contract.business.business import read_business
from switchboard.desk.messaging.email import BUSINESS_PER_DAY
from switchboard.integrations.smtp.account import PASSWORD, SUBMISSION_PORT, TOOLKIT, read_account

DECLARED = json.loads((Path(switchboard.integrations.smtp.__path__[0]) / "toolkit.json").read_text())
CONFIG = {"smtpServer": "smtp.example.com", "fromEmail": "hello@example.com"}


@pytest.mark.requirement("001-81")
def test_it_requires_authorisation_by_a_key_and_keeps_that_apart():
    """The password is a secret, and no part of the settings that everybody may see."""
    assert (DECLARED["name"], DECLARED["auth"]["type"]) == (TOOLKIT, "api_key")
    assert list(DECLARED["auth"]["secrets"]["properties"]) == [PASSWORD]
    assert PASSWORD not in DECLARED["config"]["properties"]


@pytest.mark.requirement("001-82")
def test_its_settings_are_server_port_and_sender():
    """Server and sender must be given, the port is 587 without one; the schemas draw the owner's form."""
    for schema in (DECLARED["config"], DECLARED["auth"]["secrets"]):
        assert check_schema(schema) == []
    settings = DECLARED["config"]["properties"]
    assert DECLARED["config"]["required"] == ["smtpServer", "fromEmail"]
    assert settings["smtpPort"]["default"] == SUBMISSION_PORT == 587
    assert settings["dailyLimit"]["default"] == BUSINESS_PER_DAY


@pytest.mark.parametrize("changes", [{}, {"smtpPort": 465, "security": "tls", "username": "u", "dailyLimit": 5}])
def test_what_the_form_lets_pass_can_be_read(changes):
    """The schema and the reading of settings agree."""
    assert compile_schema(DECLARED["config"]).is_valid(CONFIG | changes)
    business = read_business("b", {"integrations": {"email": {"isConnected": True, **CONFIG, **changes}}})
    account = read_account(business, "secret")
    assert (account.server, account.sender) == (CONFIG["smtpServer"], CONFIG["fromEmail"])


@pytest.mark.parametrize("changes", [{"security": "none"}, {"smtpPort": 0}, {"smtpServer": ""}, {"password": "x"}])
def test_the_form_lets_nothing_pass_that_cannot_work(changes):
    """Mail in clear, no server, or a password where everybody can see it."""
    assert not compile_schema(DECLARED["config"]).is_valid(CONFIG | changes)
