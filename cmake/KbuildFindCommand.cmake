# Finds the kbuild command that belongs to this CMake package.
include_guard(GLOBAL)

# Lists the candidates, best first: the Python environment that contains this file
# (lib/python3.X/site-packages/kbuild/cmake), the active environment, the .venv of a checkout, and PATH.
function(_kbuild_list_candidates result)
    set(candidates "")
    get_filename_component(prefix "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../../.." ABSOLUTE)
    list(APPEND candidates "${prefix}/bin/kbuild")
    if(DEFINED ENV{VIRTUAL_ENV})
        list(APPEND candidates "$ENV{VIRTUAL_ENV}/bin/kbuild")
    endif()
    list(APPEND candidates "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../.venv/bin/kbuild")
    find_program(on_path kbuild NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
    if(on_path)
        list(APPEND candidates "${on_path}")
    endif()
    set(${result} "${candidates}" PARENT_SCOPE)
endfunction()

# Sets `result` to the output of `candidate --cmake-dir`, or to an empty string if the command fails.
function(_kbuild_ask_directory candidate result)
    execute_process(COMMAND "${candidate}" --cmake-dir
        OUTPUT_VARIABLE directory ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
        RESULT_VARIABLE status)
    if(status EQUAL 0 AND directory)
        get_filename_component(directory "${directory}" REALPATH)
        set(${result} "${directory}" PARENT_SCOPE)
    else()
        set(${result} "" PARENT_SCOPE)
    endif()
endfunction()

# Sets KBUILD_EXECUTABLE in the caller's scope, or `message` to an error message.
function(_kbuild_find_command message)
    set(${message} "" PARENT_SCOPE)
    get_filename_component(own "${CMAKE_CURRENT_FUNCTION_LIST_DIR}" REALPATH)
    if(KBUILD_EXECUTABLE)
        set(candidates "${KBUILD_EXECUTABLE}")
    else()
        _kbuild_list_candidates(candidates)
    endif()
    set(others "")
    foreach(candidate IN LISTS candidates)
        if(NOT EXISTS "${candidate}" AND NOT KBUILD_EXECUTABLE)
            continue()
        endif()
        _kbuild_ask_directory("${candidate}" directory)
        if(directory STREQUAL own)
            set(KBUILD_EXECUTABLE "${candidate}" PARENT_SCOPE)
            return()
        elseif(directory)
            string(APPEND others "\n  ${candidate} belongs to the package in ${directory}")
        else()
            string(APPEND others "\n  ${candidate} does not run")
        endif()
    endforeach()
    set(${message}
        "no kbuild command belongs to the package in ${own}; set KBUILD_EXECUTABLE to the kbuild command in the Python environment of that package${others}"
        PARENT_SCOPE)
endfunction()
