"""A call while the store is away: what is offered then can be done then."""

import pytest

from tests.channels.phone.house import PhoneInstance, Twilio, open_store
from tests.conversation.scripted import says

pytestmark = pytest.mark.requirement("004-2204")
ALL = ("get", "get_many", "query", "commit")


@pytest.mark.parametrize("path", ["/phone/turn?turn=1", "/phone/transfer-result"])
async def test_no_message_is_offered_that_nothing_can_take(path):
    """The caller may say it again, since trouble passes; as soon as it has, a message can be had."""
    store = await open_store()
    async with PhoneInstance(store).serving() as instance:
        instance.office.catalog._is_store_away = lambda: bool(store.fail_before)
        await Twilio(instance).ask("/phone/incoming")
        store.fail(*ALL)
        heard = await Twilio(instance).ask(path, SpeechResult="Hello", DialCallStatus="busy")
        assert heard.said.startswith("I'm sorry, we have a technical problem. Please say that once more.")
        assert "message" not in heard.said
        store.recover()
        instance.model.answers = [says("We open at nine.")]
        assert (await Twilio(instance).ask(heard.action, SpeechResult="When?")).said == "We open at nine."


async def test_a_model_that_fails_while_the_store_is_there_leaves_a_message_to_be_offered(twilio):
    """Nothing else is away."""
    twilio.instance.office.catalog._is_store_away = lambda: False
    heard = await twilio.ask("/phone/incoming")
    twilio.instance.model.answers = [[]]
    said, _ = await twilio.finish(await twilio.ask(heard.action, SpeechResult="When?"))
    assert said.endswith("Would you like me to take a message?")
