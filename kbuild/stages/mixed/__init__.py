"""Mixed sources: the host pass, and the tables that connect it to the device pass."""
