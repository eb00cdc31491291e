"""Grade a folder of notebooks: `python -m whichlayer.grade`."""
