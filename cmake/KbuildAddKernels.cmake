# kbuild_add_kernels: adds a library of kernels, as `kbuild plan` determines.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_add_kernels

  Adds a library of GPU kernels that any host compiler can link::

    kbuild_add_kernels(<target> [STATIC|SHARED|MODULE|OBJECT]
        SOURCES <file>... [HEADERS <file>...]
        [BACKEND cpu|cuda|hip|auto] [ARCHITECTURES <arch>...]
        [DEBUG_STUBS ON|SYMBOLS|OFF] [VISIBILITY default|hidden]
        [RDC ON|OFF] [CHECK ON|OFF] [COMPRESSION none|speed|balance|size] [RUNTIME shared|static|bundle]
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
      architectures need a cross compiler.  The default is the baseline of the machine for which
      the project's C++ compiler compiles, and on x86-64 also ``x86-64-v3``.
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

  ``CHECK``
    With ``ON``, instruments device code for the CPU, so that ``kbuild smoke --check`` and
    ``kbuild run --check`` find races, accesses outside of memory, and other mistakes.  The kernels
    run about ten times slower.  The default is ``OFF``.

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
    set(record "")
    math(EXPR last "${ARGC} - 1")
    foreach(index RANGE ${last})
        _kbuild_append_argument(record ${index} "${ARGV${index}}")
    endforeach()
    _kbuild_plan(plan kbuild_add_kernels "${target}" "${target}" "${record}")
    include("${plan}")
endfunction()

# Sets up what all configurations of a kernel library share: dependencies, properties, and usage requirements.
# `HEADER_DIRECTORIES` are those of `HEADERS`, and `BUNDLE` installs the runtime with the library.
function(_kbuild_finish_library target kind)
    cmake_parse_arguments(PARSE_ARGV 2 arg "BUNDLE" "LANGUAGE;BACKEND;RUNTIME;INSTALLED_HEADERS"
        "STAMPS;HEADERS;HEADER_DIRECTORIES")
    add_custom_target(${target}_device_code DEPENDS ${arg_STAMPS})
    add_dependencies(${target} ${target}_device_code)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE ${arg_LANGUAGE}
        POSITION_INDEPENDENT_CODE ON
        UNITY_BUILD OFF
        INTERPROCEDURAL_OPTIMIZATION OFF
        # A compiler cache would not notice a change of the file that .incbin includes.
        ${arg_LANGUAGE}_COMPILER_LAUNCHER ""
        ${arg_LANGUAGE}_CLANG_TIDY ""
        KBUILD_BACKEND ${arg_BACKEND}
        _KBUILD_CALLS 1)
    if(arg_LANGUAGE STREQUAL "CXX")
        target_compile_features(${target} PRIVATE cxx_std_17)
    endif()
    set_property(TARGET ${target} APPEND PROPERTY PUBLIC_HEADER "${arg_HEADERS}")
    list(TRANSFORM arg_HEADER_DIRECTORIES REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
    target_include_directories(${target} INTERFACE ${arg_HEADER_DIRECTORIES}
        "$<INSTALL_INTERFACE:${arg_INSTALLED_HEADERS}>")
    if(NOT kind STREQUAL "OBJECT")
        # An imported target cannot use an include directory that does not exist. install() creates it
        # only if it installs headers: without destinations, or with PUBLIC_HEADER DESTINATION.
        _kbuild_locate_installed(directory "${arg_INSTALLED_HEADERS}")
        _kbuild_install_companion(${target} DIRECTORY "${directory}")
    endif()
    _kbuild_check_runtime(${target} ${arg_RUNTIME})
    # kbuild::headers is only INTERFACE. Device code and the stub unit find kbuild's headers without it,
    # and its path can change with each isolated build, which would recompile them.
    target_link_libraries(${target} INTERFACE kbuild::headers PUBLIC ${arg_RUNTIME})
    if(arg_BUNDLE)
        _kbuild_bundle_runtime(${target} ${arg_RUNTIME})
    endif()
endfunction()

# Adds a target that is never built, to get entries in compile_commands.json. CMake writes no entries for
# custom commands, and clangd needs them to read kernels and launches. `name` is that of the call.
function(_kbuild_add_editor_target target name)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" ""
        "SOURCES;COMPILE_OPTIONS;INCLUDE_DIRECTORIES;COMPILE_DEFINITIONS")
    set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE CXX)
    add_library(${name}_editor OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
    set_target_properties(${name}_editor PROPERTIES UNITY_BUILD OFF)
    target_compile_options(${name}_editor PRIVATE ${arg_COMPILE_OPTIONS})
    target_include_directories(${name}_editor PRIVATE ${arg_INCLUDE_DIRECTORIES}
        "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    target_compile_definitions(${name}_editor PRIVATE ${arg_COMPILE_DEFINITIONS}
        "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
endfunction()

# Stops with an error if a target cannot link the runtime of its device code.
function(_kbuild_check_runtime target runtime)
    if(NOT TARGET ${runtime})
        message(FATAL_ERROR "kbuild: ${target}: the device runtime ${runtime} is not "
            "installed; `kbuild doctor` lists the installed runtimes")
    endif()
    get_target_property(obstacle ${runtime} KBUILD_OBSTACLE)
    if(obstacle)
        message(FATAL_ERROR "kbuild: ${target}: ${obstacle}")
    endif()
endfunction()
