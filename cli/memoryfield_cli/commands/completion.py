"""`memoryfield completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ..output import say


@click.command(
    epilog="""\b
Examples:
  memoryfield completion bash > ~/.local/share/bash-completion/completions/memoryfield
  memoryfield completion zsh > ~/.zfunc/_memoryfield
  memoryfield completion fish > ~/.config/fish/completions/memoryfield.fish
"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and paths in a shell."""
    completion = get_completion_class(shell)
    if completion is None:  # pragma: no cover - click knows all three
        raise click.UsageError(f"no completion for {shell}")
    group = ctx.find_root().command
    say(completion(group, {}, "memoryfield", "_MEMORYFIELD_COMPLETE").source())
