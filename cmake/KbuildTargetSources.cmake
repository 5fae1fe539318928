# kbuild_target_sources: compiles existing sources, which contain kernels, host code, and launches.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_target_sources

  Adds mixed sources to an existing target.  A mixed source contains kernels, host code, and
  launches such as ``saxpy<<<grid, block>>>(n, a, x, y)``::

    kbuild_target_sources(<target> PRIVATE <file.cu>...
        [BACKEND cpu|cuda|hip|auto] [ARCHITECTURES <arch>...]
        [DEBUG_STUBS ON|SYMBOLS|OFF] [RDC ON|OFF] [DEVICE_OPTIONS <option>...]
        [VISIBILITY default|hidden] [COMPRESSION none|speed|balance|size]
        [RUNTIME shared|static|bundle] [DEVICE_STANDARD <N>] [HOST_COMPILER <path>]
        [HEADERS <file>...] [VERIFY ON|OFF] [POLICY <file>])

  The target can be an executable or a library of any kind, also one that ``Python_add_library``,
  ``pybind11_add_module``, or ``nanobind_add_module`` created.  The project does not need the
  language ``CUDA``.

  kbuild compiles each source in two passes.  The device pass compiles the kernels for each
  architecture.  The host pass turns every launch into a direct call of the runtime, and the
  project's C++ compiler compiles the result with the flags of the target.  Both passes use the
  include directories, definitions, and linked libraries of the target.  Messages and debug
  information name the original file and line.  After a change of host code only, no device compiler
  runs.

  ``PRIVATE``
    The mixed sources.  A source without kernels is also allowed.  The source property
    ``COMPILE_DEFINITIONS`` applies if it is set before the call.

  ``DEVICE_OPTIONS``
    Options for the device compiler.  With the name of a backend in front, an option is for this
    backend only: ``DEVICE_OPTIONS cuda:--use_fast_math cpu:-ffast-math``.

  ``RDC``
    With ``ON`` (relocatable device code), kbuild links the device code of the sources in this call, and of
    the ``STATIC`` libraries with mixed sources and ``RDC ON`` that the target links.

  ``DEVICE_STANDARD``
    The C++ standard of both passes.  The default is the newest standard that the target's
    ``CXX_STANDARD``, ``CUDA_STANDARD``, and compile features such as ``cuda_std_20`` request before the
    call, and at least ``17``.

  ``VISIBILITY``
    The visibility of the kernels' symbols.  The default is ``default`` for ``SHARED`` and ``MODULE``
    libraries, and ``hidden`` for other targets.  Instances of templates and static kernels are
    never visible outside of their source.

  Usage requirements: targets that link a library with mixed sources get the headers of the host API and the
  device runtime, also through exported packages.  Plain C++ sources can then call ``cudaMalloc``, and launch
  the library's kernels with ``cudaLaunchKernel`` or ``kbuild::launch``.  A target that links libraries for
  several backends selects one by its property ``KBUILD_BACKEND``.

  The other keywords have the same meaning as in :command:`kbuild_add_kernels`.  Host texts are
  compiled without link-time optimization, precompiled headers, and unity builds.

  Example::

    add_executable(app main.cpp)
    kbuild_target_sources(app PRIVATE saxpy.cu)
#]=]
function(kbuild_target_sources target)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_target_sources")
    set(single BACKEND DEBUG_STUBS RDC COMPRESSION VISIBILITY RUNTIME DEVICE_STANDARD HOST_COMPILER VERIFY
        POLICY)
    set(multiple PRIVATE HEADERS ARCHITECTURES DEVICE_OPTIONS)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "${single}" "${multiple}")
    if(ARGV1 MATCHES "\\.(cu|hip)$" OR ARGV1 MATCHES "^(PUBLIC|INTERFACE)$")
        message(FATAL_ERROR "kbuild_target_sources(${target}): expected PRIVATE instead of ${ARGV1}; write "
            "kbuild_target_sources(${target} PRIVATE <source>...)")
    endif()
    _kbuild_check_arguments(kbuild_target_sources "${target}")
    if(NOT TARGET "${target}")
        message(FATAL_ERROR "kbuild_target_sources(${target}): target ${target} does not exist; create it "
            "first, for example with add_executable(${target})")
    endif()
    get_target_property(is_imported "${target}" IMPORTED)
    if(is_imported)
        message(FATAL_ERROR "kbuild_target_sources(${target}): another project built ${target}; expected an "
            "executable or a library of this project")
    endif()
    if(NOT arg_PRIVATE)
        message(FATAL_ERROR "kbuild_target_sources(${target}): PRIVATE is missing; name at least one source")
    endif()
    foreach(source IN LISTS arg_PRIVATE)
        if(NOT source MATCHES "\\.(cu|hip)$")
            message(FATAL_ERROR "kbuild_target_sources(${target}): ${source} is not a .cu or .hip file; add "
                "C++ sources with target_sources()")
        endif()
    endforeach()
    if(NOT CMAKE_CXX_COMPILER_LOADED)
        message(FATAL_ERROR "kbuild_target_sources(${target}): mixed sources need a C++ compiler; add CXX to "
            "the project's LANGUAGES")
    endif()

    get_target_property(real "${target}" ALIASED_TARGET)
    if(real)
        set(target "${real}")
    endif()
    _kbuild_describe_mixed_target()
    _kbuild_set_defaults()
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${arg_NAME}")
    _kbuild_add_configurations("${target}" "${directory}")
    _kbuild_finish_mixed("${target}")
    _kbuild_defer_setting_check("${target}" ${ARGN})
endfunction()

# Translates the keywords and the target to what the functions for kernel targets read.
macro(_kbuild_describe_mixed_target)
    set(arg_MIXED ON)
    set(arg_MIXED_TARGET "${target}")
    set(arg_SOURCES "${arg_PRIVATE}")
    set(arg_COMPILE_OPTIONS "${arg_DEVICE_OPTIONS}")
    get_target_property(kind "${target}" TYPE)
    string(REPLACE "_LIBRARY" "" kind "${kind}")
    if(NOT kind MATCHES "^(EXECUTABLE|STATIC|SHARED|MODULE|OBJECT)$")
        message(FATAL_ERROR "kbuild_target_sources(${target}): a target of type ${kind} has no objects; "
            "expected an executable or a library of type STATIC, SHARED, MODULE, or OBJECT")
    endif()
    # Each call compiles its sources together, and has its own stub unit.
    set(arg_NAME "${target}")
    get_target_property(_kbuild_calls "${target}" _KBUILD_CALLS)
    if(_kbuild_calls)
        math(EXPR _kbuild_calls "${_kbuild_calls} + 1")
        set(arg_NAME "${target}_${_kbuild_calls}")
    else()
        set(_kbuild_calls 1)
    endif()
    set_target_properties("${target}" PROPERTIES _KBUILD_CALLS "${_kbuild_calls}")
    # Launches in C++ sources would be syntax errors that do not say what to do.
    set(arg_HOST_SOURCES "")
    get_target_property(_kbuild_sources "${target}" SOURCES)
    get_target_property(_kbuild_directory "${target}" SOURCE_DIR)
    foreach(_kbuild_source IN LISTS _kbuild_sources)
        get_filename_component(_kbuild_source "${_kbuild_source}" ABSOLUTE BASE_DIR "${_kbuild_directory}")
        if(_kbuild_source MATCHES "\\.(c|cc|cpp|cxx)$" AND EXISTS "${_kbuild_source}")
            list(APPEND arg_HOST_SOURCES "${_kbuild_source}")
        endif()
    endforeach()
    _kbuild_find_standard(_kbuild_standard _kbuild_request "${target}")
    _kbuild_set_default(DEVICE_STANDARD "${_kbuild_standard}")
endmacro()

# Sets `result` to the C++ standard that the properties of a target request, at least 17, and `request` to the
# setting that requests it.
function(_kbuild_find_standard result request target)
    set(standard 17)
    set(found "")
    get_property(settings TARGET ${target} PROPERTY COMPILE_FEATURES)
    foreach(property IN ITEMS CUDA_STANDARD CXX_STANDARD) # compile features raise the latter
        get_property(value TARGET ${target} PROPERTY ${property})
        list(APPEND settings "${property} ${value}")
    endforeach()
    foreach(setting IN LISTS settings)
        # 98 is older than 11.
        if(setting MATCHES "^(CXX|CUDA)_STANDARD ([1-8][0-9])$|^(cxx|cuda)_std_([1-8][0-9])$")
            set(number "${CMAKE_MATCH_2}${CMAKE_MATCH_4}")
            if(number GREATER standard)
                set(standard ${number})
                set(found "${setting}")
            endif()
        endif()
    endforeach()
    set(${result} ${standard} PARENT_SCOPE)
    set(${request} "${found}" PARENT_SCOPE)
endfunction()

# Adds the host texts of one configuration to a target.
function(_kbuild_add_host_texts target configuration)
    set_source_files_properties(${_kbuild_host_texts} TARGET_DIRECTORY ${target} PROPERTIES
        GENERATED TRUE
        LANGUAGE CXX
        COMPILE_OPTIONS "${_kbuild_host_options}"
        SKIP_AUTOGEN ON
        SKIP_LINTING ON
        SKIP_PRECOMPILE_HEADERS ON
        SKIP_UNITY_BUILD_INCLUSION ON)
    set(texts "${_kbuild_host_texts}")
    _kbuild_explain_links(${target} ${_kbuild_host_launches})
    set(stamp "${_kbuild_pack_stamp}")
    set(header_directory "${_kbuild_pack_header_directory}")
    _kbuild_limit_to_configuration("${configuration}" texts stamp header_directory)
    target_sources(${target} PRIVATE ${texts})
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${header_directory}>")
    # The host passes belong to the target of the device code, so that they do not wait for it.
    set_property(TARGET ${target} APPEND PROPERTY _KBUILD_STAMPS_${arg_NAME} "${stamp}" ${texts})
endfunction()

# Connects the target with its device code and the runtime. Properties, unlike target_link_libraries(), can
# be combined with both signatures of that command.
function(_kbuild_finish_mixed target)
    get_target_property(stamps ${target} _KBUILD_STAMPS_${arg_NAME})
    add_custom_target(${arg_NAME}_device_code DEPENDS ${stamps})
    add_dependencies(${target} ${arg_NAME}_device_code)
    _kbuild_connect_device_code(${target})
    _kbuild_check_runtime(${target})
    set_property(TARGET ${target} APPEND PROPERTY KBUILD_BACKEND ${_kbuild_backend})
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${_kbuild_runtime_target} kbuild::headers)
    # Other host code can launch the kernels, too.
    set(requirements ${_kbuild_runtime_target} kbuild::headers)
    if(kind MATCHES "^(EXECUTABLE|MODULE)$") # only plugins of this project link a program
        list(TRANSFORM requirements REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${requirements})
    if(arg_RUNTIME STREQUAL "bundle")
        get_target_property(runtime ${_kbuild_runtime_target} IMPORTED_LOCATION)
        _kbuild_install_companion(${target} BESIDE "${runtime}")
    endif()
    _kbuild_defer_pkg_config("${target}" "${kind}")
    set_target_properties(${target} PROPERTIES _KBUILD_POLICY "${arg_POLICY}")
    if(arg_VERIFY AND NOT TARGET "${target}_verified")
        _kbuild_attach_verification("${target}_verified" "${target}" POLICY "${arg_POLICY}")
    endif()
endfunction()
