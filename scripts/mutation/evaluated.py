"""`scripts/eval` with a fault in the product: `python -m mutation.evaluated FAULT [options of scripts/eval]`."""

from __future__ import annotations

import sys

from mutation.faults import FAULTS
from mutation.planting import plant

if __name__ == "__main__":
    name, *options = sys.argv[1:]
    if name:
        plant(FAULTS[name])
    # Loaded with the fault in place.
    from evals import command

    sys.exit(command.main(options))
