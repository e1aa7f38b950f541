"""Who answers, and with what."""
