"""The command line. Only this package prints results, and only `kbuild.cli.main` exits."""
