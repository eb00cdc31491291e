"""Self-checks of the exercises on probing code."""

__all__: list[str] = []
