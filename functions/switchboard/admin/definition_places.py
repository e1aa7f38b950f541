"""Where the owners' side keeps what belongs to definitions: drafts beside the versions, publications beside the set."""

from switchboard.contract.ports import Paths


def draft_path(paths: Paths, tool: str) -> str:
    """Return the path of a definition's draft: a version that is not published yet, which no reader of tools meets."""
    return paths.definition_version(tool, "draft")


def publications(paths: Paths) -> str:
    """Return the collection of what was published when by whom, one document per publication."""
    return f"{paths.tool_pointer}/publications"
