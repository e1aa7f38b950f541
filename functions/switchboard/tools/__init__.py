"""The tools, one folder each: `schema.json`, `guide.md`, `handler.py`. The registry finds them; nobody imports one."""
