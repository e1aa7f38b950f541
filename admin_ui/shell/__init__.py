"""What stands around every page: who looks at which business, the menu, the server behind it, and the overview."""
