"""The command line: one thin module a command, and the only code that exits."""
