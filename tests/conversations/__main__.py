"""`python -m tests.conversations [FILE ...]`: hold them again and write down how they go now, the answers as they are.

For a change that is meant to change what is said: read the difference before it is committed.
"""

import asyncio
import logging
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "scripts"), str(HERE.parents[1] / "functions")]


async def renew(paths: list[Path]) -> None:
    """Write each anew."""
    from played.recording import read, write
    from played.replaying import replay

    for path in paths:
        write((await replay(read(path))).recording, path)
        print(path.stem)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(renew([Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("*.json"))))
