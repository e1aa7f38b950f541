"""Tell the business's policy on a topic."""
