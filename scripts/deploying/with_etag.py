"""Print a JSON file together with an etag: `with_etag.py <file> <etag>`, for `gcloud … update --config`."""

import json
import sys
from pathlib import Path


def with_etag(path: Path, etag: str) -> str:
    """Return what the file says, as the change of the version that the etag names."""
    return json.dumps({**json.loads(path.read_text()), "etag": etag}, ensure_ascii=False)


if __name__ == "__main__":
    print(with_etag(Path(sys.argv[1]), sys.argv[2]))
