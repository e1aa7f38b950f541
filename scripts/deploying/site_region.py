#!/usr/bin/env python3
"""Run a command of the Firebase CLI with rewrites that lead to the functions of one region.

scripts/deploying/site_region.py europe-west1 firebase deploy --only=hosting --project=my-project

firebase.json names the region of functions/functions.yaml, which emulators use. A site whose rewrites name another one
than its functions are in would answer 404, or reach a second set of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def in_region(config: str, region: str) -> str:
    """Return a firebase.json whose rewrites to functions name a region."""
    parsed = json.loads(config)
    for rewrite in parsed["hosting"]["rewrites"]:
        if "function" in rewrite:
            rewrite["function"]["region"] = region
    return json.dumps(parsed, indent=2) + "\n"


def main(arguments: list[str]) -> int:
    """Run the command, and return its exit code."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    region, *command = arguments
    text = in_region((ROOT / "firebase.json").read_text(), region)
    # Beside firebase.json: what a configuration names is looked for from where it lies.
    with tempfile.NamedTemporaryFile("w", dir=ROOT, prefix=".firebase-", suffix=".json") as file:
        file.write(text)
        file.flush()
        return subprocess.run([*command, f"--config={Path(file.name).name}"], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
