"""Launch records: capture, file format, and replay."""
