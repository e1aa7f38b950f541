"""Print how many requirements each document has, by status."""

from collections import Counter

from tests.requirements.manifest import STATUSES, load


def main() -> None:
    """Print one line for each document and one for the sum."""
    rows = load()
    counts = Counter((row.document, row.status) for row in rows)
    documents = sorted({row.document for row in rows})
    width = max(len(document) for document in documents)
    print(" " * width, *(f"{status:>8}" for status in STATUSES), f"{'all':>8}")
    for document in documents:
        _print_line(document.ljust(width), [counts[document, status] for status in STATUSES])
    _print_line("all".ljust(width), [sum(counts[document, status] for document in documents) for status in STATUSES])


def _print_line(title: str, numbers: list[int]) -> None:
    print(title, *(f"{number:>8}" for number in (*numbers, sum(numbers))))


if __name__ == "__main__":
    main()
