"""What the text message with a one-time code says."""

from datetime import timedelta

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of

# Whoever gets one out of the blue must learn from it that somebody else is at work.
_WORDS = {
    "en": "{code} is your code for {business}, good for {minutes} minutes. If you are not talking to us right now, do "
    "not tell it to anybody.",
    "de": "{code} ist Ihr Code für {business}, gültig für {minutes} Minuten. Wenn Sie gerade nicht mit uns sprechen, "
    "sagen Sie ihn niemandem.",
    # A letter that is not in a text message's own alphabet, such as the o of "código", would make two messages of it.
    "es": "{code} es su clave para {business} y vale {minutes} minutos. Si no habla con nosotros en este momento, no "
    "se la diga a nadie.",
    "fr": "{code} est votre code pour {business}, valable {minutes} minutes. Si vous ne nous parlez pas en ce moment, "
    "ne le donnez à personne.",
}
_LONGEST_NAME = 40


def code_text(business: Business, code: str, lasts: timedelta) -> str:
    """Return the text message, in the business's language where that is known and in English elsewhere."""
    words = _WORDS.get(language_of(business.language), _WORDS["en"])
    name = " ".join(business.name.split())[:_LONGEST_NAME].strip()
    return words.format(code=code, business=name, minutes=int(lasts.total_seconds() // 60))
