# Calls of kbuild's functions: `kbuild plan` checks their raw arguments, sets defaults, and plans the edges.
include_guard(GLOBAL)

# Appends a `key value` line to a record. In a value, a space after a line break continues it.
function(_kbuild_append_value result key value)
    string(REPLACE "\n" "\n " value "${value}")
    set(${result} "${${result}}${key} ${value}\n" PARENT_SCOPE)
endfunction()

# Appends one line for each item of a variable, and one with an empty value if it has none.
function(_kbuild_append_list result name)
    set(lines "${${result}}")
    if("${${name}}" STREQUAL "")
        _kbuild_append_value(lines ${name} "")
    endif()
    foreach(value IN LISTS ${name})
        _kbuild_append_value(lines ${name} "${value}")
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Appends an argument of a call, and the properties that it has if it is a source file.
function(_kbuild_append_argument result index argument)
    set(lines "${${result}}")
    _kbuild_append_value(lines argument "${argument}")
    get_filename_component(path "${argument}" ABSOLUTE)
    get_source_file_property(is_generated "${path}" GENERATED)
    if(is_generated)
        _kbuild_append_value(lines generated ${index})
    endif()
    get_source_file_property(definitions "${path}" COMPILE_DEFINITIONS)
    if(definitions)
        foreach(definition IN LISTS definitions)
            _kbuild_append_value(lines definition.${index} "${definition}")
        endforeach()
    endif()
    if(TARGET "${argument}")
        _kbuild_append_value(lines known "${argument}")
    endif()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Appends the properties of an existing target that determine how its mixed sources are compiled.
function(_kbuild_append_target result target)
    set(lines "${${result}}")
    foreach(property IN ITEMS NAME TYPE IMPORTED SOURCE_DIR SOURCES)
        get_property(target.${property} TARGET ${target} PROPERTY ${property})
        _kbuild_append_list(lines target.${property})
    endforeach()
    _kbuild_find_standard(standard request ${target})
    _kbuild_append_value(lines standard ${standard})
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Appends what `kbuild plan` needs to know about the project.
function(_kbuild_append_project result)
    set(lines "${${result}}")
    get_property(GENERATOR_IS_MULTI_CONFIG GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    foreach(variable IN ITEMS BUILD_SHARED_LIBS CMAKE_C_COMPILER_LOADED CMAKE_CXX_COMPILER_LOADED
            CMAKE_CUDA_COMPILER_LOADED CMAKE_EXPORT_COMPILE_COMMANDS GENERATOR_IS_MULTI_CONFIG)
        if(${variable})
            _kbuild_append_value(lines ${variable} ON)
        endif()
    endforeach()
    foreach(variable IN ITEMS CMAKE_BINARY_DIR CMAKE_BUILD_TYPE CMAKE_CURRENT_BINARY_DIR CMAKE_CURRENT_SOURCE_DIR
            CMAKE_CXX_COMPILER_ID CMAKE_CXX_COMPILER_TARGET CMAKE_GENERATOR CMAKE_INSTALL_INCLUDEDIR KBUILD_BACKEND KBUILD_DEVICE_JOBS
            KBUILD_PKG_CONFIG_DIRECTORY KBUILD_SOURCE_ROOT)
        _kbuild_append_value(lines ${variable} "${${variable}}")
    endforeach()
    get_property(enabled_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    get_property(backend_languages GLOBAL PROPERTY _KBUILD_LANGUAGES)
    set(lists CMAKE_CONFIGURATION_TYPES enabled_languages backend_languages)
    foreach(language IN LISTS enabled_languages)
        list(APPEND lists CMAKE_${language}_COMPILER)
    endforeach()
    # CMake reads a language's launcher from the environment only if the project enables the language.
    foreach(language IN LISTS backend_languages)
        set(launcher CMAKE_${language}_COMPILER_LAUNCHER)
        if(NOT DEFINED ${launcher})
            set(${launcher} "$ENV{${launcher}}")
        endif()
        list(APPEND lists CMAKE_${language}_ARCHITECTURES CMAKE_${language}_PLATFORM ${launcher})
    endforeach()
    if(DEFINED ENV{KBUILD_COMPILER_LAUNCHER}) # remembered, because a later configure step might not have it
        set(_KBUILD_COMPILER_LAUNCHER "$ENV{KBUILD_COMPILER_LAUNCHER}" CACHE INTERNAL "")
    endif()
    foreach(variable IN ITEMS KBUILD_COMPILER_LAUNCHER _KBUILD_COMPILER_LAUNCHER)
        if(DEFINED ${variable})
            list(APPEND lists ${variable})
        endif()
    endforeach()
    set(configurations ${CMAKE_CONFIGURATION_TYPES} ${CMAKE_BUILD_TYPE})
    list(REMOVE_DUPLICATES configurations)
    foreach(language IN ITEMS C CXX)
        foreach(configuration IN LISTS configurations)
            string(TOUPPER "CMAKE_${language}_FLAGS_${configuration}" flags)
            separate_arguments(${flags} UNIX_COMMAND "${${flags}}")
            list(APPEND lists ${flags})
        endforeach()
    endforeach()
    foreach(flags IN ITEMS CMAKE_CXX_FLAGS KBUILD_DEVICE_FLAGS)
        separate_arguments(${flags} UNIX_COMMAND "${${flags}}")
        list(APPEND lists ${flags})
    endforeach()
    list(REMOVE_DUPLICATES lists)
    foreach(variable IN LISTS lists)
        _kbuild_append_list(lines ${variable})
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Runs `kbuild plan` for a call, and sets `result` to the file that it writes. Reports its messages through
# CMake: an error ends the configure step.
function(_kbuild_plan result function target name record)
    _kbuild_append_value(record function ${function})
    _kbuild_append_value(record name "${name}")
    _kbuild_append_project(record)
    string(REPLACE "/" "_" directory "${name}") # not allowed in the names of targets
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${directory}")
    file(WRITE "${directory}/call.txt" "${record}")
    get_property(executable GLOBAL PROPERTY _KBUILD_EXECUTABLE)
    execute_process(COMMAND "${executable}" plan "${directory}/call.txt" -o "${directory}/plan.cmake"
        RESULT_VARIABLE status ERROR_VARIABLE message)
    if(NOT status EQUAL 0)
        string(REGEX REPLACE "^kbuild: error: " "" message "${message}")
        message(FATAL_ERROR "${function}(${target}): ${message}")
    elseif(message)
        # A message about the machine is shown only for the first target that it concerns.
        string(STRIP "${message}" message)
        string(MD5 digest "${message}")
        get_property(is_reported GLOBAL PROPERTY _KBUILD_REPORTED_${digest})
        if(NOT is_reported)
            set_property(GLOBAL PROPERTY _KBUILD_REPORTED_${digest} TRUE)
            message(STATUS "${function}(${target}): ${message}")
        endif()
    endif()
    set(${result} "${directory}/plan.cmake" PARENT_SCOPE)
endfunction()

# Stops with the message of `kbuild plan` if a call without edges is wrong: if it has unknown arguments or a
# keyword without a value (`wrong`), or names a target or a file that does not exist. The further arguments are
# those of the call, and `shown` is how messages name its target.
function(_kbuild_check_call function shown targets files wrong)
    list(REMOVE_ITEM wrong "")
    foreach(target IN LISTS targets)
        if(NOT TARGET "${target}")
            list(APPEND wrong "${target}")
        endif()
    endforeach()
    foreach(file IN LISTS files)
        get_filename_component(path "${file}" ABSOLUTE)
        if(NOT EXISTS "${path}")
            list(APPEND wrong "${file}")
        endif()
    endforeach()
    if(targets AND NOT wrong)
        return()
    endif()
    set(record "")
    foreach(argument IN LISTS ARGN)
        _kbuild_append_argument(record 0 "${argument}")
    endforeach()
    _kbuild_plan(plan ${function} "${shown}" ${function} "${record}")
endfunction()

# Creates the Ninja job pool of device edges. Ninja accepts one pool of a name. What compiles need, and so the
# number of jobs, differs between targets. The larger number counts: compiles that need more wait for memory.
function(_kbuild_add_pool name jobs)
    get_property(pools GLOBAL PROPERTY JOB_POOLS)
    foreach(pool IN LISTS pools)
        if(pool MATCHES "^${name}=([0-9]+)$")
            list(REMOVE_ITEM pools "${pool}")
            if(CMAKE_MATCH_1 GREATER jobs)
                set(jobs ${CMAKE_MATCH_1})
            endif()
        endif()
    endforeach()
    set_property(GLOBAL PROPERTY JOB_POOLS ${pools} "${name}=${jobs}")
endfunction()

# Creates one edge, which runs `kbuild <command> <handoff> <options>`. It calls a script with a constant path,
# because the path of kbuild itself can change with every isolated build.
function(_kbuild_add_edge command handoff)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "COMMENT;DEPFILE;JOB_POOL"
        "OUTPUT;BYPRODUCTS;OPTIONS;DEPENDS")
    set(optional "")
    foreach(keyword IN ITEMS DEPFILE JOB_POOL)
        if(DEFINED arg_${keyword})
            list(APPEND optional ${keyword} "${arg_${keyword}}")
        endif()
    endforeach()
    add_custom_command(OUTPUT ${arg_OUTPUT}
        BYPRODUCTS ${arg_BYPRODUCTS}
        COMMAND "${CMAKE_BINARY_DIR}/kbuild/run-kbuild" ${command} "${handoff}" ${arg_OPTIONS}
        DEPENDS ${arg_DEPENDS}
        ${optional}
        COMMENT "${arg_COMMENT}"
        VERBATIM)
endfunction()

# Writes the script that runs this kbuild. Every configure step rewrites it.
function(_kbuild_write_launcher)
    get_property(executable GLOBAL PROPERTY _KBUILD_EXECUTABLE)
    string(REPLACE "'" "'\\''" executable "${executable}")
    set(launcher "${CMAKE_BINARY_DIR}/kbuild/run-kbuild")
    file(CONFIGURE OUTPUT "${launcher}" @ONLY
        CONTENT "#!/bin/sh\nexec '@executable@' \"$@\"\n")
    file(CHMOD "${launcher}" PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()

# Adds a source that an edge generates. `ITEM` is the source as an item of a list, which can be limited to one
# configuration.
function(_kbuild_add_generated_source target language source)
    cmake_parse_arguments(PARSE_ARGV 3 arg "" "ITEM" "COMPILE_OPTIONS;INCLUDE_DIRECTORIES;COMPILE_DEFINITIONS")
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES
        GENERATED TRUE
        KBUILD_GENERATED TRUE
        LANGUAGE ${language}
        COMPILE_OPTIONS "${arg_COMPILE_OPTIONS}"
        INCLUDE_DIRECTORIES "${arg_INCLUDE_DIRECTORIES}"
        COMPILE_DEFINITIONS "${arg_COMPILE_DEFINITIONS}"
        SKIP_AUTOGEN ON
        SKIP_LINTING ON
        SKIP_PRECOMPILE_HEADERS ON
        SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE "${arg_ITEM}")
endfunction()
