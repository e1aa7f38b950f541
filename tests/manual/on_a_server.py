"""Commands of the manual that ask a server, by how they begin."""

CLIENT = "pip install openapi-python-client"
OWN_TOOL = "curl -s $U/api/demo-salon/tools "
EXAMPLE = "SWITCHBOARD_URL=$U SWITCHBOARD_KEY=$KEY MODEL=gpt-4o-mini .venv/bin/python scripts/examples/openai_chat.py"
READY = "curl https://YOUR_ADDRESS/ready"
BEGINNINGS = (CLIENT, OWN_TOOL, EXAMPLE, READY)
EVALUATIONS = ("scripts/eval friday.yaml --plain --talk", "scripts/eval friday.yaml --plain")
"""What is asked of the scenario that docs/testing.md has its reader write."""
