"""Holds what an agent says to a caller against what was done: what is not so is not heard.

`guard` cuts an answer into sentences; of each it asks, in this order:

1. `statements.check.what_is_left`: what does it say of when something was before or ends, of what stands, and of each
   of several appointments? What is so is taken out, what is not is held.
2. `classifier`: which deeds does the rest claim? `unclaimed` knows what only sounds like a claim.
3. `company_check`, `statements.check.hold_untrue`, `visit_ends`, `until_then`: is what it says of people, prices,
   hours, lengths, messages, free times, promises, ends, moves and goodbyes so?
4. `facts`: does a receipt or a look-up bear out each deed, with its time (`entities`), people (`people_words`), number
   of guests (`party_words`) and service?

Each check is asked with one `SpokenStatement`. What is known is looked up once an answer, and what a sentence names is
read once, however many ask.
"""
