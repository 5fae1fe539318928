"""C++ names: demangling, and names that kbuild derives from them."""
