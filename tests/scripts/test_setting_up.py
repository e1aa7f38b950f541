"""What set-up installs, and what it does when something cannot be had."""

import pytest

import setting_up


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with an environment in which nothing is installed yet, and installers that only tell their lines."""
    lines, refused = [], []

    def run(line, silent=False):
        told = [str(part) for part in line]
        lines.append(told)
        return int(any(word in told for word in refused))

    for name, path in [("ROOT", "."), ("VENV", "v"), ("PYTHON", "v/python"), ("UV", "v/uv"), ("STAMP", "v/stamp.json")]:
        monkeypatch.setattr(setting_up, name, (tmp_path / path).resolve())
    monkeypatch.setattr(setting_up, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(setting_up, "_run", run)
    monkeypatch.setattr(setting_up, "_prepare", lambda: None)
    for name in ("v/python", "requirements.txt", "functions/requirements.txt", setting_up.ALONE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path, lines, refused


def installed(lines):
    return [(line[-1].rsplit("/", 1)[-1], "--no-deps" in line, "--require-hashes" in line) for line in lines]


def test_the_model_is_installed_by_its_hash_and_without_what_it_declares_to_need(checkout):
    """Which would be five gigabytes; and only once."""
    _, lines, _ = checkout
    for _ in range(2):
        setting_up.ensure("requirements.txt")
    assert installed(lines) == [("requirements.txt", False, True), ("requirements-no-deps.txt", True, True)]


def test_deployments_do_without_the_model(checkout):
    """They name a provider, or use the list of concepts."""
    _, lines, _ = checkout
    setting_up.ensure("functions/requirements.txt")
    assert installed(lines) == [("requirements.txt", False, True)]


def test_another_version_of_the_model_is_installed(checkout):
    """Although nothing else has changed."""
    root, lines, _ = checkout
    setting_up.ensure("requirements.txt")
    (root / setting_up.ALONE).write_text("newer")
    setting_up.ensure("requirements.txt")
    assert len(lines) == 4


def test_where_the_model_cannot_be_had_everything_else_is_set_up(checkout, capsys):
    """And what would bring it is told."""
    _, lines, refused = checkout
    refused.append("--no-deps")
    setting_up.ensure("requirements.txt")
    assert "the embedding model cannot be had here" in capsys.readouterr().err
    before = len(lines)
    setting_up.ensure("requirements.txt")
    assert len(lines) == before


def test_where_anything_else_cannot_be_had_set_up_stops(checkout):
    """With the line that shows why."""
    _, _, refused = checkout
    refused.append("--require-hashes")
    with pytest.raises(SystemExit, match=r"installing requirements\.txt failed\. To see it again: "):
        setting_up.ensure("requirements.txt")
