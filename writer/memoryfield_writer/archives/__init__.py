"""Archives made anew and edited: records, the form that is the same everywhere, the swap."""
