"""The interface of a backend: one module per capability."""
