# Provides kbuild's package to the project that includes a checkout with FetchContent or add_subdirectory,
# without an installation by pip.
#
# Needs a Python interpreter (3.10 or newer) with the packages that kbuild requires, and a C and a C++
# compiler, with which the device runtime of the CPU backend is compiled while CMake configures. Set
# Python3_EXECUTABLE to select the interpreter. If KBUILD_EXECUTABLE names an installed kbuild, that one is
# used instead.
include_guard(GLOBAL)

# Sets `result` to a Python interpreter that has the packages which kbuild requires.
function(_kbuild_find_python checkout result)
    find_package(Python3 3.10 COMPONENTS Interpreter)
    if(NOT Python3_Interpreter_FOUND)
        message(FATAL_ERROR "kbuild needs Python 3.10 or newer; install it, or set Python3_EXECUTABLE")
    endif()
    execute_process(
        COMMAND "${Python3_EXECUTABLE}" "${checkout}/cmake/subproject/list_missing.py" "${checkout}"
        OUTPUT_VARIABLE missing RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "kbuild: ${Python3_EXECUTABLE} does not run; set Python3_EXECUTABLE")
    elseif(missing)
        message(FATAL_ERROR "kbuild: ${Python3_EXECUTABLE} lacks packages that kbuild requires; install "
            "them, or set Python3_EXECUTABLE to another interpreter:\n"
            "  ${Python3_EXECUTABLE} -m pip install ${missing}")
    endif()
    set(${result} "${Python3_EXECUTABLE}" PARENT_SCOPE)
endfunction()

# Runs a step of the runtime's build, and stops with its output if it fails.
function(_kbuild_run_step)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "kbuild: the device runtime of the CPU backend cannot be built:\n"
            "${command}\n${output}")
    endif()
endfunction()

# Compiles the device runtime and installs it to `package`. The flags of the project do not apply to it.
function(_kbuild_build_runtime checkout package)
    set(build "${CMAKE_CURRENT_BINARY_DIR}/runtime")
    set(definitions -DCMAKE_BUILD_TYPE=Release)
    foreach(variable IN ITEMS CMAKE_TOOLCHAIN_FILE CMAKE_MAKE_PROGRAM CMAKE_C_COMPILER CMAKE_CXX_COMPILER)
        if(${variable})
            list(APPEND definitions "-D${variable}=${${variable}}")
        endif()
    endforeach()
    set(generator "${CMAKE_GENERATOR}")
    if(generator STREQUAL "Ninja Multi-Config")
        set(generator Ninja)
    endif()
    _kbuild_run_step("${CMAKE_COMMAND}" -S "${checkout}" -B "${build}" -G "${generator}" ${definitions})
    _kbuild_run_step("${CMAKE_COMMAND}" --build "${build}" --parallel)
    _kbuild_run_step("${CMAKE_COMMAND}" --install "${build}" --prefix "${package}")
endfunction()

# Makes a package with the layout of an installed one, and a command that runs it.
function(_kbuild_make_package checkout package command)
    _kbuild_find_python("${checkout}" python)
    message(STATUS "kbuild: preparing ${package} (${python})")
    _kbuild_build_runtime("${checkout}" "${package}")
    file(COPY "${checkout}/kbuild" DESTINATION "${package}" PATTERN "__pycache__" EXCLUDE)
    file(COPY "${checkout}/cmake" "${checkout}/templates" "${checkout}/examples"
        DESTINATION "${package}/kbuild" PATTERN "build" EXCLUDE)
    foreach(word IN ITEMS package python)
        string(REPLACE "'" "'\\''" ${word} "${${word}}")
    endforeach()
    file(CONFIGURE OUTPUT "${command}" @ONLY CONTENT [=[#!/bin/sh
PYTHONPATH='@package@'${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
exec '@python@' -c 'import sys; sys.path[:1] == [""] and sys.path.pop(0); from kbuild.cli.main import main; sys.exit(main())' "$@"
]=])
    file(CHMOD "${command}" PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()

set(_kbuild_package "${CMAKE_CURRENT_BINARY_DIR}/package")
set(_kbuild_command "${CMAKE_CURRENT_BINARY_DIR}/kbuild-command")
if(NOT KBUILD_EXECUTABLE OR KBUILD_EXECUTABLE STREQUAL _kbuild_command)
    _kbuild_make_package("${CMAKE_CURRENT_SOURCE_DIR}" "${_kbuild_package}" "${_kbuild_command}")
    # For find_package(kbuild) in this project and in the packages that it finds.
    set(KBUILD_EXECUTABLE "${_kbuild_command}" CACHE FILEPATH "The kbuild command" FORCE)
endif()
execute_process(COMMAND "${KBUILD_EXECUTABLE}" --cmake-dir
    OUTPUT_VARIABLE _kbuild_directory OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _kbuild_status)
if(NOT _kbuild_status EQUAL 0)
    message(FATAL_ERROR "kbuild: ${KBUILD_EXECUTABLE} does not run; set KBUILD_EXECUTABLE to another one")
endif()
get_filename_component(_kbuild_own "${_kbuild_package}/kbuild/cmake" REALPATH)
get_filename_component(_kbuild_found "${_kbuild_directory}" REALPATH)
if(KBUILD_EXECUTABLE STREQUAL _kbuild_command AND NOT _kbuild_found STREQUAL _kbuild_own)
    message(FATAL_ERROR "kbuild: ${Python3_EXECUTABLE} imports the kbuild in ${_kbuild_directory} instead "
        "of this checkout; set KBUILD_EXECUTABLE to the command of that kbuild, or Python3_EXECUTABLE to "
        "another interpreter")
endif()
set(kbuild_DIR "${_kbuild_directory}" CACHE PATH "The directory of kbuild-config.cmake" FORCE)
find_package(kbuild CONFIG REQUIRED)
