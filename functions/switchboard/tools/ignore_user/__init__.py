"""Give a disrespectful caller no conversation for a while."""
