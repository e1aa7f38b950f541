"""Speech through the browser's microphone: by the browser's own means, or by a vendor's live speech model."""
