# kbuild_add_kernels: draws the edges that `kbuild plan` decided on.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_add_kernels

  Adds a library of kernels that any host compiler can link::

    kbuild_add_kernels(<target> [STATIC|SHARED|MODULE|OBJECT]
        SOURCES <file>... [HEADERS <file>...]
        [BACKEND cpu|cuda|hip|auto] [ARCHITECTURES <arch>...]
        [DEBUG_STUBS ON|SYMBOLS|OFF] [VISIBILITY default|hidden]
        [RDC ON|OFF] [COMPRESSION none|speed|balance|size] [RUNTIME shared|static|bundle]
        [INCLUDE_DIRECTORIES <dir>...] [DEFINITIONS <definition>...]
        [COMPILE_OPTIONS <option>...] [DEVICE_STANDARD <N>] [HOST_COMPILER <path>]
        [VERIFY ON|OFF] [POLICY <file>])

  ``SOURCES`` hold device code only.  Each is compiled once per architecture; every kernel
  becomes a global variable bearing the kernel's own name, which launches take.  Without a
  kind, ``BUILD_SHARED_LIBS`` decides.

  ``HEADERS`` define the kernels' parameter types for the generated header
  ``<target>_kernels.hpp``, which hosts of the target find on their include path.

  ``BACKEND`` defaults to the variable ``KBUILD_BACKEND``, else ``cpu``; ``auto`` is the
  first of ``cuda``, ``hip`` and ``cpu`` whose compiler is there.

  ``ARCHITECTURES`` of the device images, the best of which runs.  On the CPU they are
  ``x86-64``, ``x86-64-v2`` to ``-v4`` and ``aarch64``, those of another machine by a cross
  compiler; the default is the machine's baseline, and ``x86-64-v3`` where that is x86-64.
  On CUDA they mean what ``CMAKE_CUDA_ARCHITECTURES`` does, which is also their default:
  ``80`` (cubin and PTX), ``80-real``, ``80-virtual``, ``90a``, ``all``, ``all-major``,
  ``native``.  On HIP they are target ids like ``gfx90a`` or ``gfx90a:xnack-``, and
  ``native``; the default is ``CMAKE_HIP_ARCHITECTURES``, else what ROCm supports of today's
  devices.

  ``DEBUG_STUBS`` gives every kernel a function ``__device_stub__<kernel>`` that typed
  launches go through, so that stack traces name the kernel and its arguments: ``ON`` with
  debug information, ``SYMBOLS`` with the name only.  Parameter types other than built-in
  ones come from ``HEADERS``.  Host code is the same either way: relinking is enough.

  ``RDC ON`` (relocatable device code) links the device code of all sources, so that they
  share device functions and ``extern __device__`` variables; the sources of one target, not
  those of several.

  ``COMPRESSION`` of the device images, in nvcc's words; the default, ``balance``, leaves
  cubins and code objects as they are.  Where the format of a backend's fat binary has none (``cpu``), it
  changes nothing.

  ``VISIBILITY`` of the kernels' symbols; the default is ``hidden`` for STATIC and OBJECT,
  ``default`` for SHARED and MODULE.

  ``RUNTIME`` says how the device runtime is linked: ``shared`` finds it where kbuild is
  installed, or beside the artifact's own wheel; ``static`` hides it in the artifact;
  ``bundle`` installs it beside the artifact.

  The target installs and exports like any other (``install(TARGETS ... EXPORT ...)``); the
  package that exports it calls ``find_dependency(kbuild)``.  The generated headers and
  ``HEADERS`` are its public headers: ``install(TARGETS <target>)`` takes them to
  ``CMAKE_INSTALL_INCLUDEDIR``, which is on the include path of whoever imports the target;
  a call that names destinations does so with ``PUBLIC_HEADER DESTINATION <dir>``, and with
  ``INCLUDES DESTINATION <dir>`` where that is another folder.

  Device code compiles with the flags of the build type, ``COMPILE_OPTIONS``, and those in the
  variable ``KBUILD_DEVICE_FLAGS``, which are for every target in its scope: a command line in
  the device compiler's words, as in ``-DKBUILD_DEVICE_FLAGS=--use_fast_math``.
  ``CMAKE_CXX_FLAGS`` is for host code alone, as are a build type's ``-march``, ``-flto``,
  ``-fsanitize`` and their like.

  ``KBUILD_COMPILER_LAUNCHER``, a list, goes in front of the device compiler's calls that a
  compiler cache takes, as ``CMAKE_<LANG>_COMPILER_LAUNCHER`` does of the backend's language
  (``CXX``, ``CUDA``, ``HIP``) where it is not set; set to nothing it switches that off.
  No launcher is in front of the stub unit.

  With Ninja, at most ``KBUILD_DEVICE_JOBS`` (a variable) device compiles run at once, besides
  what else ``-j`` allows.  By default as many as the machine's memory has room for.

  ``VERIFY`` checks the artifact after each link (default ``ON``); a rejected artifact
  stays where it is and fails the build.  ``POLICY`` names a policy file for that, and the
  policy's ``baseline`` the figures that may not get worse.

  Example::

    kbuild_add_kernels(saxpy_kernels SHARED SOURCES saxpy.cu HEADERS saxpy.hpp)
    target_link_libraries(app PRIVATE saxpy_kernels)
#]=]
function(kbuild_add_kernels target)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_add_kernels")
    set(kinds STATIC SHARED MODULE OBJECT)
    set(single BACKEND DEBUG_STUBS RDC COMPRESSION VISIBILITY RUNTIME DEVICE_STANDARD HOST_COMPILER VERIFY
        POLICY)
    set(multiple SOURCES HEADERS ARCHITECTURES INCLUDE_DIRECTORIES DEFINITIONS COMPILE_OPTIONS)
    cmake_parse_arguments(PARSE_ARGV 1 arg "${kinds}" "${single}" "${multiple}")
    _kbuild_check_arguments(kbuild_add_kernels "${target}")
    if(NOT arg_SOURCES)
        message(FATAL_ERROR "kbuild_add_kernels(${target}): SOURCES are missing")
    endif()
    if(TARGET "${target}")
        message(FATAL_ERROR "kbuild_add_kernels(${target}): there is a target of that name already")
    endif()

    _kbuild_choose_kind(kind)
    _kbuild_set_defaults()
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${target}")
    add_library(${target} ${kind})
    _kbuild_write_launcher(launcher)
    get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(is_multi_config)
        _kbuild_write_flags("${target}" "${directory}/$<CONFIG>")
        foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES)
            _kbuild_add_configuration("${target}" "${directory}/${configuration}" "${configuration}")
        endforeach()
    else()
        _kbuild_write_flags("${target}" "${directory}")
        _kbuild_add_configuration("${target}" "${directory}" "")
    endif()
    _kbuild_finish_library("${target}" "${kind}")
    if(CMAKE_EXPORT_COMPILE_COMMANDS)
        _kbuild_add_editor_target("${target}")
    endif()
    if(arg_VERIFY)
        _kbuild_attach_verification("${target}_verified" "${target}" POLICY "${arg_POLICY}")
    endif()
endfunction()

# Plans one configuration of a target, and draws its edges: each configuration has outputs of
# its own.
macro(_kbuild_add_configuration target directory configuration)
    _kbuild_write_target("${target}" "${kind}" "${directory}")
    _kbuild_plan("${target}" "${directory}/target.txt" "${directory}/plan.cmake")
    foreach(_kbuild_list IN ITEMS sources descriptions hand_overs stamps depfiles)
        unset(_kbuild_edge_${_kbuild_list})
        unset(_kbuild_link_${_kbuild_list})
    endforeach()
    include("${directory}/plan.cmake")
    _kbuild_add_edges("${target}" "${directory}/flags.${_kbuild_language}.txt" "${launcher}"
        "${configuration}")
    _kbuild_add_stub_unit("${target}" "${configuration}")
endmacro()

# Stops on unknown keywords and on keywords without a value, naming function and target.
macro(_kbuild_check_arguments function target)
    if(arg_UNPARSED_ARGUMENTS)
        list(GET arg_UNPARSED_ARGUMENTS 0 _unknown)
        message(FATAL_ERROR "${function}(${target}): unknown argument ${_unknown}")
    endif()
    # An empty list forwarded to a keyword that takes several is no mistake.
    list(REMOVE_ITEM arg_KEYWORDS_MISSING_VALUES
        HEADERS ARCHITECTURES INCLUDE_DIRECTORIES DEFINITIONS COMPILE_OPTIONS)
    if(arg_KEYWORDS_MISSING_VALUES)
        list(GET arg_KEYWORDS_MISSING_VALUES 0 _unknown)
        message(FATAL_ERROR "${function}(${target}): ${_unknown} needs a value")
    endif()
    if(DEFINED arg_POLICY)
        get_filename_component(arg_POLICY "${arg_POLICY}" ABSOLUTE)
        if(NOT EXISTS "${arg_POLICY}")
            message(FATAL_ERROR "${function}(${target}): POLICY: ${arg_POLICY}: no such file")
        endif()
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
    if(NOT DEFINED arg_COMPRESSION)
        set(arg_COMPRESSION balance)
    endif()
    if(NOT DEFINED arg_RUNTIME)
        set(arg_RUNTIME shared)
    endif()
    if(NOT DEFINED arg_DEVICE_STANDARD)
        set(arg_DEVICE_STANDARD 17)
    endif()
    if(NOT DEFINED arg_VERIFY)
        set(arg_VERIFY ON)
    elseif(NOT arg_VERIFY MATCHES "^(ON|OFF|TRUE|FALSE|YES|NO|1|0)$")
        message(FATAL_ERROR "kbuild_add_kernels(${target}): VERIFY is '${arg_VERIFY}'; it may be ON, OFF")
    endif()
    foreach(_kbuild_list IN ITEMS SOURCES HEADERS INCLUDE_DIRECTORIES)
        # Relative ones, and no generator expressions, are the project's.
        list(TRANSFORM arg_${_kbuild_list} PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/$]")
    endforeach()
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
        string(APPEND lines "source ${source}\n")
        get_source_file_property(is_generated "${source}" GENERATED)
        if(is_generated)
            string(APPEND lines "generated ${source}\n")
        endif()
    endforeach()
    foreach(header IN LISTS arg_HEADERS)
        string(APPEND lines "header ${header}\n")
        get_source_file_property(is_generated "${header}" GENERATED)
        if(is_generated)
            string(APPEND lines "generated ${header}\n")
        endif()
    endforeach()
    foreach(architecture IN LISTS arg_ARCHITECTURES)
        string(APPEND lines "architecture ${architecture}\n")
    endforeach()
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    foreach(language IN LISTS languages)
        string(APPEND lines "compiler.${language} ${CMAKE_${language}_COMPILER}\n")
    endforeach()
    foreach(language IN ITEMS CUDA HIP) # also where the project does not enable them
        foreach(architecture IN LISTS CMAKE_${language}_ARCHITECTURES)
            string(APPEND lines "architecture.${language} ${architecture}\n")
        endforeach()
        if(CMAKE_${language}_PLATFORM)
            string(APPEND lines "platform.${language} ${CMAKE_${language}_PLATFORM}\n")
        endif()
    endforeach()
    _kbuild_append_launchers(lines)
    string(APPEND lines
        "source_root ${root}\n"
        "output_directory ${directory}\n"
        "visibility ${arg_VISIBILITY}\n"
        "debug_stubs ${arg_DEBUG_STUBS}\n"
        "rdc ${arg_RDC}\n"
        "compression ${arg_COMPRESSION}\n"
        "runtime ${arg_RUNTIME}\n"
        "standard ${arg_DEVICE_STANDARD}\n"
        "host_compiler ${arg_HOST_COMPILER}\n"
        "stub_suffix ${_kbuild_stub_suffix}\n")
    file(WRITE "${directory}/target.txt" "${lines}")
endfunction()

# The launchers of compilers, a word a line.  CMake takes those of a language from the
# environment only where the project enables it.
function(_kbuild_append_launchers result)
    set(lines "${${result}}")
    if(DEFINED ENV{KBUILD_COMPILER_LAUNCHER}) # a build that configures again may lack it
        set(_KBUILD_COMPILER_LAUNCHER "$ENV{KBUILD_COMPILER_LAUNCHER}" CACHE INTERNAL "")
    endif()
    if(NOT DEFINED KBUILD_COMPILER_LAUNCHER AND DEFINED _KBUILD_COMPILER_LAUNCHER)
        set(KBUILD_COMPILER_LAUNCHER "${_KBUILD_COMPILER_LAUNCHER}")
    endif()
    if(DEFINED KBUILD_COMPILER_LAUNCHER AND "${KBUILD_COMPILER_LAUNCHER}" STREQUAL "")
        string(APPEND lines "launcher none\n")
    endif()
    foreach(word IN LISTS KBUILD_COMPILER_LAUNCHER)
        string(APPEND lines "launcher ${word}\n")
    endforeach()
    foreach(language IN ITEMS CXX CUDA HIP)
        set(launcher "${CMAKE_${language}_COMPILER_LAUNCHER}")
        if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
            set(launcher "$ENV{CMAKE_${language}_COMPILER_LAUNCHER}")
        endif()
        foreach(word IN LISTS launcher)
            string(APPEND lines "launcher.${language} ${word}\n")
        endforeach()
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Runs kbuild while CMake configures; its message becomes CMake's.
function(_kbuild_plan target hand_over plan)
    set(function kbuild_add_kernels)
    get_property(executable GLOBAL PROPERTY _KBUILD_EXECUTABLE)
    execute_process(COMMAND "${executable}" plan "${hand_over}" -o "${plan}"
        RESULT_VARIABLE status ERROR_VARIABLE message)
    if(NOT status EQUAL 0)
        string(REGEX REPLACE "^kbuild: error: " "" message "${message}")
        message(FATAL_ERROR "${function}(${target}): ${message}")
    elseif(message)
        # What is true of the machine is told of the first target that it concerns.
        string(STRIP "${message}" message)
        string(MD5 digest "${message}")
        get_property(is_told GLOBAL PROPERTY _KBUILD_TOLD_${digest})
        if(NOT is_told)
            set_property(GLOBAL PROPERTY _KBUILD_TOLD_${digest} TRUE)
            message(STATUS "${function}(${target}): ${message}")
        endif()
    endif()
endfunction()

# Hands over the flags that reach device code: what the build type adds, the keywords', and
# include directories and definitions of the target and of what it links.  Nothing of
# CMAKE_<LANG>_FLAGS: host flags are the host's.
function(_kbuild_write_flags target directory)
    set(content "")
    foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
        string(TOUPPER "${configuration}" upper)
        separate_arguments(options UNIX_COMMAND "${CMAKE_${_kbuild_language}_FLAGS_${upper}}")
        foreach(option IN LISTS options)
            string(APPEND content "$<$<CONFIG:${configuration}>:build_option ${option}\n>")
        endforeach()
    endforeach()
    # Without a build type kernels are optimized, as device compilers do.
    string(APPEND content "$<$<CONFIG:>:build_option -O2\n>")
    separate_arguments(device_flags UNIX_COMMAND "${KBUILD_DEVICE_FLAGS}")
    _kbuild_append_lines(content option ${arg_COMPILE_OPTIONS} ${device_flags})
    _kbuild_append_lines(content include_directory ${arg_INCLUDE_DIRECTORIES}
        "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    _kbuild_append_lines(content definition ${arg_DEFINITIONS}
        "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    # Properties may ask for the language, so each language gets a file.
    file(GENERATE OUTPUT "${directory}/flags.$<COMPILE_LANGUAGE>.txt"
        CONTENT "${content}" TARGET "${target}")
endfunction()

# Appends a `key value` line for each value, and for each item a generator expression has.
function(_kbuild_append_lines result key)
    set(lines "${${result}}")
    foreach(value IN LISTS ARGN)
        if(value MATCHES "\\$<")
            string(APPEND lines "${key} $<JOIN:${value},\n${key} >\n")
        else() # a comma in it would end JOIN's list
            string(APPEND lines "${key} ${value}\n")
        endif()
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# One edge a compile, one that packs; both call the launcher, whose path is constant
# where kbuild's own may change with every isolated build.  Outputs are of one configuration:
# those of the others would be built along, by generators that have several.
function(_kbuild_add_edges target flags launcher configuration)
    _kbuild_choose_pool("${target}" pool)
    set(edge_stamps ${_kbuild_edge_stamps})
    set(link_stamps ${_kbuild_link_stamps})
    set(pack_stamp "${_kbuild_pack_stamp}")
    set(byproducts "${_kbuild_pack_stub}" ${_kbuild_pack_byproducts} ${_kbuild_pack_headers})
    if(configuration)
        foreach(files IN ITEMS edge_stamps link_stamps pack_stamp byproducts)
            list(TRANSFORM ${files} PREPEND "$<$<CONFIG:${configuration}>:")
            list(TRANSFORM ${files} APPEND ">")
        endforeach()
    endif()
    set(generated_headers "")
    foreach(header IN LISTS arg_HEADERS)
        get_source_file_property(is_generated "${header}" GENERATED)
        if(is_generated)
            list(APPEND generated_headers "${header}")
        endif()
    endforeach()
    foreach(source description hand_over stamp depfile IN ZIP_LISTS
            _kbuild_edge_sources _kbuild_edge_descriptions
            _kbuild_edge_hand_overs edge_stamps _kbuild_edge_depfiles)
        add_custom_command(OUTPUT "${stamp}"
            COMMAND "${launcher}" compile "${hand_over}" --flags "${flags}"
            DEPENDS "${source}" "${hand_over}" "${flags}" ${generated_headers}
            DEPFILE "${depfile}"
            ${pool}
            COMMENT "Compiling kernels of ${description}"
            VERBATIM)
    endforeach()
    foreach(description hand_over stamp IN ZIP_LISTS
            _kbuild_link_descriptions _kbuild_link_hand_overs link_stamps)
        add_custom_command(OUTPUT "${stamp}"
            COMMAND "${launcher}" device-link "${hand_over}" --flags "${flags}"
            DEPENDS ${edge_stamps} "${hand_over}" "${flags}"
            ${pool}
            COMMENT "Linking device code of ${description}"
            VERBATIM)
    endforeach()
    add_custom_command(OUTPUT "${pack_stamp}"
        BYPRODUCTS ${byproducts}
        COMMAND "${launcher}" pack "${_kbuild_pack_hand_over}"
        DEPENDS ${edge_stamps} ${link_stamps} "${_kbuild_pack_hand_over}"
            ${generated_headers}
        COMMENT "Packing kernels of ${target}"
        VERBATIM)
endfunction()

# The ninja pool of device edges: as many as KBUILD_DEVICE_JOBS says, else as the plan found room
# for.  Other generators have no pools.
function(_kbuild_choose_pool target result)
    set(${result} "" PARENT_SCOPE)
    if(NOT CMAKE_GENERATOR MATCHES "^Ninja")
        return()
    endif()
    set(pool "${_kbuild_device_pool}")
    set(jobs "${_kbuild_device_jobs}")
    if(NOT "${KBUILD_DEVICE_JOBS}" STREQUAL "")
        if(NOT KBUILD_DEVICE_JOBS MATCHES "^[1-9][0-9]?[0-9]?[0-9]?[0-9]?$")
            message(FATAL_ERROR "kbuild_add_kernels(${target}): KBUILD_DEVICE_JOBS is "
                "'${KBUILD_DEVICE_JOBS}'; it is a number of jobs, 1 to 99999")
        endif()
        set(pool "kbuild_device_${KBUILD_DEVICE_JOBS}")
        set(jobs "${KBUILD_DEVICE_JOBS}")
    endif()
    get_property(pools GLOBAL PROPERTY JOB_POOLS)
    if(NOT "${pool}=${jobs}" IN_LIST pools)
        set_property(GLOBAL APPEND PROPERTY JOB_POOLS "${pool}=${jobs}")
    endif()
    set(${result} JOB_POOL "${pool}" PARENT_SCOPE)
endfunction()

# A script in the build tree that runs this kbuild, written anew at each configure.
function(_kbuild_write_launcher result)
    get_property(executable GLOBAL PROPERTY _KBUILD_EXECUTABLE)
    string(REPLACE "'" "'\\''" executable "${executable}")
    set(launcher "${CMAKE_BINARY_DIR}/kbuild/run-kbuild")
    file(CONFIGURE OUTPUT "${launcher}" @ONLY
        CONTENT "#!/bin/sh\nexec '@executable@' \"$@\"\n")
    file(CHMOD "${launcher}" PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set(${result} "${launcher}" PARENT_SCOPE)
endfunction()

# The one source of the library, which no flag of the project may bend.
function(_kbuild_add_stub_unit target configuration)
    get_property(include_directory GLOBAL PROPERTY _KBUILD_INCLUDE_DIRECTORY)
    set_source_files_properties("${_kbuild_pack_stub}" PROPERTIES
        GENERATED TRUE
        LANGUAGE ${_kbuild_language}
        COMPILE_OPTIONS "${_kbuild_pack_stub_options}"
        INCLUDE_DIRECTORIES "${include_directory};${arg_INCLUDE_DIRECTORIES}"
        COMPILE_DEFINITIONS "${arg_DEFINITIONS}" # for HEADERS, which debug stubs include
        SKIP_LINTING ON)
    set(stub "${_kbuild_pack_stub}")
    set(stamp "${_kbuild_pack_stamp}")
    set(header_directory "${_kbuild_pack_header_directory}")
    set(headers "${_kbuild_pack_headers}")
    if(configuration)
        foreach(variable IN ITEMS stub stamp header_directory)
            set(${variable} "$<$<CONFIG:${configuration}>:${${variable}}>")
        endforeach()
        # An expression of several files would be split between them.
        list(TRANSFORM headers PREPEND "$<$<CONFIG:${configuration}>:")
        list(TRANSFORM headers APPEND ">")
    endif()
    target_sources(${target} PRIVATE "${stub}")
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${header_directory}>")
    set_property(TARGET ${target} APPEND PROPERTY PUBLIC_HEADER "${headers}")
    set_property(TARGET ${target} APPEND PROPERTY _KBUILD_STAMPS "${stamp}")
endfunction()

# What all configurations share: order, properties, usage requirements.
function(_kbuild_finish_library target kind)
    get_target_property(stamps ${target} _KBUILD_STAMPS)
    add_custom_target(${target}_device_code DEPENDS ${stamps})
    add_dependencies(${target} ${target}_device_code)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE ${_kbuild_language}
        POSITION_INDEPENDENT_CODE ON
        UNITY_BUILD OFF
        INTERPROCEDURAL_OPTIMIZATION OFF
        # A compiler cache would not see that the file behind .incbin changed.
        ${_kbuild_language}_COMPILER_LAUNCHER ""
        ${_kbuild_language}_CLANG_TIDY "")
    if(_kbuild_language STREQUAL "CXX")
        target_compile_features(${target} PRIVATE cxx_std_17)
    endif()
    foreach(header IN LISTS arg_HEADERS)
        get_filename_component(folder "${header}" DIRECTORY)
        target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${folder}>")
        set_property(TARGET ${target} APPEND PROPERTY PUBLIC_HEADER "${header}")
    endforeach()
    set(installed_headers include)
    if(DEFINED CMAKE_INSTALL_INCLUDEDIR)
        set(installed_headers "${CMAKE_INSTALL_INCLUDEDIR}")
    endif()
    target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${installed_headers}>")
    if(NOT kind STREQUAL "OBJECT")
        # An imported target may name no folder that is not there, and install() takes headers
        # along only where it names no destinations, or one of PUBLIC_HEADER.
        if(NOT IS_ABSOLUTE "${installed_headers}")
            string(PREPEND installed_headers "\${CMAKE_INSTALL_PREFIX}/")
        endif()
        _kbuild_install_companion(${target} FOLDER "${installed_headers}")
    endif()
    _kbuild_check_runtime(${target})
    # INTERFACE: device code and stub unit find kbuild's headers without, and a path that
    # changes with each isolated build would compile them anew.
    target_link_libraries(${target} INTERFACE kbuild::headers PUBLIC ${_kbuild_runtime_target})
    if(arg_RUNTIME STREQUAL "bundle")
        get_target_property(runtime ${_kbuild_runtime_target} IMPORTED_LOCATION)
        _kbuild_install_companion(${target} BESIDE "${runtime}")
    endif()
endfunction()

# A target that nothing builds, for its entries in compile_commands.json: CMake writes none
# for custom commands, and clangd reads kernel sources through them.
function(_kbuild_add_editor_target target)
    if(NOT _kbuild_language STREQUAL "CXX" OR CMAKE_CUDA_COMPILER_LOADED)
        return() # no C++ entries, or the sources have a language of their own
    endif()
    set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE CXX)
    add_library(${target}_editor OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_compile_options(${target}_editor PRIVATE ${_kbuild_editor_options} ${arg_COMPILE_OPTIONS})
    target_include_directories(${target}_editor PRIVATE ${arg_INCLUDE_DIRECTORIES}
        "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    target_compile_definitions(${target}_editor PRIVATE ${arg_DEFINITIONS}
        "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    separate_arguments(device_flags UNIX_COMMAND "${KBUILD_DEVICE_FLAGS}")
    target_compile_options(${target}_editor PRIVATE ${device_flags})
endfunction()

function(_kbuild_check_runtime target)
    if(NOT TARGET ${_kbuild_runtime_target})
        message(FATAL_ERROR "kbuild: ${target}: its device runtime is not installed "
            "(${_kbuild_runtime_target}); `kbuild doctor` lists those that are")
    endif()
    get_target_property(obstacle ${_kbuild_runtime_target} KBUILD_OBSTACLE)
    if(obstacle)
        message(FATAL_ERROR "kbuild: ${target}: ${obstacle}")
    endif()
endfunction()

# Once the artifact is installed, what has to be there as well: the file `path` beside it
# (BESIDE), or the folder `path` of the prefix (FOLDER).  Where artifacts go is known only once
# install() has run, so the last thing that installs looks at what was installed.
function(_kbuild_install_companion target what path)
    get_property(is_deferred GLOBAL PROPERTY _KBUILD_COMPANIONS_DEFERRED)
    set_property(GLOBAL APPEND PROPERTY _KBUILD_COMPANIONS
        "$<TARGET_FILE_NAME:${target}>|${what}|${path}")
    if(NOT is_deferred)
        set_property(GLOBAL PROPERTY _KBUILD_COMPANIONS_DEFERRED TRUE)
        cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _kbuild_install_companions)
    endif()
endfunction()

function(_kbuild_install_companions)
    get_property(companions GLOBAL PROPERTY _KBUILD_COMPANIONS)
    foreach(companion IN LISTS companions)
        string(REPLACE "|" ";" companion "${companion}")
        list(GET companion 0 artifact)
        list(GET companion 1 what)
        list(GET companion 2 path)
        set(command "file(INSTALL \"${path}\" DESTINATION \"\${_folder}\")")
        if(what STREQUAL "FOLDER")
            set(command "file(INSTALL DESTINATION \"${path}\" TYPE DIRECTORY FILES \"\")")
        endif()
        install(CODE "
            foreach(_installed IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
                get_filename_component(_name \"\${_installed}\" NAME)
                if(_name STREQUAL \"${artifact}\")
                    get_filename_component(_folder \"\${_installed}\" DIRECTORY)
                    ${command}
                endif()
            endforeach()" ALL_COMPONENTS)
    endforeach()
endfunction()
