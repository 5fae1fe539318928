"""The policy: what a project requires of its artifacts."""
