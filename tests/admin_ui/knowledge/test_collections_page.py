"""Collections on the page of what is known: made, filled row by row and from files, and saved as a file."""

import pytest

from switchboard.contract.store import Delete, Query, Set
from tests.admin_ui.conftest import labelled, labels, part, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer

ITEMS = PATHS.within(SALON).items("homes")


@pytest.fixture
def agency(salon: LiveServer):
    """The salon without any collection."""

    def clear() -> None:
        for path in (ITEMS, PATHS.within(SALON).collection("collections")):
            found = salon.within(salon.house.store.query(Query(path)))
            salon.put(*[Delete(document.path) for document in found])

    clear()
    yield salon
    clear()
    salon.restore()


def rows(live: LiveServer) -> list[dict]:
    return [document.data for document in live.within(live.house.store.query(Query(ITEMS)))]


def make(app):
    """Make a collection of homes, and open it."""
    press(part(app, "Collections"), "Make a collection")
    labelled(app, "text_input", "Name").set_value("homes")
    for number, (name, type) in enumerate((("town", "text"), ("rooms", "number"), ("has_garden", "boolean")), 1):
        labelled(app, "text_input", f"Field {number}").set_value(name)
        labelled(app, "selectbox", f"Type of field {number}").set_value(type)
    press(app, "Save")
    return press(app, "Open")


def drop(app, content: str, name: str = "homes.csv"):
    app.file_uploader[0].set_value((name, content.encode(), "text/csv")).run()
    return app


@pytest.mark.requirement("004-733")
def test_a_collection_is_made_and_its_rows_are_added_changed_and_removed(opened, agency):
    """What is wrong is told in place, and what was typed stays."""
    app = make(opened("knowledge"))
    press(app, "Add a row")
    labelled(app, "text_input", "town").set_value("Albany")
    labelled(app, "text_input", "rooms").set_value("many")
    press(app, "Save")
    assert "must be a number" in said(app)
    labelled(app, "text_input", "rooms").set_value("3,5")
    labelled(app, "selectbox", "has_garden").set_value(True)
    press(app, "Save")
    assert rows(agency) == [{"town": "Albany", "rooms": 3.5, "has_garden": True}]
    assert "rooms: 3.5" in said(app)
    press(app, "Edit")
    labelled(app, "text_input", "town").set_value("Troy")
    press(app, "Save")
    assert [row["town"] for row in rows(agency)] == ["Troy"]
    press(press(app, "Edit"), "Remove this row")
    assert rows(agency) == []
    press(app, "Remove this collection")
    app.button(key="collection/homes/yes").click().run()
    assert "homes" not in said(app)


@pytest.mark.requirement("004-734")
def test_a_file_is_looked_at_and_taken_in_whole(opened, agency):
    """A bad line is named, and nothing is taken in before it is mended."""
    app = make(opened("knowledge"))
    drop(app, "town;rooms;agent\nAlbany;3;Ann\nTroy;many;Bob\n")
    text = said(app)
    assert "Line 3: rooms must be a number such as 12,50" in text
    assert "left out: agent" in text
    assert "Take the file in" not in labels(app)
    drop(app, "town;rooms\nAlbany;3\nTroy;2\n")
    assert "2 added · 0 changed · 0 removed · 0 left as they are" in said(app)
    press(app, "Take the file in")
    assert sorted(row["town"] for row in rows(agency)) == ["Albany", "Troy"]
    assert "2 rows" in said(app)
    press(app, "Make a file of all rows")
    assert not app.exception


@pytest.mark.requirement("004-733")
def test_whoever_was_slower_with_a_row_sees_both_versions(opened, agency):
    """And chooses; nothing is overwritten unseen."""
    app = make(opened("knowledge"))
    agency.put(Set(f"{ITEMS}/h1", {"town": "Albany"}))
    press(part(part(app, "Policies"), "Collections"), "Open")
    press(app, "Edit")
    agency.put(Set(f"{ITEMS}/h1", {"town": "Troy"}))
    labelled(app, "text_input", "town").set_value("Colonie")
    press(app, "Save")
    assert "has changed this since you opened it" in said(app)
    press(app, "Save mine instead")
    assert rows(agency) == [{"town": "Colonie"}]
