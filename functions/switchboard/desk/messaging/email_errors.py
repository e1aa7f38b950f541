"""What a caller's model is told about an e-mail that was not sent, or of which nobody knows."""

NO_ACCOUNT = "The business has connected no mail account, so no e-mail can be sent."
NOT_RECORDED = "The e-mail could not be recorded and was not sent. Apologise, or say what it would have told."
IS_BEING_SENT = "This very e-mail is being sent right now. Wait a moment before asking again; do not send another one."
MAY_BE_SENT = (
    "It is not known whether this e-mail was sent: sending it was interrupted. Do not say that it was, and do not send "
    "it again; say that this is not known."
)
TOO_MANY_FOR_BUSINESS = "The business has sent as many e-mails as it may today; nothing was sent."
TOO_MANY_FOR_STRANGERS = (
    "As many e-mails were sent today for callers who are not verified as all of them together may have; nothing was "
    "sent. Verify the caller, if that is offered here, which lifts this."
)
TOO_MANY_FOR_RECIPIENT = "This address has been sent as many e-mails as it may get today; nothing was sent."
