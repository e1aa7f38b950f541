"""How often somebody may have something done."""
