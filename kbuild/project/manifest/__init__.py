"""The manifest: its tables, how they are read, and what is checked before anything is written."""
