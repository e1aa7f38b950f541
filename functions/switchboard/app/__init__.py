"""How a deployment is put together: its settings, its parts, and what each Cloud Function serves."""
