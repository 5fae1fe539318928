# kbuild_add_kernels: creates the build edges that `kbuild plan` determines.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_add_kernels

  Adds a library of GPU kernels that any host compiler can link::

    kbuild_add_kernels(<target> [STATIC|SHARED|MODULE|OBJECT]
        SOURCES <file>... [HEADERS <file>...]
        [BACKEND cpu|cuda|hip|auto] [ARCHITECTURES <arch>...]
        [DEBUG_STUBS ON|SYMBOLS|OFF] [VISIBILITY default|hidden]
        [RDC ON|OFF] [COMPRESSION none|speed|balance|size] [RUNTIME shared|static|bundle]
        [INCLUDE_DIRECTORIES <dir>...] [DEFINITIONS <definition>...]
        [COMPILE_OPTIONS <option>...] [DEVICE_STANDARD <N>] [HOST_COMPILER <path>]
        [VERIFY ON|OFF] [POLICY <file>])

  The library type is optional.  By default, ``BUILD_SHARED_LIBS`` selects ``SHARED`` or
  ``STATIC``.

  ``SOURCES``
    The kernel sources, which contain only device code.  kbuild compiles each source once for
    each architecture.  Every kernel becomes a global variable with the kernel's own name, the
    handle, which host code passes to launches.

  ``HEADERS``
    Headers that define the kernels' parameter types.  The generated header
    ``<target>_kernels.hpp`` includes them.

  ``BACKEND``
    The backend.  The default is the variable ``KBUILD_BACKEND``, or ``cpu`` if it is not set.
    ``auto`` selects the first of ``cuda``, ``hip``, and ``cpu`` whose compiler is available.

  ``ARCHITECTURES``
    The architectures of the device images.  At run time, the best image for the device is used.

    * CPU: ``x86-64``, ``x86-64-v2`` to ``x86-64-v4``, and ``aarch64``.  Another machine's
      architectures need a cross compiler.  The default is the baseline of the machine, and on
      x86-64 also ``x86-64-v3``.
    * CUDA: the values have the same meaning as in ``CMAKE_CUDA_ARCHITECTURES``, which is also the
      default: ``80`` (cubin and PTX), ``80-real`` or ``sm_80``, ``80-virtual`` or ``compute_80``,
      ``90a``, ``all``, ``all-major``, ``native``.
    * HIP: target IDs, such as ``gfx90a`` or ``gfx90a:xnack-``, and ``native``.  The default is
      ``CMAKE_HIP_ARCHITECTURES``, or the current devices that ROCm supports if it is not set.

    If a project builds for several backends, put the name of the backend in front of an architecture
    or an option, for example ``ARCHITECTURES cuda:80 cuda:90 cpu:x86-64-v3``.  Other backends ignore
    the value.  If no architecture is for the backend, it uses its default.

  ``DEBUG_STUBS``
    Adds a function ``__device_stub__<kernel>`` for each kernel.  ``kbuild::launch`` goes through
    it, so that stack traces show the kernel and its arguments.  ``ON`` includes debug information;
    ``SYMBOLS`` includes only the name.  The default is ``OFF``.  ``HEADERS`` must define parameter
    types that are not built in.  Host code does not depend on this setting: to change it, relink.

  ``RDC``
    With ``ON`` (relocatable device code), kbuild links the device code of all sources in the
    target.  The sources can then share device functions and ``extern __device__`` variables.
    To use device code of a static library, add the sources with :command:`kbuild_target_sources`.
    The default is ``OFF``.

  ``COMPRESSION``
    The compression of the device images, with the values of nvcc.  The default, ``balance``,
    does not compress cubins and code objects.  The setting has no effect if the fat binary
    format of the backend does not support compression (``cpu``).

  ``VISIBILITY``
    The visibility of the kernels' symbols.  The default is ``hidden`` for ``STATIC`` and
    ``OBJECT``, and ``default`` for ``SHARED`` and ``MODULE``.

  ``RUNTIME``
    How to link the device runtime.  With ``shared``, the default, the artifact loads the runtime
    from the kbuild installation; an artifact in a wheel finds it in the same ``site-packages``
    directory.  ``static`` links the runtime into the artifact and hides it.  ``bundle`` installs
    the runtime in the directory of the artifact.

  ``INCLUDE_DIRECTORIES``, ``DEFINITIONS``, ``COMPILE_OPTIONS``
    Include directories, definitions, and options for device code.  An option can be for one backend
    only, such as ``cuda:--use_fast_math``.

  ``DEVICE_STANDARD``
    The C++ standard of device code.  The default is ``17``.

  ``HOST_COMPILER``
    The host compiler that the device compiler uses.

  ``VERIFY``
    Whether the build verifies the artifact after each link.  The default is ``ON``.  A rejected
    artifact remains in place, and the build fails.

  ``POLICY``
    A policy file for the verification.  Its key ``baseline`` can name the values that must not get
    worse.

  Flags of device code: the flags of the build type, ``COMPILE_OPTIONS``, and the variable
  ``KBUILD_DEVICE_FLAGS``.  That variable contains a command line for the device compiler and
  applies to every target in its scope, for example
  ``-DKBUILD_DEVICE_FLAGS=cuda:--use_fast_math``.  ``CMAKE_CXX_FLAGS`` and options such as
  ``-march``, ``-flto``, and ``-fsanitize`` in the flags of a build type apply only to host code.

  Compiler launcher: the list ``KBUILD_COMPILER_LAUNCHER`` is put in front of the device compiler
  calls that a compiler cache supports.  If it is not set, kbuild uses
  ``CMAKE_<LANG>_COMPILER_LAUNCHER`` with the backend's language (``CXX``, ``CUDA``, or ``HIP``).
  To disable the launcher, set it to an empty value.  The stub unit never uses a launcher.

  Parallel jobs: with Ninja, the variable ``KBUILD_DEVICE_JOBS`` limits the number of concurrent
  device compiles, in addition to ``-j``.  The default depends on the machine's memory.

  Programs: the variable ``KBUILD_VERIFY_EXECUTABLES`` verifies every executable, shared library, and
  module of a directory and its subdirectories that links kernels, directly or through other
  libraries.  After each link, an edge verifies the target together with the libraries through which
  it gets kernels.  It finds, for example, host code that calls a kernel instead of launching it
  (KB309).  Targets that a directory excludes from ``all`` are verified only by
  ``<target>_verified_with_kernels``.  Imported libraries must be visible in the top-level directory.
  If a generator expression selects a library by a condition, the edge does not include the library;
  pass the target and the library to :command:`kbuild_verify`.  With link-time optimization, objects
  do not show calls, so an edge finds only calls of kernels in shared libraries.

  Installation: the target is installed and exported like any other target
  (``install(TARGETS ... EXPORT ...)``).  The exported package must call
  ``find_dependency(kbuild)``.  The installation records where kbuild is, for toolchain files with
  ``CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY``.  The generated headers and ``HEADERS`` are public headers.
  ``install(TARGETS <target>)`` installs them to ``CMAKE_INSTALL_INCLUDEDIR``, which is an include
  directory of the imported target.  A call with destinations must name one for
  ``PUBLIC_HEADER``, and a directory other than ``CMAKE_INSTALL_INCLUDEDIR`` also needs
  ``INCLUDES DESTINATION <dir>``.

  Outputs: the library, and the generated headers ``<target>_kernels.hpp`` and
  ``<target>_kernels.h``, which are on the include path of targets that link it.

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
    if("${target}" IN_LIST kinds OR "${target}" IN_LIST single OR "${target}" IN_LIST multiple)
        message(FATAL_ERROR "kbuild_add_kernels(): the first argument is the keyword ${target}; "
            "expected the name of the target")
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 arg "${kinds}" "${single}" "${multiple}")
    _kbuild_check_arguments(kbuild_add_kernels "${target}")
    if(NOT arg_SOURCES)
        message(FATAL_ERROR "kbuild_add_kernels(${target}): SOURCES is missing; "
            "name at least one kernel source")
    endif()
    if(TARGET "${target}")
        message(FATAL_ERROR "kbuild_add_kernels(${target}): a target with this name already exists")
    endif()

    _kbuild_choose_kind(kind)
    set(arg_NAME "${target}")
    set(arg_MIXED OFF)
    _kbuild_set_defaults()
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${target}")
    add_library(${target} ${kind})
    _kbuild_add_configurations("${target}" "${directory}")
    _kbuild_finish_library("${target}" "${kind}")
    set_target_properties(${target} PROPERTIES _KBUILD_POLICY "${arg_POLICY}" _KBUILD_CALLS 1)
    if(CMAKE_EXPORT_COMPILE_COMMANDS)
        _kbuild_add_editor_target("${target}")
    endif()
    if(arg_VERIFY)
        _kbuild_attach_verification("${target}_verified" "${target}" POLICY "${arg_POLICY}")
    endif()
endfunction()

# Plans all configurations of a target and creates their edges.
macro(_kbuild_add_configurations target directory)
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
endmacro()

# Plans one configuration of a target and creates its edges. Each configuration has separate outputs.
macro(_kbuild_add_configuration target directory configuration)
    _kbuild_write_target("${target}" "${kind}" "${directory}")
    _kbuild_plan("${target}" "${directory}/target.txt" "${directory}/plan.cmake")
    foreach(_kbuild_list IN ITEMS
            inputs sources descriptions handoffs stamps preprocessed depfiles texts keys handles launches)
        unset(_kbuild_host_${_kbuild_list})
        unset(_kbuild_edge_${_kbuild_list})
        unset(_kbuild_link_${_kbuild_list})
    endforeach()
    include("${directory}/plan.cmake")
    set(_kbuild_host_flags "${directory}/host_flags.CXX.txt")
    _kbuild_add_edges("${target}" "${directory}/flags.${_kbuild_language}.txt" "${launcher}"
        "${configuration}")
    _kbuild_add_stub_unit("${target}" "${configuration}")
    if(arg_MIXED)
        _kbuild_add_host_texts("${target}" "${configuration}")
    endif()
endmacro()

# Stops with an error that names the function and the target if a keyword is unknown or has no value. The
# caller's variables kinds, single, and multiple contain the keywords.
macro(_kbuild_check_arguments function target)
    if(arg_UNPARSED_ARGUMENTS)
        list(GET arg_UNPARSED_ARGUMENTS 0 _unknown)
        _kbuild_suggest_keyword(_suggestion "${_unknown}" ${kinds} ${single} ${multiple})
        message(FATAL_ERROR "${function}(${target}): unknown argument ${_unknown}${_suggestion}")
    endif()
    # A misspelled keyword after a list of values is taken for one of them.
    foreach(_list IN ITEMS PRIVATE SOURCES HEADERS ARCHITECTURES INCLUDE_DIRECTORIES)
        foreach(_value IN LISTS arg_${_list})
            get_filename_component(_file "${_value}" ABSOLUTE)
            if(NOT EXISTS "${_file}")
                _kbuild_suggest_keyword(_suggestion "${_value}" ${kinds} ${single} ${multiple})
                if(_suggestion)
                    message(FATAL_ERROR
                        "${function}(${target}): unknown ${_list} or keyword ${_value}${_suggestion}")
                endif()
            endif()
        endforeach()
    endforeach()
    # A keyword for several values can have none, because callers forward empty lists.
    list(REMOVE_ITEM arg_KEYWORDS_MISSING_VALUES
        HEADERS ARCHITECTURES INCLUDE_DIRECTORIES DEFINITIONS COMPILE_OPTIONS DEVICE_OPTIONS)
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

# Sets `result` to a question that names the keyword which is most similar to a word in capital letters, or
# to an empty string. The similarity is Dice's coefficient of the pairs of adjacent letters.
function(_kbuild_suggest_keyword result word)
    set(${result} "" PARENT_SCOPE)
    _kbuild_list_pairs(pairs "${word}")
    list(LENGTH pairs count)
    if(NOT word MATCHES "^[A-Z][A-Z_]+$" OR count EQUAL 0)
        return()
    endif()
    set(best 49) # percent
    foreach(keyword IN LISTS ARGN)
        _kbuild_list_pairs(others "${keyword}")
        list(LENGTH others total)
        math(EXPR total "${total} + ${count}")
        set(common 0)
        foreach(pair IN LISTS pairs)
            list(FIND others "${pair}" index)
            if(NOT index EQUAL -1)
                list(REMOVE_AT others ${index})
                math(EXPR common "${common} + 1")
            endif()
        endforeach()
        math(EXPR similarity "200 * ${common} / ${total}")
        if(similarity GREATER best)
            set(best ${similarity})
            set(${result} "; did you mean ${keyword}?" PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

# Sets `result` to the pairs of adjacent letters of a word.
function(_kbuild_list_pairs result word)
    set(pairs "")
    string(LENGTH "${word}" length)
    if(length GREATER 1)
        math(EXPR last "${length} - 2")
        foreach(index RANGE ${last})
            string(SUBSTRING "${word}" ${index} 2 pair)
            list(APPEND pairs "${pair}")
        endforeach()
    endif()
    set(${result} "${pairs}" PARENT_SCOPE)
endfunction()

# Sets `result` to the library type that the caller's arg_* select.
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
        message(FATAL_ERROR "kbuild_add_kernels(${target}): ${chosen} cannot be combined; "
            "choose one library type")
    elseif(count EQUAL 0)
        set(chosen STATIC)
        if(BUILD_SHARED_LIBS)
            set(chosen SHARED)
        endif()
    endif()
    set(${result} ${chosen} PARENT_SCOPE)
endfunction()

# Sets a keyword that the caller omitted.
macro(_kbuild_set_default keyword value)
    if(NOT DEFINED arg_${keyword})
        set(arg_${keyword} "${value}")
    endif()
endmacro()

# Sets all keywords that the caller omitted.
macro(_kbuild_set_defaults)
    if(DEFINED KBUILD_BACKEND)
        _kbuild_set_default(BACKEND "${KBUILD_BACKEND}")
    endif()
    _kbuild_set_default(BACKEND cpu)
    if(kind STREQUAL "SHARED" OR kind STREQUAL "MODULE")
        _kbuild_set_default(VISIBILITY default)
    endif()
    _kbuild_set_default(VISIBILITY hidden)
    _kbuild_set_default(DEBUG_STUBS OFF)
    _kbuild_set_default(RDC OFF)
    _kbuild_set_default(COMPRESSION balance)
    _kbuild_set_default(RUNTIME shared)
    _kbuild_set_default(DEVICE_STANDARD 17)
    _kbuild_set_default(VERIFY ON)
    if(NOT arg_VERIFY MATCHES "^(ON|OFF|TRUE|FALSE|YES|NO|1|0)$")
        message(FATAL_ERROR "kbuild_add_kernels(${target}): VERIFY is '${arg_VERIFY}'; "
            "expected ON or OFF")
    endif()
    foreach(_kbuild_list IN ITEMS SOURCES HEADERS INCLUDE_DIRECTORIES)
        # Makes relative paths absolute, but leaves generator expressions unchanged.
        list(TRANSFORM arg_${_kbuild_list} PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/$]")
    endforeach()
    # Prefer C++, because projects often do not enable C.
    set(_kbuild_language C)
    set(_kbuild_stub_suffix .c)
    if(CMAKE_CXX_COMPILER_LOADED)
        set(_kbuild_language CXX)
        set(_kbuild_stub_suffix .cpp)
    elseif(NOT CMAKE_C_COMPILER_LOADED)
        message(FATAL_ERROR "kbuild_add_kernels(${target}): the project enables neither C nor "
            "CXX; enable one of them in project()")
    endif()
endmacro()

# Writes the handoff file of the target, with one `key value` pair per line. `kbuild plan` checks it.
function(_kbuild_write_target target kind directory)
    string(TOLOWER "${kind}" kind)
    set(root "${CMAKE_CURRENT_SOURCE_DIR}")
    if(DEFINED KBUILD_SOURCE_ROOT) # a generated project is not in the directory of its sources
        set(root "${KBUILD_SOURCE_ROOT}")
    endif()
    set(lines "name ${arg_NAME}\nkind ${kind}\nbackend ${arg_BACKEND}\n")
    foreach(key IN ITEMS source header)
        string(TOUPPER "${key}S" keyword)
        foreach(file IN LISTS arg_${keyword})
            string(APPEND lines "${key} ${file}\n")
            get_source_file_property(is_generated "${file}" GENERATED)
            if(is_generated)
                string(APPEND lines "generated ${file}\n")
            endif()
        endforeach()
    endforeach()
    _kbuild_append_source_definitions(lines)
    foreach(file IN LISTS arg_HOST_SOURCES)
        string(APPEND lines "host_source ${file}\n")
    endforeach()
    foreach(architecture IN LISTS arg_ARCHITECTURES)
        string(APPEND lines "architecture ${architecture}\n")
    endforeach()
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    foreach(language IN LISTS languages)
        string(APPEND lines "compiler.${language} ${CMAKE_${language}_COMPILER}\n")
    endforeach()
    get_property(languages GLOBAL PROPERTY _KBUILD_LANGUAGES) # whether or not they are enabled
    foreach(language IN LISTS languages)
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
        "mixed ${arg_MIXED}\n"
        "host_compiler_id ${CMAKE_CXX_COMPILER_ID}\n"
        "stub_suffix ${_kbuild_stub_suffix}\n")
    file(WRITE "${directory}/target.txt" "${lines}")
endfunction()

# Appends the definitions that sources have for themselves, with the number of their source.
function(_kbuild_append_source_definitions result)
    set(lines "${${result}}")
    set(number 0)
    foreach(source IN LISTS arg_SOURCES)
        get_source_file_property(definitions "${source}" COMPILE_DEFINITIONS)
        if(definitions MATCHES "\\$<")
            message(FATAL_ERROR "kbuild: ${target}: unsupported generator expression in COMPILE_DEFINITIONS of "
                "${source}: ${definitions}; use target_compile_definitions()")
        elseif(definitions)
            foreach(definition IN LISTS definitions)
                string(APPEND lines "definition.${number} ${definition}\n")
            endforeach()
        endif()
        math(EXPR number "${number} + 1")
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Appends the compiler launchers, with one word per line. CMake reads a language's launcher from the
# environment only if the project enables the language, so this function reads it as well.
function(_kbuild_append_launchers result)
    set(lines "${${result}}")
    if(DEFINED ENV{KBUILD_COMPILER_LAUNCHER}) # remembered, because a later configure step might not have it
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
    get_property(languages GLOBAL PROPERTY _KBUILD_LANGUAGES)
    foreach(language IN LISTS languages)
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

# Runs `kbuild plan` during the configure step, and reports its messages through CMake.
function(_kbuild_plan target handoff plan)
    set(function kbuild_add_kernels)
    if(arg_MIXED)
        set(function kbuild_target_sources)
    endif()
    get_property(executable GLOBAL PROPERTY _KBUILD_EXECUTABLE)
    execute_process(COMMAND "${executable}" plan "${handoff}" -o "${plan}"
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
endfunction()

# Writes the flags for device code to a handoff file: those of the build type and the keywords, and the
# include directories and definitions of the target and its dependencies. CMAKE_<LANG>_FLAGS are only
# for host code.
function(_kbuild_write_flags target directory)
    set(properties "${target}")
    if(arg_MIXED)
        set(properties "${arg_MIXED_TARGET}")
    endif()
    set(content "")
    foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
        string(TOUPPER "${configuration}" upper)
        separate_arguments(options UNIX_COMMAND "${CMAKE_${_kbuild_language}_FLAGS_${upper}}")
        foreach(option IN LISTS options)
            string(APPEND content "$<$<CONFIG:${configuration}>:build_option ${option}\n>")
        endforeach()
    endforeach()
    # Without a build type, kernels are optimized, because device compilers do that by default.
    string(APPEND content "$<$<CONFIG:>:build_option -O2\n>")
    separate_arguments(device_flags UNIX_COMMAND "${KBUILD_DEVICE_FLAGS}")
    _kbuild_append_lines(content option ${arg_COMPILE_OPTIONS} ${device_flags})
    _kbuild_append_lines(content include_directory ${arg_INCLUDE_DIRECTORIES}
        "$<TARGET_PROPERTY:${properties},INCLUDE_DIRECTORIES>")
    _kbuild_append_lines(content definition ${arg_DEFINITIONS}
        "$<TARGET_PROPERTY:${properties},COMPILE_DEFINITIONS>")
    if(arg_MIXED)
        _kbuild_append_export_macro(content "${properties}")
    endif()
    # The properties can contain $<COMPILE_LANGUAGE>, so each language gets its own file.
    file(GENERATE OUTPUT "${directory}/flags.$<COMPILE_LANGUAGE>.txt"
        CONTENT "${content}" TARGET "${properties}")
    if(arg_MIXED)
        _kbuild_append_host_options(content)
        file(GENERATE OUTPUT "${directory}/host_flags.$<COMPILE_LANGUAGE>.txt"
            CONTENT "${content}" TARGET "${properties}")
    endif()
    if(arg_MIXED AND arg_RDC)
        set(plans "$<TARGET_GENEX_EVAL:${properties},$<TARGET_PROPERTY:${properties},_KBUILD_LINKED_PLANS>>")
        file(GENERATE OUTPUT "${directory}/libraries.txt" CONTENT "$<JOIN:${plans},\n>\n")
    endif()
endfunction()

# Appends the macro that CMake defines for the objects of a target that exports symbols.
function(_kbuild_append_export_macro result target)
    set(type "$<TARGET_PROPERTY:${target},TYPE>")
    set(program "$<AND:$<STREQUAL:${type},EXECUTABLE>,$<BOOL:$<TARGET_PROPERTY:${target},ENABLE_EXPORTS>>>")
    set(symbol "$<TARGET_PROPERTY:${target},DEFINE_SYMBOL>")
    string(MAKE_C_IDENTIFIER "${target}_EXPORTS" default)
    string(APPEND ${result} "$<$<OR:$<STREQUAL:${type},SHARED_LIBRARY>,$<STREQUAL:${type},MODULE_LIBRARY>,${program}>:"
        "definition $<IF:$<BOOL:${symbol}>,${symbol},${default}>\n>")
    set(${result} "${${result}}" PARENT_SCOPE)
endfunction()

# Appends the options with which the project compiles the C++ sources of a target. They can define macros.
function(_kbuild_append_host_options result)
    set(lines "${${result}}")
    foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
        string(TOUPPER "${configuration}" upper)
        separate_arguments(options UNIX_COMMAND "${CMAKE_CXX_FLAGS_${upper}}")
        foreach(option IN LISTS options)
            string(APPEND lines "$<$<CONFIG:${configuration}>:host_option ${option}\n>")
        endforeach()
    endforeach()
    separate_arguments(options UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
    _kbuild_append_lines(lines host_option ${options}
        "$<TARGET_PROPERTY:${arg_MIXED_TARGET},COMPILE_OPTIONS>")
    # A backend can compile the host text itself.
    set(preset "$<TARGET_PROPERTY:${arg_MIXED_TARGET},CXX_VISIBILITY_PRESET>")
    string(APPEND lines "$<$<BOOL:${preset}>:host_option -fvisibility=${preset}\n>")
    set(inlines "$<TARGET_PROPERTY:${arg_MIXED_TARGET},VISIBILITY_INLINES_HIDDEN>")
    string(APPEND lines "$<$<BOOL:${inlines}>:host_option -fvisibility-inlines-hidden\n>")
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Appends a `key value` line for each value, and for each item that a generator expression expands to.
function(_kbuild_append_lines result key)
    set(lines "${${result}}")
    foreach(value IN LISTS ARGN)
        if(value MATCHES "\\$<")
            string(APPEND lines "${key} $<JOIN:${value},\n${key} >\n")
        else() # $<JOIN> would split the value at a comma
            string(APPEND lines "${key} ${value}\n")
        endif()
    endforeach()
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Limits the items of lists to one configuration, if the generator has several. Without this, a build of
# one configuration would also build the others.
macro(_kbuild_limit_to_configuration configuration)
    if(NOT "${configuration}" STREQUAL "")
        foreach(_kbuild_list IN ITEMS ${ARGN})
            list(TRANSFORM ${_kbuild_list} PREPEND "$<$<CONFIG:${configuration}>:")
            list(TRANSFORM ${_kbuild_list} APPEND ">")
        endforeach()
    endif()
endmacro()

# Creates one edge for each compile and device link, and one that packs. They call a script with a
# constant path, because the path of kbuild itself can change with every isolated build.
function(_kbuild_add_edges target flags launcher configuration)
    _kbuild_choose_pool("${target}" pool)
    _kbuild_add_host_passes("${launcher}" "${configuration}")
    set(edge_stamps ${_kbuild_edge_stamps})
    set(link_stamps ${_kbuild_link_stamps})
    set(libraries "")
    set(library_stamps "")
    if(arg_MIXED AND _kbuild_link_stamps)
        _kbuild_share_device_code("${configuration}")
        get_filename_component(libraries "${flags}" DIRECTORY)
        set(libraries --libraries "${libraries}/libraries.txt")
        set(library_stamps
            "$<TARGET_GENEX_EVAL:${arg_MIXED_TARGET},$<TARGET_PROPERTY:${arg_MIXED_TARGET},_KBUILD_LINKED_STAMPS>>")
    endif()
    set(pack_stamp "${_kbuild_pack_stamp}")
    set(byproducts "${_kbuild_pack_stub}" ${_kbuild_pack_byproducts} ${_kbuild_pack_headers}
        ${_kbuild_host_handles})
    _kbuild_limit_to_configuration("${configuration}" edge_stamps link_stamps pack_stamp byproducts)
    set(generated_headers "")
    foreach(header IN LISTS arg_HEADERS)
        get_source_file_property(is_generated "${header}" GENERATED)
        if(is_generated)
            list(APPEND generated_headers "${header}")
        endif()
    endforeach()
    foreach(input description handoff stamp depfile IN ZIP_LISTS
            _kbuild_edge_inputs _kbuild_edge_descriptions
            _kbuild_edge_handoffs edge_stamps _kbuild_edge_depfiles)
        add_custom_command(OUTPUT "${stamp}"
            COMMAND "${launcher}" compile "${handoff}" --flags "${flags}"
            DEPENDS "${input}" "${handoff}" "${flags}" ${generated_headers}
            DEPFILE "${depfile}"
            ${pool}
            COMMENT "Compiling kernels of ${description}"
            VERBATIM)
    endforeach()
    foreach(description handoff stamp IN ZIP_LISTS
            _kbuild_link_descriptions _kbuild_link_handoffs link_stamps)
        add_custom_command(OUTPUT "${stamp}"
            COMMAND "${launcher}" device-link "${handoff}" --flags "${flags}" ${libraries}
            DEPENDS ${edge_stamps} "${handoff}" "${flags}" ${library_stamps}
            ${pool}
            COMMENT "Linking device code of ${description}"
            VERBATIM)
    endforeach()
    add_custom_command(OUTPUT "${pack_stamp}"
        BYPRODUCTS ${byproducts}
        COMMAND "${launcher}" pack "${_kbuild_pack_handoff}" ${libraries}
        DEPENDS ${edge_stamps} ${link_stamps} "${_kbuild_pack_handoff}" ${library_stamps}
            ${generated_headers}
        COMMENT "Packing kernels of ${arg_NAME}"
        VERBATIM)
endfunction()

# Creates two edges for each mixed source. The first one preprocesses it and writes its device key, and
# the second one writes its host text. The key changes only if device code can change, so that editing
# host code runs no device compiler.
function(_kbuild_add_host_passes launcher configuration)
    set(stamps ${_kbuild_host_stamps})
    set(preprocessed ${_kbuild_host_preprocessed})
    set(keys ${_kbuild_host_keys})
    set(texts ${_kbuild_host_texts})
    set(launches ${_kbuild_host_launches})
    _kbuild_limit_to_configuration("${configuration}" stamps preprocessed keys texts launches)
    foreach(source description handoff preprocessed depfile key stamp text list IN ZIP_LISTS
            _kbuild_host_sources _kbuild_host_descriptions _kbuild_host_handoffs
            preprocessed _kbuild_host_depfiles keys stamps texts launches)
        add_custom_command(OUTPUT "${preprocessed}" "${key}"
            COMMAND "${launcher}" preprocess "${handoff}" --flags "${_kbuild_host_flags}"
            DEPENDS "${source}" "${handoff}" "${_kbuild_host_flags}"
            DEPFILE "${depfile}"
            COMMENT "Preprocessing ${description}"
            VERBATIM)
        add_custom_command(OUTPUT "${stamp}" "${text}"
            BYPRODUCTS "${list}"
            COMMAND "${launcher}" host-pass "${handoff}" --flags "${_kbuild_host_flags}"
            DEPENDS "${preprocessed}"
            COMMENT "Reading host code of ${description}"
            VERBATIM)
    endforeach()
endfunction()

# Selects the Ninja job pool of device edges. Its size is KBUILD_DEVICE_JOBS, or the number that the plan
# computed from the machine's memory. Other generators do not support pools.
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
                "'${KBUILD_DEVICE_JOBS}'; expected a number from 1 to 99999")
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

# Writes a script in the build tree that runs this kbuild. Every configure step rewrites it.
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

# Adds the stub unit, the only source of the library. The flags of the project do not apply to it.
function(_kbuild_add_stub_unit target configuration)
    get_property(include_directory GLOBAL PROPERTY _KBUILD_INCLUDE_DIRECTORY)
    set_source_files_properties("${_kbuild_pack_stub}" TARGET_DIRECTORY ${target} PROPERTIES
        GENERATED TRUE
        LANGUAGE ${_kbuild_language}
        COMPILE_OPTIONS "${_kbuild_pack_stub_options}"
        INCLUDE_DIRECTORIES "${include_directory};${arg_INCLUDE_DIRECTORIES}"
        COMPILE_DEFINITIONS "${arg_DEFINITIONS}" # HEADERS can depend on them
        SKIP_AUTOGEN ON
        SKIP_LINTING ON
        SKIP_PRECOMPILE_HEADERS ON
        SKIP_UNITY_BUILD_INCLUSION ON)
    set(stub "${_kbuild_pack_stub}")
    set(stamp "${_kbuild_pack_stamp}")
    set(header_directory "${_kbuild_pack_header_directory}")
    set(headers "${_kbuild_pack_headers}")
    _kbuild_limit_to_configuration("${configuration}" stub stamp header_directory headers)
    target_sources(${target} PRIVATE "${stub}")
    if(arg_MIXED)
        return()
    endif()
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${header_directory}>")
    set_property(TARGET ${target} APPEND PROPERTY PUBLIC_HEADER "${headers}")
    set_property(TARGET ${target} APPEND PROPERTY _KBUILD_STAMPS "${stamp}")
endfunction()

# Sets up what all configurations share: dependencies, properties, and usage requirements.
function(_kbuild_finish_library target kind)
    get_target_property(stamps ${target} _KBUILD_STAMPS)
    add_custom_target(${target}_device_code DEPENDS ${stamps})
    add_dependencies(${target} ${target}_device_code)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE ${_kbuild_language}
        POSITION_INDEPENDENT_CODE ON
        UNITY_BUILD OFF
        INTERPROCEDURAL_OPTIMIZATION OFF
        # A compiler cache would not notice a change of the file that .incbin includes.
        ${_kbuild_language}_COMPILER_LAUNCHER ""
        ${_kbuild_language}_CLANG_TIDY "")
    if(_kbuild_language STREQUAL "CXX")
        target_compile_features(${target} PRIVATE cxx_std_17)
    endif()
    foreach(header IN LISTS arg_HEADERS)
        get_filename_component(directory "${header}" DIRECTORY)
        target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${directory}>")
        set_property(TARGET ${target} APPEND PROPERTY PUBLIC_HEADER "${header}")
    endforeach()
    set(installed_headers include)
    if(DEFINED CMAKE_INSTALL_INCLUDEDIR)
        set(installed_headers "${CMAKE_INSTALL_INCLUDEDIR}")
    endif()
    target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${installed_headers}>")
    if(NOT kind STREQUAL "OBJECT")
        # An imported target cannot use an include directory that does not exist. install() creates it
        # only if it installs headers: without destinations, or with PUBLIC_HEADER DESTINATION.
        if(NOT IS_ABSOLUTE "${installed_headers}")
            string(PREPEND installed_headers "\${CMAKE_INSTALL_PREFIX}/")
        endif()
        _kbuild_install_companion(${target} DIRECTORY "${installed_headers}")
    endif()
    _kbuild_check_runtime(${target})
    # kbuild::headers is only INTERFACE. Device code and the stub unit find kbuild's headers without it,
    # and its path can change with each isolated build, which would recompile them.
    target_link_libraries(${target} INTERFACE kbuild::headers PUBLIC ${_kbuild_runtime_target})
    set_property(TARGET ${target} PROPERTY KBUILD_BACKEND ${_kbuild_backend})
    if(arg_RUNTIME STREQUAL "bundle")
        get_target_property(runtime ${_kbuild_runtime_target} IMPORTED_LOCATION)
        _kbuild_install_companion(${target} BESIDE "${runtime}")
    endif()
    _kbuild_write_pkg_config("${target}" "${kind}")
endfunction()

# Adds a target that is never built, to get entries in compile_commands.json. CMake writes no entries for
# custom commands, and clangd needs them to read kernel sources.
function(_kbuild_add_editor_target target)
    if(NOT _kbuild_language STREQUAL "CXX" OR CMAKE_CUDA_COMPILER_LOADED)
        return() # no C++ is enabled, or CUDA sources have their own language
    endif()
    set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE CXX)
    add_library(${target}_editor OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
    # The same selection as for device code; see ARCHITECTURES.
    separate_arguments(device_flags UNIX_COMMAND "${KBUILD_DEVICE_FLAGS}")
    set(options ${arg_COMPILE_OPTIONS} ${device_flags})
    get_property(backends GLOBAL PROPERTY _KBUILD_BACKENDS)
    list(JOIN backends "|" backends)
    list(TRANSFORM options REPLACE "^${_kbuild_backend}:" "")
    list(FILTER options EXCLUDE REGEX "^(${backends}):")
    target_compile_options(${target}_editor PRIVATE ${_kbuild_editor_options} ${options})
    target_include_directories(${target}_editor PRIVATE ${arg_INCLUDE_DIRECTORIES}
        "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    target_compile_definitions(${target}_editor PRIVATE ${arg_DEFINITIONS}
        "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
endfunction()

function(_kbuild_check_runtime target)
    if(NOT TARGET ${_kbuild_runtime_target})
        message(FATAL_ERROR "kbuild: ${target}: the device runtime ${_kbuild_runtime_target} is not "
            "installed; `kbuild doctor` lists the installed runtimes")
    endif()
    get_target_property(obstacle ${_kbuild_runtime_target} KBUILD_OBSTACLE)
    if(obstacle)
        message(FATAL_ERROR "kbuild: ${target}: ${obstacle}")
    endif()
endfunction()
