"""A stand-in for Pipedream Connect: one project with a few apps, for tests and for trying things out.

It refuses what Pipedream refuses: other credentials, accounts of another user or environment, fields that a component
does not have, values of other types than theirs. Besides Pipedream's paths it has its own:

- `POST /_stand_in/accounts` `{external_user_id, app, name?, environment?, id?}`: an account, as if its owner had
  connected it; `DELETE /_stand_in/accounts/{id}` takes the permission back.
- `POST /_stand_in/faults` `{method, mode, times, seconds}`: the next `times` requests to a method (`token`,
  `actions.run`, `actions.retrieve`, ..., or `*`) go wrong; `DELETE` ends all faults.
- `GET /_stand_in/runs`: every action that was run, with what it was given; `DELETE` empties it.
- `GET /_stand_in/requests`: what was asked, without secrets; `DELETE` empties it.

As a program: `python -m stand_ins.pipedream --port 9542`, in `scripts/`. It listens on 127.0.0.1 alone.
"""
