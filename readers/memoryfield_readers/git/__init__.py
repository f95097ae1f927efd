"""What a git repository holds, read by git's own plumbing: nothing checked out, nothing run."""
