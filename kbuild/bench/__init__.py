"""What a launch costs: instructions, counted on any machine, and times, measured on a device."""
