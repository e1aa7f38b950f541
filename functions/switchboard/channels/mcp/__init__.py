"""The tools of a business as a server of the Model Context Protocol: the same catalog, the same dispatcher."""
