"""Self-checks of the exercises on many properties."""

__all__: list[str] = []
