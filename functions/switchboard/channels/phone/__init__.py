"""The phone, over Twilio: webhooks that answer TwiML, and the socket of a ConversationRelay call."""
