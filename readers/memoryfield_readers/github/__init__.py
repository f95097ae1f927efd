"""GitHub's REST API: the few requests that a field takes, and what their answers mean."""
