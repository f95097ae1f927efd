"""The `memoryfield` command: it parses, calls a room, and prints; no logic of its own."""
