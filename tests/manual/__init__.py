"""The manual is run: README.md and docs/ show no command that no test runs, and no answer that is not given."""
