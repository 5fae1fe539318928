"""C++ names: demangling, parsing demangled names, and the names of debug stubs."""
