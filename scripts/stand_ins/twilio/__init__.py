"""A stand-in for Twilio's REST API: texts and phone calls of one account, for tests and for trying things out.

Besides Twilio's paths it has its own:

- `GET /`: a page that lists texts and phone calls as they come.
- `POST /_stand_in/calls` `{from, to, sid}`: a phone call that is under way, as if somebody had called; `DELETE` of one
  ends it, and `DELETE` of its `/told` answers what it was told to do since then, which it then does.
- `POST /_stand_in/faults` `{method, mode, times, seconds, to}`: the next `times` requests to a method
  (`messages.create`, `calls.update`, ..., or `*`), perhaps only those to a number, go wrong; `DELETE` ends all faults.
- `GET /_stand_in/requests`: what was asked, without secrets; `DELETE` empties it.

As a program: `python -m stand_ins.twilio --port 9541`, in `scripts/`. It listens on 127.0.0.1 alone.
"""
