"""How owners say where something stands in a service's answer: `data.items[0].name`.

A path is names and positions; `[*]` stands for every entry of a list; a name with other characters is quoted,
`["opening hours"]`; a leading `$` is left out.
"""

import re

MOST_PICKED, LONGEST_TEXT = 50, 4_000
"""So many values are picked at most, and so long a text is filled with them."""
HOLE = re.compile(r"\{\{([^{}]+)\}\}")
"""A path in such a text, as `{{path}}`."""
EVERY = "*"
"""The step that stands for every entry of a list."""
LONGEST_PATH = 500
_STEP = re.compile(
    r"""\.?(?P<name>[^.\[\]"'\s{}]+)|\[(?P<index>-?\d{1,6}|\*)\]|\[(?P<quote>["'])(?P<quoted>.+?)(?P=quote)\]"""
)


def steps_of(path: str) -> tuple[str | int, ...] | None:
    """Return the steps of a path: names, positions, and `EVERY`; None where it is no path."""
    if len(path) > LONGEST_PATH:
        return None
    text = path.strip().removeprefix("$")
    steps: list[str | int] = []
    while text:
        step = _STEP.match(text)
        if step is None:
            return None
        index = step["index"]
        if index is not None:
            steps.append(EVERY if index == EVERY else int(index))
        else:
            steps.append(step["name"] or step["quoted"])
        text = text[step.end() :]
    return tuple(steps)
