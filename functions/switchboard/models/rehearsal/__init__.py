"""The rehearsal: what answers where no language model is connected."""
