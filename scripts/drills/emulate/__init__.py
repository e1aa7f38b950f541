"""Drills against npm's `emulate`: Twilio and Google as others, who do not know this house, understood them."""
