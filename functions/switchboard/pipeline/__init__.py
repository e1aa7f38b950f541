"""Whether and how a call runs: one small file per check, named for what it refuses, and who asks them."""
