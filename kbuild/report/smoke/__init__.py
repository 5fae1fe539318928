"""Renderers of smoke test reports."""
