"""What came of scenarios, for people and for machines: a table, what went wrong and why, JUnit XML, and JSON."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from switchboard.app.evaluation.judging import Finding

WIDTH = 110
_SPOKEN = 400
_TOOK = re.compile(r"[\d.,]+ ms(?= in all)")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a scenario in one form.

    Attributes:
        findings: What is not as it should be.
        lines: What was said, by whom.
    """

    suite: str
    scenario: str
    form: str
    findings: Sequence[Finding]
    lines: Sequence[tuple[str, str]]
    took_s: float

    @property
    def passed(self) -> bool:
        """Whether everything is as it should be."""
        return not self.findings

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.suite}/{self.scenario}, {self.form}"


@dataclass(frozen=True, slots=True)
class Complaint:
    """A file that is no scenario, and why, in one line."""

    path: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


def failures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield what went wrong, line by line: what is not so, the sentence and the call, and that call's story."""
    for verdict in verdicts:
        if verdict.passed:
            continue
        yield f"FAILED  {verdict.name}"
        shown = set[str]()
        for finding in verdict.findings:
            yield from _wrapped(finding.what, "  ")
            if finding.sentence:
                yield from _wrapped(f"sentence  {finding.sentence[:_SPOKEN]}", "    ")
            if finding.call:
                yield from _wrapped(f"call      {finding.call}", "    ")
            # Several things may be wrong with one call; its story is told once.
            for told in finding.story if finding.call not in shown else ():
                yield from _wrapped(told, "      ")
            shown.add(finding.call)
        yield ""


def conversation(verdict: Verdict) -> Iterator[str]:
    """Yield what was said, line by line."""
    for who, words in verdict.lines:
        yield from _wrapped(f"{who:<7} {words}", "  ")


def table(verdicts: Sequence[Verdict], seconds: float) -> Iterator[str]:
    """Yield a row for each suite, and one for all."""
    suites = list(dict.fromkeys(verdict.suite for verdict in verdicts))
    rows = [("SUITE", "SCENARIOS", "RUNS", "PASSED", "FAILED")]
    for suite in suites:
        rows.append(_row(suite, [verdict for verdict in verdicts if verdict.suite == suite]))
    if len(suites) > 1:
        rows.append(_row("all", verdicts))
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
    yield f"{len(verdicts)} runs in {seconds:.1f} s"


def _row(name: str, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    scenarios = {(verdict.suite, verdict.scenario) for verdict in verdicts}
    passed = sum(verdict.passed for verdict in verdicts)
    return (name, *map(str, (len(scenarios), len(verdicts), passed, len(verdicts) - passed)))


def write_junit(verdicts: Sequence[Verdict], complaints: Sequence[Complaint], path: Path) -> None:
    """Write JUnit XML: a suite each, a case for each scenario and form; a file that is no scenario is an error."""
    root = ElementTree.Element("testsuites")
    for name in dict.fromkeys(verdict.suite for verdict in verdicts):
        own = [verdict for verdict in verdicts if verdict.suite == name]
        counts = {"tests": len(own), "failures": sum(not verdict.passed for verdict in own)}
        suite = ElementTree.SubElement(root, "testsuite", name=name, **{k: str(v) for k, v in counts.items()})
        for verdict in own:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=f"{name}.{verdict.scenario}",
                name=verdict.form,
                time=f"{verdict.took_s:.3f}",
            )
            if not verdict.passed:
                failure = ElementTree.SubElement(case, "failure", message=verdict.findings[0].what)
                failure.text = "\n".join(failures([verdict]))
    if complaints:
        suite = ElementTree.SubElement(root, "testsuite", name="files", tests=str(len(complaints)))
        for complaint in complaints:
            case = ElementTree.SubElement(suite, "testcase", classname="files", name=complaint.path)
            ElementTree.SubElement(case, "error", message=complaint.why)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def write_json(verdicts: Sequence[Verdict], complaints: Sequence[Complaint], path: Path) -> None:
    """Write all of it but how long it took, which is no two times the same."""
    rows = [{**asdict(verdict), "passed": verdict.passed} for verdict in verdicts]
    for row in rows:
        del row["took_s"]
        for finding in row["findings"]:
            finding["story"] = [_TOOK.sub("some ms", told) for told in finding["story"]]
    body = {"verdicts": rows, "complaints": [asdict(complaint) for complaint in complaints]}
    path.write_text(json.dumps(body, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _wrapped(text: str, indent: str) -> list[str]:
    plain = "".join(character if character.isprintable() else " " for character in text)
    return textwrap.wrap(plain, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ") or [indent]
