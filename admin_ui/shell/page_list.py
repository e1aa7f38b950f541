"""The pages there are, in the order of the menu. A page is one module with `show(server, business)`, named here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from admin_ui.agents import agents_page
from admin_ui.appointments import appointments_page
from admin_ui.audit import audit_page
from admin_ui.business import business_page, new_business_page, push_page
from admin_ui.conversations import calls_page, playground_page, what_if_page
from admin_ui.costs import month_page
from admin_ui.customers import customers_page
from admin_ui.definitions import tools_page
from admin_ui.health import health_page
from admin_ui.knowledge import knowledge_page
from admin_ui.messages import messages_page
from admin_ui.own_tools import own_tools_page
from admin_ui.shell import overview_page
from admin_ui.shell.business import Business
from admin_ui.shell.server import Server


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        path: Its address below the pages' own.
        title: Its name in the menu, and its heading.
        icon: A Material symbol.
        about: One sentence below the heading.
        show: Draws it. `Unreachable` and `Refused` may pass through: the frame tells them.
        operation: What a role must allow for the page to be in the menu; empty for everybody.
    """

    path: str
    title: str
    icon: str
    about: str
    show: Callable[[Server, Business], None]
    operation: str = ""


PAGES: tuple[Page, ...] = (
    Page(
        "overview", "Overview", "monitoring", "How your receptionist is doing, and what needs you.", overview_page.show
    ),
    Page(
        "health",
        "Health",
        "cardiology",
        "What is wrong and what to do, and what callers asked in vain.",
        health_page.show,
    ),
    Page("calls", "Calls", "call", "Every call and chat: what was said, and what was done.", calls_page.show),
    Page(
        "appointments",
        "Appointments",
        "event",
        "What is booked, when and with whom: make, move and cancel it.",
        appointments_page.show,
    ),
    Page("messages", "Messages", "inbox", "What callers have left for you, and who calls back.", messages_page.show),
    Page("customers", "Customers", "group", "Who your customers are, and what there is of them.", customers_page.show),
    Page("knowledge", "Knowledge", "menu_book", "What your receptionist knows and tells callers.", knowledge_page.show),
    Page(
        "business", "Business", "storefront", "Your hours, services, team and connected accounts.", business_page.show
    ),
    Page("agents", "Agents", "support_agent", "Who answers where, and what each may use.", agents_page.show),
    Page("tools", "Tools", "build", "What is offered to callers right now, and why the rest is not.", tools_page.show),
    Page(
        "own_tools",
        "Your tools",
        "handyman",
        "Tools that you make yourself, for your own systems.",
        own_tools_page.show,
    ),
    Page("what_if", "What if", "alt_route", "What would be offered if something were otherwise.", what_if_page.show),
    Page(
        "playground", "Playground", "science", "Try a tool or a conversation, and see everything.", playground_page.show
    ),
    Page(
        "new_business",
        "New business",
        "add_business",
        "Make another business, of its trade's template.",
        new_business_page.show,
        "open_business",
    ),
    Page(
        "push",
        "Push changes",
        "publish",
        "Bring many businesses in line with a template, after a look at what changes in each.",
        push_page.show,
        "open_business",
    ),
    Page(
        "costs", "Month", "payments", "What a month cost: calls, texts, minutes, models.", month_page.show, "see_costs"
    ),
    Page("audit", "Changes", "history", "Who changed what, and the way back.", audit_page.show, "see_audit"),
)
