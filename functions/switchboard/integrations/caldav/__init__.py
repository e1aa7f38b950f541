"""Calendars on CalDAV servers (Apple, Fastmail, Nextcloud and others): plain WebDAV requests through the egress door.

Ready-made CalDAV clients open connections of their own; the server is an owner's choice, so that every request has to
go to an address that was checked (`integrations/egress`).
"""
