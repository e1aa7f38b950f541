"""A phone call as Twilio would make it, against a running server."""
