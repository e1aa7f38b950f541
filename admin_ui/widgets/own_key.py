"""The keys of fields: each names what is edited, so that nothing that was typed stands in another's field.

Streamlit keeps what is typed under a field's key for as long as a field of that key is drawn. One that says only what
the field is, such as `secret_value`, brings what was typed for one business to the next.
"""

from __future__ import annotations

from admin_ui.widgets import whereabouts


def of(name: str, *record: str) -> str:
    """Return the key of a field: its name, the record that it is of, and the place that was arrived at.

    A place is another one with each page, business and address that somebody arrives at, by the browser's Back, too.
    What was read by `base_revision.read_once` has a name of its own for this, `form`.
    """
    return "/".join((name, *record, *whereabouts.arrived_at()))
