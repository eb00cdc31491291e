"""Self-checks of the exercises on inter layer similarity."""

__all__: list[str] = []
