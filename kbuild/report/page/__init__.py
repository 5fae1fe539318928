"""Self-contained HTML pages: what artifacts contain, and what changed between two builds."""
