# kbuild_add_kernels: draws the edges that `kbuild plan` decided on.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_add_kernels

  Adds a library of kernels that any host compiler can link::

    kbuild_add_kernels(<target> [STATIC|SHARED|MODULE|OBJECT]
        SOURCES <file>... [HEADERS <file>...]
        [BACKEND cpu|auto] [ARCHITECTURES <arch>...]
        [DEBUG_STUBS ON|SYMBOLS|OFF] [VISIBILITY default|hidden]
        [INCLUDE_DIRECTORIES <dir>...] [DEFINITIONS <definition>...]
        [COMPILE_OPTIONS <option>...] [DEVICE_STANDARD <N>] [HOST_COMPILER <path>]
        [VERIFY ON|OFF] [POLICY <file>])

  ``SOURCES`` hold device code only.  Each is compiled once per architecture; every kernel
  becomes a global variable bearing the kernel's own name, which launches take.  Without a
  kind, ``BUILD_SHARED_LIBS`` decides.

  ``HEADERS`` define the kernels' parameter types for the generated header
  ``<target>_kernels.hpp``, which hosts of the target find on their include path.

  ``DEBUG_STUBS`` gives every kernel a function ``__device_stub__<kernel>`` that typed
  launches go through, so that stack traces name the kernel and its arguments: ``ON`` with
  debug information, ``SYMBOLS`` with the name only.  Parameter types other than built-in
  ones come from ``HEADERS``.  Host code is the same either way: relinking is enough.

  ``VISIBILITY`` of the kernels' symbols; the default is ``hidden`` for STATIC and OBJECT,
  ``default`` for SHARED and MODULE.

  ``VERIFY`` checks the artifact after each link (default ``ON``); a rejected artifact
  stays where it is and fails the build.  ``POLICY`` names a policy file for that.

  Example::

    kbuild_add_kernels(saxpy_kernels SHARED SOURCES saxpy.cu HEADERS saxpy.hpp)
    target_link_libraries(app PRIVATE saxpy_kernels)
#]=]
function(kbuild_add_kernels target)
    cmake_policy(VERSION 3.22...4.0)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_add_kernels")
    set(kinds STATIC SHARED MODULE OBJECT)
    set(single BACKEND DEBUG_STUBS RDC VISIBILITY RUNTIME DEVICE_STANDARD HOST_COMPILER VERIFY
        POLICY)
    set(multiple SOURCES HEADERS ARCHITECTURES INCLUDE_DIRECTORIES DEFINITIONS COMPILE_OPTIONS)
    cmake_parse_arguments(PARSE_ARGV 1 arg "${kinds}" "${single}" "${multiple}")
    _kbuild_check_arguments(kbuild_add_kernels "${target}")
    if(NOT arg_SOURCES)
        message(FATAL_ERROR "kbuild_add_kernels(${target}): SOURCES are missing")
    endif()
    get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(is_multi_config)
        message(FATAL_ERROR
            "kbuild_add_kernels(${target}): multi-configuration generators are not supported; "
            "use Ninja or Unix Makefiles")
    endif()
    if(TARGET "${target}")
        message(FATAL_ERROR "kbuild_add_kernels(${target}): there is a target of that name already")
    endif()

    _kbuild_choose_kind(kind)
    _kbuild_set_defaults()
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${target}")
    _kbuild_write_target("${target}" "${kind}" "${directory}")
    _kbuild_run(kbuild_add_kernels "${target}"
        plan "${directory}/target.txt" -o "${directory}/plan.cmake")
    include("${directory}/plan.cmake")

    _kbuild_add_library("${target}" "${kind}")
    _kbuild_write_flags("${target}" "${directory}" flags)
    _kbuild_write_launcher(launcher)
    _kbuild_add_edges("${target}" "${flags}" "${launcher}")
    if(arg_VERIFY)
        _kbuild_attach_verification("${target}_verified" "${target}" POLICY "${arg_POLICY}")
    endif()
endfunction()

# Stops on unknown keywords and on keywords without a value, naming function and target.
macro(_kbuild_check_arguments function target)
    if(arg_UNPARSED_ARGUMENTS)
        list(GET arg_UNPARSED_ARGUMENTS 0 _unknown)
        message(FATAL_ERROR "${function}(${target}): unknown argument ${_unknown}")
    endif()
    if(arg_KEYWORDS_MISSING_VALUES)
        list(GET arg_KEYWORDS_MISSING_VALUES 0 _unknown)
        message(FATAL_ERROR "${function}(${target}): ${_unknown} needs a value")
    endif()
endmacro()

# Sets `result` to the library type of the caller's arg_*.
function(_kbuild_choose_kind result)
    set(chosen "")
    foreach(kind IN ITEMS STATIC SHARED MODULE OBJECT)
        if(arg_${kind})
            list(APPEND chosen ${kind})
        endif()
    endforeach()
    list(LENGTH chosen count)
    if(count GREATER 1)
        list(JOIN chosen " and " chosen)
        message(FATAL_ERROR "kbuild_add_kernels(${target}): ${chosen} exclude each other")
    elseif(count EQUAL 0)
        set(chosen STATIC)
        if(BUILD_SHARED_LIBS)
            set(chosen SHARED)
        endif()
    endif()
    set(${result} ${chosen} PARENT_SCOPE)
endfunction()

# Fills in what the caller's keywords leave open.
macro(_kbuild_set_defaults)
    if(NOT DEFINED arg_BACKEND)
        set(arg_BACKEND cpu)
        if(DEFINED KBUILD_BACKEND)
            set(arg_BACKEND "${KBUILD_BACKEND}")
        endif()
    endif()
    if(NOT DEFINED arg_VISIBILITY)
        set(arg_VISIBILITY hidden)
        if(kind STREQUAL "SHARED" OR kind STREQUAL "MODULE")
            set(arg_VISIBILITY default)
        endif()
    endif()
    if(NOT DEFINED arg_DEBUG_STUBS)
        set(arg_DEBUG_STUBS OFF)
    endif()
    if(NOT DEFINED arg_RDC)
        set(arg_RDC OFF)
    endif()
    if(NOT DEFINED arg_RUNTIME)
        set(arg_RUNTIME shared)
    endif()
    if(NOT DEFINED arg_DEVICE_STANDARD)
        set(arg_DEVICE_STANDARD 17)
    endif()
    if(NOT DEFINED arg_VERIFY)
        set(arg_VERIFY ON)
    endif()
    if(NOT DEFINED arg_HOST_COMPILER)
        set(arg_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
    endif()
    if(DEFINED arg_POLICY)
        get_filename_component(arg_POLICY "${arg_POLICY}" ABSOLUTE)
    endif()
    # C++ where the project has it: hosts may not enable C.
    set(_kbuild_language C)
    set(_kbuild_stub_suffix .c)
    if(CMAKE_CXX_COMPILER_LOADED)
        set(_kbuild_language CXX)
        set(_kbuild_stub_suffix .cpp)
    elseif(NOT CMAKE_C_COMPILER_LOADED)
        message(FATAL_ERROR "kbuild_add_kernels(${target}): the project enables neither C nor CXX")
    endif()
endmacro()

# Hands over what is known now, one `key value` a line; `kbuild plan` checks it.
function(_kbuild_write_target target kind directory)
    string(TOLOWER "${kind}" kind)
    set(root "${CMAKE_CURRENT_SOURCE_DIR}")
    if(DEFINED KBUILD_SOURCE_ROOT) # a generated project lies elsewhere than its sources
        set(root "${KBUILD_SOURCE_ROOT}")
    endif()
    set(lines "name ${target}\nkind ${kind}\nbackend ${arg_BACKEND}\n")
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(source "${source}" ABSOLUTE)
        string(APPEND lines "source ${source}\n")
    endforeach()
    foreach(header IN LISTS arg_HEADERS)
        get_filename_component(header "${header}" ABSOLUTE)
        string(APPEND lines "header ${header}\n")
    endforeach()
    foreach(architecture IN LISTS arg_ARCHITECTURES)
        string(APPEND lines "architecture ${architecture}\n")
    endforeach()
    string(APPEND lines
        "source_root ${root}\n"
        "output_directory ${directory}\n"
        "visibility ${arg_VISIBILITY}\n"
        "debug_stubs ${arg_DEBUG_STUBS}\n"
        "rdc ${arg_RDC}\n"
        "runtime ${arg_RUNTIME}\n"
        "standard ${arg_DEVICE_STANDARD}\n"
        "compiler ${arg_HOST_COMPILER}\n"
        "stub_suffix ${_kbuild_stub_suffix}\n")
    file(WRITE "${directory}/target.txt" "${lines}")
endfunction()

# Runs kbuild while CMake configures; its message becomes CMake's.
function(_kbuild_run function target)
    execute_process(COMMAND "${KBUILD_EXECUTABLE}" ${ARGN}
        RESULT_VARIABLE status ERROR_VARIABLE message)
    if(NOT status EQUAL 0)
        string(REGEX REPLACE "^kbuild: error: " "" message "${message}")
        message(FATAL_ERROR "${function}(${target}): ${message}")
    endif()
endfunction()

# Hands over the flags that reach device code: what the build type adds, the keywords', and
# include directories and definitions of the target and of what it links.  Nothing of
# CMAKE_<LANG>_FLAGS: host flags are the host's.
function(_kbuild_write_flags target directory result)
    set(options -O2) # without a build type, as device compilers do
    if(CMAKE_BUILD_TYPE)
        string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
        separate_arguments(options UNIX_COMMAND
            "${CMAKE_${_kbuild_language}_FLAGS_${build_type}}")
    endif()
    separate_arguments(device_flags UNIX_COMMAND "${KBUILD_DEVICE_FLAGS}")
    set(include_directories ${arg_INCLUDE_DIRECTORIES})
    list(TRANSFORM include_directories PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/"
        REGEX "^[^/$]") # relative, and no generator expression
    set(content "")
    _kbuild_append_lines(content option ${options} ${arg_COMPILE_OPTIONS} ${device_flags})
    _kbuild_append_lines(content include_directory ${include_directories}
        "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    _kbuild_append_lines(content definition ${arg_DEFINITIONS}
        "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    # Properties may ask for the language, so each language gets a file.
    file(GENERATE OUTPUT "${directory}/flags.$<COMPILE_LANGUAGE>.txt"
        CONTENT "${content}" TARGET "${target}")
    set(${result} "${directory}/flags.${_kbuild_language}.txt" PARENT_SCOPE)
endfunction()

# Appends a `key value` line for each value, and for each item a generator expression has.
function(_kbuild_append_lines result key)
    set(lines "${${result}}")
    foreach(value IN LISTS ARGN)
        string(APPEND lines "${key} $<JOIN:${value},\n${key} >\n")
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# One edge a compile, one that packs; both call the launcher, whose path is constant
# where kbuild's own may change with every isolated build.
function(_kbuild_add_edges target flags launcher)
    foreach(source description hand_over stamp depfile IN ZIP_LISTS
            _kbuild_edge_sources _kbuild_edge_descriptions
            _kbuild_edge_hand_overs _kbuild_edge_stamps _kbuild_edge_depfiles)
        add_custom_command(OUTPUT "${stamp}"
            COMMAND "${launcher}" compile "${hand_over}" --flags "${flags}"
            DEPENDS "${source}" "${hand_over}" "${flags}"
            DEPFILE "${depfile}"
            COMMENT "Compiling kernels of ${description}"
            VERBATIM)
    endforeach()
    add_custom_command(OUTPUT "${_kbuild_pack_stamp}"
        BYPRODUCTS "${_kbuild_pack_stub}" ${_kbuild_pack_byproducts}
        COMMAND "${launcher}" pack "${_kbuild_pack_hand_over}"
        DEPENDS ${_kbuild_edge_stamps} "${_kbuild_pack_hand_over}"
        COMMENT "Packing kernels of ${target}"
        VERBATIM)
    add_custom_target(${target}_device_code DEPENDS "${_kbuild_pack_stamp}")
    add_dependencies(${target} ${target}_device_code)
endfunction()

# A script in the build tree that runs this kbuild, written anew at each configure.
function(_kbuild_write_launcher result)
    set(launcher "${CMAKE_BINARY_DIR}/kbuild/run-kbuild")
    file(CONFIGURE OUTPUT "${launcher}" @ONLY
        CONTENT "#!/bin/sh\nexec '@KBUILD_EXECUTABLE@' \"$@\"\n")
    file(CHMOD "${launcher}" PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set(${result} "${launcher}" PARENT_SCOPE)
endfunction()

# The library itself: one stub unit that no flag of the project may bend.
function(_kbuild_add_library target kind)
    add_library(${target} ${kind} "${_kbuild_pack_stub}")
    set_source_files_properties("${_kbuild_pack_stub}" PROPERTIES
        GENERATED TRUE
        LANGUAGE ${_kbuild_language}
        COMPILE_OPTIONS "${_kbuild_pack_stub_options}"
        # For HEADERS, which debug stubs include.
        INCLUDE_DIRECTORIES "${arg_INCLUDE_DIRECTORIES}"
        COMPILE_DEFINITIONS "${arg_DEFINITIONS}"
        SKIP_LINTING ON)
    if(_kbuild_language STREQUAL "CXX")
        target_compile_features(${target} PRIVATE cxx_std_17)
    endif()
    set_target_properties(${target} PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        UNITY_BUILD OFF
        INTERPROCEDURAL_OPTIMIZATION OFF
        # A compiler cache would not see that the file behind .incbin changed.
        ${_kbuild_language}_COMPILER_LAUNCHER ""
        ${_kbuild_language}_CLANG_TIDY "")
    target_include_directories(${target}
        INTERFACE "$<BUILD_INTERFACE:${_kbuild_pack_header_directory}>")
    _kbuild_import_runtime()
    target_link_libraries(${target} PUBLIC kbuild::headers kbuild::runtime_${_kbuild_backend})
endfunction()

# The device runtime of the planned backend as an imported target.
function(_kbuild_import_runtime)
    set(runtime kbuild::runtime_${_kbuild_backend})
    if(NOT TARGET ${runtime})
        add_library(${runtime} SHARED IMPORTED GLOBAL)
        get_filename_component(soname "${_kbuild_runtime_library}" NAME)
        set_target_properties(${runtime} PROPERTIES
            IMPORTED_LOCATION "${_kbuild_runtime_library}"
            IMPORTED_SONAME "${soname}"
            INTERFACE_COMPILE_DEFINITIONS "${_kbuild_host_definitions}")
    endif()
endfunction()
