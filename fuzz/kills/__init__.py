"""Kills of running commands at random points: the next run must repair everything."""
