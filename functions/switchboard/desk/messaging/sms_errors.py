"""What a caller's model is told about a text message that was not sent, or of which nobody knows."""

NO_ACCOUNT = "The business has connected no phone account, so no text message can be sent. Say what it would have told."
OPTED_OUT = (
    "This number has asked not to be texted (it answered STOP), so nothing was sent. Say what the text would have "
    "told. Only the caller can change that, by texting START to the business."
)
LISTED = (
    "The business has this number on its list of those who get no texts, so nothing was sent. Say what the text would "
    "have told. The caller can change that by texting START to the business, or the business by taking it off the list."
)
NOT_RECORDED = "The text message could not be recorded and was not sent. Try once more, or say what it would have told."
IS_BEING_SENT = (
    "This very text message is being sent right now. Do not send another one; asking for exactly the same again in a "
    "moment tells."
)
MAY_BE_SENT = (
    "It is not known yet whether the text message was sent: the phone network did not answer. Do not say that it was, "
    "and do not send it in other words. Asking for exactly the same again is safe and tells."
)
EXPIRED = "The text message could not be sent in time, and would have come too late."
NOT_SENT = "The text message never reached the phone network."
UNUSABLE = "The text message has no number or no text."
NOT_DELIVERED = "The phone network could not deliver the text message. Say what it would have told."
