"""Import the modules of an artifact as a user does, with and without a driver.

A stand-in takes the place of the driver: a library with the driver's functions, which all report
that there is no device.
"""

from kbuild.smoke.imports.model import ImportReport, ImportTrial
from kbuild.smoke.imports.trials import try_imports

__all__ = ["ImportReport", "ImportTrial", "try_imports"]
