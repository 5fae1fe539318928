# Files for pkg-config, which describe libraries with kernels to builds without CMake.
include_guard(GLOBAL)

# Writes <target>.pc for the build tree, and registers another one for the installed artifact. A module is
# never linked, and an object library is not installed as a library. `BUNDLE` means that the runtime is installed
# beside the artifact.
function(_kbuild_write_pkg_config target kind)
    cmake_parse_arguments(PARSE_ARGV 2 arg "BUNDLE" "DIRECTORY;INSTALLED_HEADERS;RUNTIME" "")
    _kbuild_describe_runtime(runtime_flags runtime_libraries ${arg_RUNTIME})

    # pkgconf quotes only what looks like an option, so files must be parts of options.
    if(kind STREQUAL "OBJECT")
        _kbuild_make_relative(objects "$<TARGET_OBJECTS:${target}>" "${arg_DIRECTORY}")
        set(artifact "-Wl,\"$<JOIN:${objects},\" -Wl,\">\"")
    else()
        _kbuild_make_relative(directory "$<TARGET_FILE_DIR:${target}>" "${arg_DIRECTORY}")
        set(artifact "-L\"${directory}\" -l:$<TARGET_FILE_NAME:${target}>")
    endif()
    if(kind STREQUAL "SHARED")
        string(APPEND artifact " -Wl,-rpath,\"${directory}\"")
    endif()
    set(headers "$<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>")
    # Libraries with mixed sources link these privately.
    foreach(library IN ITEMS kbuild::headers ${arg_RUNTIME})
        string(APPEND headers ";$<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>")
    endforeach()
    set(headers "$<FILTER:$<REMOVE_DUPLICATES:${headers}>,EXCLUDE,^$>")
    _kbuild_make_relative(headers "${headers}" "${arg_DIRECTORY}")
    _kbuild_describe_libraries(libraries "${target}" "${kind}" ${arg_RUNTIME} "" "${arg_DIRECTORY}")
    _kbuild_generate_pkg_config("${target}" "${arg_DIRECTORY}/${target}.pc" ""
        "-I\"$<JOIN:${headers},\" -I\">\" ${runtime_flags}" "${artifact}${libraries} ${runtime_libraries}")
    if(kind STREQUAL "OBJECT" OR DEFINED SKBUILD) # wheels contain no paths of this machine
        return()
    endif()

    set(installed "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${target}/$<CONFIG>/pkgconfig/${target}.pc.in")
    get_property(headers GLOBAL PROPERTY _KBUILD_INCLUDE_DIRECTORY)
    string(APPEND headers ";$<TARGET_PROPERTY:${arg_RUNTIME},INTERFACE_INCLUDE_DIRECTORIES>")
    set(headers "$<JOIN:${headers},\" -I\">")
    if(arg_BUNDLE)
        set(runtime_libraries
            "-l:$<TARGET_FILE_NAME:${arg_RUNTIME}> -Wl,-rpath,\${libdir}")
    endif()
    _kbuild_describe_libraries(libraries "${target}" "${kind}" ${arg_RUNTIME} "\${libdir}" "")
    _kbuild_generate_pkg_config("${target}" "${installed}"
        "libdir=\${pcfiledir}/..\nincludedir=\${pcfiledir}/@INCLUDEDIR@\n"
        "-I\${includedir} -I\"${headers}\" ${runtime_flags}"
        "-L\${libdir} -l:$<TARGET_FILE_NAME:${target}> -Wl,-rpath,\${libdir}${libraries} ${runtime_libraries}")
    _kbuild_locate_installed(installed_headers "${arg_INSTALLED_HEADERS}")
    _kbuild_install_companion(${target} PKGCONFIG "${installed}|${installed_headers}")
endfunction()

# Sets `result` to a generator expression for the paths in `paths`, with those in the build tree relative to the
# file in `directory`, so that the build tree can be moved. The paths belong between quotes, outside of which
# pkg-config inserts its directory, because it escapes spaces there. Before CMake 3.27, all paths stay absolute.
function(_kbuild_make_relative result paths directory)
    if(NOT CMAKE_VERSION VERSION_LESS 3.27 AND NOT "${CMAKE_BINARY_DIR};${directory}" MATCHES "[,>]")
        foreach(base IN ITEMS "${directory}" "${CMAKE_BINARY_DIR}")
            file(RELATIVE_PATH relative "${directory}" "${base}")
            string(REGEX REPLACE "/$" "" relative "\"\${pcfiledir}\"/${relative}")
            string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${base}")
            set(paths "$<LIST:TRANSFORM,${paths},REPLACE,^${pattern}(/|$),${relative}\\1>")
        endforeach()
    endif()
    set(${result} "${paths}" PARENT_SCOPE)
endfunction()

# Sets `result` to the install script that makes <target>.pc from `template`. Its paths are relative, so that
# the installed directory can be moved.
function(_kbuild_describe_pkg_config_install result template headers)
    get_filename_component(name "${template}" NAME_WLE)
    set(${result} "
                    if(\"\${_directory}/pkgconfig/${name}\" IN_LIST CMAKE_INSTALL_MANIFEST_FILES)
                        continue() # the project's own file
                    endif()
                    file(READ \"${template}\" _content)
                    get_filename_component(_headers \"${headers}\" ABSOLUTE)
                    file(RELATIVE_PATH _headers \"\${_directory}/pkgconfig\" \"\${_headers}\")
                    string(REPLACE \"@INCLUDEDIR@\" \"\${_headers}\" _content \"\${_content}\")
                    string(REGEX REPLACE \"[.]in\$\" \"\" _file \"${template}\")
                    file(WRITE \"\${_file}\" \"\${_content}\")
                    file(INSTALL \"\${_file}\" DESTINATION \"\${_directory}/pkgconfig\")" PARENT_SCOPE)
endfunction()

# Sets `result` to the link libraries that an archive or objects need, without kbuild's own. A shared library
# names its libraries itself. The directory `installed`, if given, contains the libraries of the project. Otherwise, the
# file for pkg-config is in `file_directory`.
function(_kbuild_describe_libraries result target kind runtime installed file_directory)
    set(words "")
    set(queue ${target})
    if(NOT kind MATCHES "^(STATIC|OBJECT)$")
        set(queue "")
    endif()
    set(known ${target} kbuild::headers ${runtime})
    while(queue)
        list(POP_FRONT queue current)
        _kbuild_list_link_libraries(libraries ${current})
        list(REMOVE_ITEM libraries ${known})
        list(APPEND known ${libraries})
        foreach(library IN LISTS libraries)
            set(type "")
            if(TARGET "${library}")
                get_target_property(type ${library} TYPE)
                get_target_property(is_imported ${library} IMPORTED)
            endif()
            if(type MATCHES "^(STATIC|SHARED|UNKNOWN)_LIBRARY$")
                _kbuild_make_relative(directory "$<TARGET_FILE_DIR:${library}>" "${file_directory}")
                if(installed AND NOT is_imported)
                    set(directory "${installed}")
                endif()
                string(APPEND words " -L\"${directory}\" -l:$<TARGET_FILE_NAME:${library}>")
                if(NOT type STREQUAL "STATIC_LIBRARY")
                    string(APPEND words " -Wl,-rpath,\"${directory}\"")
                endif()
            elseif(library MATCHES "^(.*)/([^/]+)$")
                string(APPEND words " -L\"${CMAKE_MATCH_1}\" -l:${CMAKE_MATCH_2}")
            elseif(library MATCHES "^-")
                string(APPEND words " ${library}")
            elseif(NOT type)
                string(APPEND words " -l${library}")
            endif()
            if(type MATCHES "^(STATIC|UNKNOWN|INTERFACE)_LIBRARY$")
                list(APPEND queue ${library})
            endif()
        endforeach()
    endwhile()
    if(NOT installed AND kind MATCHES "^(STATIC|OBJECT)$")
        set(directories "$<TARGET_PROPERTY:${target},LINK_DIRECTORIES>")
        string(PREPEND words "$<$<BOOL:${directories}>: -L\"$<JOIN:${directories},\" -L\">\">")
    endif()
    set(${result} "${words}" PARENT_SCOPE)
endfunction()

# Sets `flags` to the definitions for host code, and `libraries` to the device runtime, which host code
# calls directly.
function(_kbuild_describe_runtime flags libraries runtime)
    set(definitions "-D$<JOIN:$<TARGET_PROPERTY:${runtime},INTERFACE_COMPILE_DEFINITIONS>, -D>")
    get_target_property(path ${runtime} IMPORTED_LOCATION)
    get_filename_component(directory "${path}" DIRECTORY)
    get_filename_component(name "${path}" NAME)
    set(words "-L\"${directory}\" -l:${name}")
    get_target_property(kind ${runtime} TYPE)
    if(kind STREQUAL "SHARED_LIBRARY")
        string(APPEND words " -Wl,-rpath,\"${directory}\"")
    endif()
    get_target_property(linked ${runtime} INTERFACE_LINK_LIBRARIES)
    foreach(library IN LISTS linked)
        string(APPEND words " -l${library}")
    endforeach()
    set(${flags} "${definitions}" PARENT_SCOPE)
    set(${libraries} "${words}" PARENT_SCOPE)
endfunction()

function(_kbuild_generate_pkg_config target output variables flags libraries)
    file(STRINGS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kbuild-version.txt" version LIMIT_COUNT 1)
    if(PROJECT_VERSION)
        set(version "${PROJECT_VERSION}")
    endif()
    file(GENERATE OUTPUT "${output}" CONTENT "# Generated by kbuild; do not edit.
${variables}Name: ${target}
Description: GPU kernels of the target ${target}
Version: ${version}
Cflags: ${flags}
Libs: ${libraries}
" TARGET ${target})
endfunction()
