"""Self-checks of the exercises on layer hierarchy."""

__all__: list[str] = []
