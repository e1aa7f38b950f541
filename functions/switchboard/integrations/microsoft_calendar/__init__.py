"""Microsoft 365: one calendar of an owner's account, by plain requests to Microsoft Graph."""
