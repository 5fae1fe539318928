"""Device links, and what the objects of a link contain."""
