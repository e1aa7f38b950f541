"""Google Calendar: requests built by Google's own library from its discovery document, sent by the shared session."""
