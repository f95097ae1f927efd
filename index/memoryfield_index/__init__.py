"""The vector index of a field: built locally, verified, searched."""
