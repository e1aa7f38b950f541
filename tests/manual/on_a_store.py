"""Commands of the manual that are run in a shell beside a store: in this order, each with what it is to come to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_OPTIONAL = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True)
class Row:
    """One command as the manual has it, and how it is typed here.

    Attributes:
        words: As it stands on the page.
        says: What is printed; a pattern that is searched for.
        filled: What is typed in place of what a reader fills in.
        code: The exit code.
        environ: What is set besides.
        whole: Whether it is typed without what stands in brackets as well; otherwise only with it.
    """

    words: str
    says: str
    filled: dict[str, str] = field(default_factory=dict)
    code: int = 0
    environ: dict[str, str] = field(default_factory=dict)
    whole: bool = True

    def typed(self) -> Iterator[str]:
        """Yield it with all that stands in brackets, and without it."""
        for text in dict.fromkeys((MOST_OPTIONAL.sub(r"\1", self.words), MOST_OPTIONAL.sub("", self.words))):
            for blank, value in self.filled.items():
                text = text.replace(blank, value)
            yield text
            if not self.whole:
                return

    def environ_in(self, environ: dict[str, str]) -> dict[str, str]:
        """Return what is set besides, in a shell; `$NAME` stands for what is set there."""
        return {name: re.sub(r"\$(\w+)", lambda found: environ[found[1]], text) for name, text in self.environ.items()}


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
"""In which a tool was called before."""
SECRETS_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
ELSEWHERE = {"GOOGLE_CLOUD_PROJECT": "$GOOGLE_CLOUD_PROJECT-elsewhere"}
ROWS = (
    Row('scripts/api_key create demo-salon --name "website"', r"^sb_\S+$"),
    Row(
        "scripts/api_key create demo-salon --name till --service-account EMAIL",
        "till",
        {"EMAIL": "till@a.iam.gserviceaccount.com"},
    ),
    Row(
        "scripts/api_key create demo-salon --name bot --subject client-7",
        "client-7",
        environ={"SWITCHBOARD_MCP_ISSUER": "https://login.example.com"},
    ),
    Row("scripts/explain demo-salon <session> [<call>]", "check_availability", {"<session>": "s1", "<call>": "c1"}),
    Row("scripts/explain --trace <trace>", "check_availability", {"<trace>": TRACE}),
    Row("scripts/explain --trace 4bf92f3577b34da6a3ce929d0e0e4736", "check_availability"),
    Row("scripts/health demo-salon", "demo-salon .*: ok"),
    Row("scripts/grant maria@example.com demo-salon owner", "owner"),
    Row("scripts/grant --list", "maria@example.com.*demo-salon"),
    Row(
        'scripts/call_tool check_availability \'{"date": "{next Tuesday}", "service": "Haircut"}\'', '"available": true'
    ),
    Row("scripts/call_tool --declare demo-salon phone openai", '"name": "book_appointment"'),
    Row("scripts/build_tools --notes", r"\d+ tools, version "),
    Row("scripts/lint_tools my_tools.json", "1 tools? looked at: 0 errors"),
    Row("scripts/seed --only tools --only prompts --dry-run", "nothing to do: "),
    Row(
        "scripts/backup export <file or folder> [--business ID]",
        r"^\d+ documents are in backup.jsonl",
        {"<file or folder>": "backup.jsonl", "ID": "demo-salon"},
        whole=False,
    ),
    Row("scripts/backup verify <file>", "each line and the whole are what was written", {"<file>": "backup.jsonl"}),
    Row(
        "scripts/backup import <file> [--dry-run] [--merge]",
        r"nothing was written; .* to write|\d+ documents were written, 0 were there already",
        {"<file>": "backup.jsonl"},
        environ=ELSEWHERE,
    ),
    Row("scripts/secrets check", "the newest key is", environ={"SWITCHBOARD_SECRETS_KEY": SECRETS_KEY}),
    Row("scripts/secrets rotate --dry-run", "nothing was written", environ={"SWITCHBOARD_SECRETS_KEY": SECRETS_KEY}),
    Row(
        "scripts/forget caller <business> <+number>",
        "nothing was deleted; add --yes to do it",
        {"<business>": "demo-salon", "<+number>": "+15185550161"},
    ),
    Row("scripts/new_business --templates", "salon-en +hair salon"),
    Row(
        'scripts/new_business "Birch Lane Hair" --template salon-en --timezone America/Chicago --dry-run',
        "nothing was made: birch-lane-hair would be",
    ),
    Row(
        "scripts/new_business --checklist birch-lane-hair",
        r"\[ \] A call was tried",
        {"birch-lane-hair": "demo-salon"},
    ),
    Row(
        "scripts/forget business birch-lane-hair",
        "nothing was deleted; add --yes demo-salon to do it",
        {"birch-lane-hair": "demo-salon"},
    ),
    Row("scripts/forget business <id>", "nothing was deleted; add --yes demo-salon to do it", {"<id>": "demo-salon"}),
    Row(".venv/bin/python -m tests.requirements", "004 Tool System"),
    Row('printf %s "<random>" | sha256sum', r"^[0-9a-f]{64}  -$", {"<random>": "abc"}),
)
