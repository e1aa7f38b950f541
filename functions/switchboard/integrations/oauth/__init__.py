"""OAuth 2.0 with vendors that keep owners' calendars: consent, tokens, and requests that carry them."""
