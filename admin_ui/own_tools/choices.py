"""What the owner of a tool can choose from instead of writing it: people, agents, numbers, accounts and collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from admin_ui.business import people_form
from admin_ui.shell.business import Business
from admin_ui.shell.server import Refused, Server, below
from admin_ui.widgets import base_revision

_A_PAGE, _NOT_LISTED = 100, "not listed"


@dataclass(frozen=True)
class Choices:
    """Asked for what it is about, each a mapping from what stands in a tool to what its owner knows it by.

    Where something cannot be listed there is nothing to choose from, and it is written instead.
    """

    server: Server
    business: Business

    def agents(self) -> Mapping[str, str]:
        """Return the agents of the business, by id."""
        return {agent["id"]: str(agent.get("name") or agent["id"]) for agent in self._rows("agents")}

    def people(self) -> Mapping[str, str]:
        """Return whom calls can be put through to, by the ids that the server gives them."""
        read = base_revision.read_once(
            "people", lambda: self.server.get(below("admin", "businesses", self.business.id))
        )
        rules = people_form.rules_of(read.body["business"])
        transfers = [rule for rule in people_form.with_ids(rules) if rule.get("action") == "transfer"]
        return {rule["id"]: str(rule.get("label") or rule["id"]) for rule in transfers}

    def numbers(self) -> Mapping[str, str]:
        """Return the phone numbers that texts can come from, by id."""
        return {row["id"]: str(row["number"]) for row in self._rows("phone-numbers", "phoneNumbers")}

    def accounts(self) -> Mapping[str, str]:
        """Return the accounts of apps that were connected, by id."""
        return {
            row["id"]: f"{row['appName'] or row['app']}: {row['name'] or row['id']}"
            for row in self._rows("pipedream/accounts", "accounts", limit=_A_PAGE)
            if row["isUsable"]
        }

    def collections(self) -> Mapping[str, str]:
        """Return the collections of the business's own records."""
        return {row["name"]: str(row["name"]) for row in self._rows("collections", limit=_A_PAGE)}

    def language(self) -> str:
        """Return the language in which the business is spoken for; English where it cannot be asked for."""
        at = below("admin", "businesses", self.business.id)
        try:
            found = base_revision.read_once("choices/language", lambda: self.server.get(at)).body["business"]
        except Refused:
            return "en"
        return str(found.get("language") or "en")

    def _rows(self, path: str, name: str = "", **query: int) -> Iterable[dict[str, Any]]:
        at = below("admin", "businesses", self.business.id, *path.split("/"))
        place = f"choices/{path}"
        if st.session_state.get(f"at/{place}") == _NOT_LISTED:
            return []
        try:
            rows: list[dict[str, Any]] = base_revision.read_once(place, lambda: self.server.get(at, query)).body[
                name or path
            ]
        except Refused:
            # Not asked for again with every click on the page.
            st.session_state[f"at/{place}"] = _NOT_LISTED
            return []
        return rows
