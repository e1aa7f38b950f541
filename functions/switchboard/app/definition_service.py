"""What is done with the words that all businesses share, joined when somebody first does it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.definitions.service import DefinitionService
    from switchboard.app.core import Core


def definition_service(core: "Core") -> "DefinitionService":
    """Return what drafts, tries, publishes and takes back definitions."""
    from switchboard.admin.definitions.canaries import Canaries
    from switchboard.admin.definitions.history import DefinitionHistory
    from switchboard.admin.definitions.record import DefinitionRecords
    from switchboard.admin.definitions.replay import Replay
    from switchboard.admin.definitions.service import DefinitionService
    from switchboard.admin.evals.gate import PublishGate

    read = core.catalog.definitions
    return DefinitionService(
        core.store,
        core.paths,
        DefinitionRecords(core.store, core.paths, read.registry),
        DefinitionHistory(core.store, core.paths),
        Replay(core.store, core.paths, core.catalog, core.clock),
        Canaries(core.store, core.paths, core.clock),
        read.forget,
        PublishGate(core.store, core.paths, core.playing),
    )
