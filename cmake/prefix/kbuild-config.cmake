# Installed below the root of a Python environment, in share/cmake/kbuild, where CMake looks for packages.
# The package itself is in site-packages, or in a checkout. The command of the environment knows where.
get_filename_component(_kbuild_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT KBUILD_EXECUTABLE)
    set(KBUILD_EXECUTABLE "${_kbuild_prefix}/bin/kbuild")
endif()
execute_process(COMMAND "${KBUILD_EXECUTABLE}" --cmake-dir
    OUTPUT_VARIABLE _kbuild_directory ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE _kbuild_status)
if(_kbuild_status EQUAL 0)
    include("${_kbuild_directory}/kbuild-config.cmake")
else()
    set(kbuild_FOUND FALSE)
    set(kbuild_NOT_FOUND_MESSAGE "${KBUILD_EXECUTABLE} does not run, so the package of the Python \
environment in ${_kbuild_prefix} cannot be found; install kbuild there again")
endif()
