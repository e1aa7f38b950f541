"""The streaming turn loop: model, tools and channel, from what the human said to the last word of the answer."""
