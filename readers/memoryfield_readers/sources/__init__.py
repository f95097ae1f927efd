"""The transports, one module each."""
