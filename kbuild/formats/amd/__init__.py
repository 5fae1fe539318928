"""AMD's device code formats."""
