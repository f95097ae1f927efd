"""`python -m memoryfield_cli`."""

from .start import run

if __name__ == "__main__":
    run()
