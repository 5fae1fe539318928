"""Measure the cost of a launch: instructions on any machine, and times on a device."""
