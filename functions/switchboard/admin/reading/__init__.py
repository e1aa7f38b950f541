"""Files and web pages that owners have read in, as pieces that callers are answered from."""
