"""Python values as kernel arguments."""
