"""Who is calling, and how effects reach them: one file per way in."""
