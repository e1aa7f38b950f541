"""The owners' operations, shared by the HTTP API, the admin pages and the scripts."""
