# kbuild_target_sources: compiles existing sources, which contain kernels, host code, and launches.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_target_sources

  Adds mixed sources to an existing target.  A mixed source contains kernels, host code, and
  launches such as ``saxpy<<<grid, block>>>(n, a, x, y)``::

    kbuild_target_sources(<target> PRIVATE <file.cu>...
        [BACKEND cpu|cuda|hip|auto] [ARCHITECTURES <arch>...]
        [DEBUG_STUBS ON|SYMBOLS|OFF] [RDC ON|OFF] [CHECK ON|OFF] [DEVICE_OPTIONS <option>...]
        [WEAK_INSTANCES ON|OFF] [VISIBILITY default|hidden] [COMPRESSION none|speed|balance|size]
        [RUNTIME shared|static|bundle] [DEVICE_STANDARD <N>] [HOST_COMPILER <path>]
        [HEADERS <file>...] [VERIFY ON|OFF] [POLICY <file>])

  The target can be an executable or a library of any kind, also one that ``Python_add_library``,
  ``pybind11_add_module``, or ``nanobind_add_module`` created.  The project does not need the
  language ``CUDA``.

  kbuild compiles each source in two passes.  The device pass compiles the kernels for each
  architecture.  The host pass turns every launch into a direct call of the runtime, and the
  project's C++ compiler compiles the result with the flags of the target.  Both passes use the
  include directories, definitions, and linked libraries of the target, and the macros that ``CMAKE_CXX_FLAGS``
  and the target's options define.  Messages and debug
  information name the original file and line.  After a change of host code only, no device compiler
  runs.

  ``PRIVATE``
    The mixed sources.  A source without kernels is also allowed.  The source property
    ``COMPILE_DEFINITIONS`` applies if it is set before the call.

  ``DEVICE_OPTIONS``
    Options for the device compiler.  With the name of a backend in front, an option is for this
    backend only: ``DEVICE_OPTIONS cuda:--use_fast_math cpu:-ffast-math``.  An option for which
    there is a keyword, such as ``-rdc=true`` or ``-gencode``, is an error that names the keyword.

  ``RDC``
    With ``ON`` (relocatable device code), kbuild links the device code of the sources in this call, and of
    what the target links: ``STATIC`` libraries with mixed sources and ``RDC ON`` of this project or an
    installed package, and static libraries, object libraries, and objects with relocatable device code
    of ``kbuild-nvcc`` or nvcc.  Of this project's libraries with the language ``CUDA``, those with
    ``CUDA_SEPARABLE_COMPILATION`` count.

  ``DEVICE_STANDARD``
    The C++ standard of both passes.  The default is the newest standard that the target's
    ``CXX_STANDARD``, ``CUDA_STANDARD``, and compile features such as ``cuda_std_20`` request before the
    call, and at least ``17``.

  ``WEAK_INSTANCES``
    With ``ON``, other sources find the kernels that a source instantiates implicitly, and all launch
    one of them, as with nvcc's ``-static-global-template-stub=false``.  By default, each source
    launches its own.  Explicit instances are always found.

  ``VISIBILITY``
    The visibility of the kernels' symbols.  The default is ``default`` for ``SHARED`` and ``MODULE``
    libraries, and ``hidden`` for other targets.  Static kernels are never visible outside of their source,
    and implicit instances of templates only with ``WEAK_INSTANCES``.

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
    set(record "")
    math(EXPR last "${ARGC} - 1")
    foreach(index RANGE ${last})
        _kbuild_append_argument(record ${index} "${ARGV${index}}")
    endforeach()
    set(real "${target}")
    set(name "${target}")
    if(TARGET "${target}")
        _kbuild_append_target(record "${target}")
        get_property(real TARGET "${target}" PROPERTY NAME) # of the target that an alias stands for
        set(name "${real}")
        # Each call compiles its sources together, and has its own stub unit.
        get_property(calls TARGET "${target}" PROPERTY _KBUILD_CALLS)
        if(calls)
            math(EXPR calls "${calls} + 1")
            set(name "${real}_${calls}")
        else()
            set(calls 1)
        endif()
    endif()
    _kbuild_plan(plan kbuild_target_sources "${target}" "${name}" "${record}")
    set_property(TARGET "${real}" PROPERTY _KBUILD_CALLS ${calls})
    include("${plan}")
endfunction()

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

# Instruments the C and C++ sources of a target that kbuild does not rewrite, when the project is complete.
function(_kbuild_check_host_code target)
    get_property(is_deferred TARGET ${target} PROPERTY _KBUILD_CHECK_OPTIONS SET)
    set_property(TARGET ${target} PROPERTY _KBUILD_CHECK_OPTIONS ${ARGN})
    if(NOT is_deferred)
        cmake_language(EVAL CODE
            "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL _kbuild_instrument_sources ${target})")
    endif()
endfunction()

function(_kbuild_instrument_sources target)
    get_property(sources TARGET ${target} PROPERTY SOURCES)
    get_target_property(directory ${target} SOURCE_DIR)
    set(extensions ${CMAKE_CXX_SOURCE_FILE_EXTENSIONS})
    if("${CMAKE_C_COMPILER_ID}" STREQUAL CMAKE_CXX_COMPILER_ID) # the options are those of one compiler
        list(APPEND extensions c)
    endif()
    list(JOIN extensions "|" extensions)
    string(REPLACE "+" "[+]" extensions "${extensions}")
    list(FILTER sources INCLUDE REGEX "^[^$]*\\.(${extensions})$")
    foreach(source IN LISTS sources)
        get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${directory}")
        get_source_file_property(is_own "${path}" TARGET_DIRECTORY ${target} KBUILD_GENERATED)
        if(NOT is_own) # another target can compile the same source without checks
            set_property(SOURCE "${path}" TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS
                "$<TARGET_PROPERTY:_KBUILD_CHECK_OPTIONS>")
        endif()
    endforeach()
endfunction()

# Connects a target with the device code of one call and the runtime. Properties, unlike target_link_libraries(),
# can be combined with both signatures of that command.
function(_kbuild_finish_mixed target name kind)
    cmake_parse_arguments(PARSE_ARGV 3 arg "BUNDLE" "BACKEND;RUNTIME" "STAMPS")
    add_custom_target(${name}_device_code DEPENDS ${arg_STAMPS})
    add_dependencies(${target} ${name}_device_code)
    _kbuild_connect_device_code(${target} ${name})
    _kbuild_check_runtime(${target} ${arg_RUNTIME})
    set_property(TARGET ${target} APPEND PROPERTY KBUILD_BACKEND ${arg_BACKEND})
    set(requirements ${arg_RUNTIME} kbuild::headers)
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${requirements})
    # Other host code can launch the kernels, too.
    if(kind MATCHES "^(EXECUTABLE|MODULE)$") # only plugins of this project link a program
        list(TRANSFORM requirements REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${requirements})
    if(arg_BUNDLE)
        _kbuild_bundle_runtime(${target} ${arg_RUNTIME})
    endif()
endfunction()
