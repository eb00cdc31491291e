"""Self-checks of the exercises on combining layers."""

__all__: list[str] = []
