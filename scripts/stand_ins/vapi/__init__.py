"""A stand-in for Vapi's REST API: tools, assistants and phone calls of one account, for tests and for trying out.

Bodies are held against an extract of Vapi's own OpenAPI document; what that does not name is refused as Vapi refuses
it, except inside an assistant's `model`, where Vapi may know more than the document. Besides Vapi's paths it has its
own:

- `POST /{callId}/control`: the control address of a phone call.
- `GET /_stand_in/calls`: the phone calls, with all that was said to their control addresses; `DELETE
  /_stand_in/calls/{id}` ends one.
- `POST /_stand_in/faults` `{method, mode, times, seconds}`: the next `times` requests to a method (`tools.create`,
  `assistants.update`, `calls.control`, ..., or `*`) go wrong; `DELETE` ends all faults.
- `GET /_stand_in/requests`: what was asked, without secrets; `DELETE` empties it.

As a program: `python -m stand_ins.vapi --port 9542`, in `scripts/`. It listens on 127.0.0.1 alone.
"""
