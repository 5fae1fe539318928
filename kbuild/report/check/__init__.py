"""The reports of checks: text, JSON, SARIF, JUnit XML, and annotations on GitHub."""
