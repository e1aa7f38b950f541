"""Why a call is refused: one file for each refusal, in order."""
