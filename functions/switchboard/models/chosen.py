"""The models that agents may choose instead of the house's: each is opened when it first speaks, and kept."""

from collections.abc import Callable, Collection

from switchboard.contract.ports import ChatModel


class ChosenModels:
    """Returns the model of a name; of one that nobody may choose, which is then not opened, None."""

    def __init__(
        self,
        names: Collection[str],
        open: Callable[[str], ChatModel | None],
        watched: Callable[[ChatModel], ChatModel],
    ) -> None:
        """Open none yet; `names` are those that may be chosen, `watched` returns one as it is measured."""
        self._names, self._open, self._watched = names, open, watched
        self._opened: dict[str, ChatModel] = {}

    def __call__(self, name: str) -> ChatModel | None:
        """Return the model of a name, as named in `openai:gpt-5-mini`."""
        if name not in self._opened and name in self._names:
            model = self._open(name)
            if model is not None:
                self._opened[name] = self._watched(model)
        return self._opened.get(name)
