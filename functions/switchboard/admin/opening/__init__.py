"""How a business begins: made of its trade's template, with what is left to do told until callers can call."""
