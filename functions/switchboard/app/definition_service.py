"""What is done with the words that all businesses share, joined when somebody first does it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.definitions.service import DefinitionService
    from switchboard.admin.definitions.words_trial import WordsTrial
    from switchboard.app.core import Core
    from switchboard.catalog.offer.offer import Offer
    from switchboard.contract.context import Context
    from switchboard.contract.ports import ChatModel


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


def definition_endpoints(core: "Core", service: "DefinitionService") -> "tuple[Endpoint, ...]":
    """Return every endpoint that is about definitions."""
    from switchboard.admin.definitions.routes import DefinitionChangeEndpoints, DefinitionEndpoints
    from switchboard.admin.definitions.words_routes import WordsEndpoints

    return (
        *DefinitionEndpoints(service, core.store, core.paths).endpoints,
        *DefinitionChangeEndpoints(service).endpoints,
        *WordsEndpoints(service.records, words_trial(core), core.store, core.paths).endpoints,
    )


def words_trial(core: "Core") -> "WordsTrial":
    """Return what asks recorded conversations again, of the model that this deployment names."""
    from switchboard.admin.definitions.words_trial import WordsTrial
    from switchboard.app.evaluation.connection import StandingClock
    from switchboard.catalog.offer.prompts import Prompts
    from switchboard.contract.model import REHEARSAL

    registry = core.catalog.definitions.registry
    prompts = Prompts(core.store, core.paths, registry.prompts, core.clock)

    async def written(offer: "Offer", facts: "Context", at: "datetime") -> tuple[str, str]:
        then = Prompts(core.store, core.paths, registry.prompts, StandingClock(at))
        return await prompts.system(offer, facts), then.moment(offer, facts)

    def model() -> "ChatModel | None":
        opened = core.open_model(list(registry.tools.values()))
        return None if opened.name == REHEARSAL else opened

    return WordsTrial(core.store, core.paths, core.catalog, core.clock, written, model)
