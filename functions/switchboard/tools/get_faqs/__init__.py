"""Tell the frequent questions on a topic and their answers."""
