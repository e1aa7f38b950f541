"""Files and pages that owners have read in."""
