"""Rewrite launches in preprocessed text: each kernel gets a function that launches it."""
