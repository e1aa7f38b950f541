"""The portal: a written conversation with a business, as an HTTP API and as the page that uses it."""
