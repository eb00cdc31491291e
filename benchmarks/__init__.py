"""Speed and memory of the helper package, measured side by side with the plain way."""
