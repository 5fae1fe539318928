#[=[.rst:
kbuild
------

Kernel targets for CMake projects::

    find_package(kbuild CONFIG REQUIRED)
    kbuild_add_kernels(my_kernels SHARED SOURCES saxpy.cu)
    target_link_libraries(app PRIVATE my_kernels)

Provides :command:`kbuild_add_kernels`, :command:`kbuild_target_sources`, :command:`kbuild_verify`,
:command:`kbuild_add_verify_test`, :command:`kbuild_add_smoke_test`, and the imported
target ``kbuild::headers``.

Component ``torch``, for PyTorch extensions::

    find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
    find_package(kbuild CONFIG REQUIRED COMPONENTS torch)
    Python_add_library(_C MODULE WITH_SOABI ops.cpp)
    target_link_libraries(_C PRIVATE kbuild::torch_python)
    kbuild_target_sources(_C PRIVATE ops_cuda.cu BACKEND cuda
        DEVICE_OPTIONS ${KBUILD_TORCH_DEVICE_OPTIONS})

It reads the torch of ``Python_EXECUTABLE``, and needs neither ``find_package(Torch)`` nor the language
``CUDA``.  ``kbuild::torch`` has the headers and libraries of torch.  ``kbuild::torch_python`` also has those
that use Python, and defines ``TORCH_EXTENSION_NAME`` as the name of the target that links it.
``KBUILD_TORCH_DEVICE_OPTIONS`` has the options that torch passes to nvcc.

``KBUILD_EXECUTABLE``
  The ``kbuild`` command to run.  The default is the command in the Python environment that
  contains this package.
#]=]
# Functions that are defined from here on use these policies, regardless of the project's policies. Policies
# that are set inside a function would affect its callers.
cmake_policy(PUSH)
cmake_policy(VERSION 3.22...4.0)

foreach(_kbuild_component IN LISTS kbuild_FIND_COMPONENTS)
    set(kbuild_${_kbuild_component}_FOUND FALSE)
    if(kbuild_FIND_REQUIRED_${_kbuild_component} AND NOT _kbuild_component STREQUAL "torch")
        set(kbuild_FOUND FALSE)
        set(kbuild_NOT_FOUND_MESSAGE
            "unknown component '${_kbuild_component}'; expected torch, or no COMPONENTS")
        cmake_policy(POP)
        return()
    endif()
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/KbuildCheckPlatform.cmake")
_kbuild_check_platform(kbuild_NOT_FOUND_MESSAGE)
if(kbuild_NOT_FOUND_MESSAGE)
    set(kbuild_FOUND FALSE)
    cmake_policy(POP)
    return()
endif()

# The stub units of kernel targets need a compiler for C or C++. A project in Fortran alone does not enable one.
if(CMAKE_Fortran_COMPILER_LOADED AND NOT CMAKE_C_COMPILER_LOADED AND NOT CMAKE_CXX_COMPILER_LOADED)
    enable_language(CXX)
endif()

include("${CMAKE_CURRENT_LIST_DIR}/KbuildFindCommand.cmake")
_kbuild_find_command(kbuild_NOT_FOUND_MESSAGE)
if(kbuild_NOT_FOUND_MESSAGE)
    set(kbuild_FOUND FALSE)
    cmake_policy(POP)
    return()
endif()

# An installed package has native/ next to this directory. A checkout has it in kbuild/.
get_filename_component(KBUILD_INCLUDE_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}/../native/include" ABSOLUTE)
if(NOT EXISTS "${KBUILD_INCLUDE_DIRECTORY}/kbuild/module.h")
    get_filename_component(KBUILD_INCLUDE_DIRECTORY
        "${CMAKE_CURRENT_LIST_DIR}/../kbuild/native/include" ABSOLUTE)
endif()
# Functions are also called outside the scope of find_package, so they read these values from global
# properties.
set_property(GLOBAL PROPERTY _KBUILD_EXECUTABLE "${KBUILD_EXECUTABLE}")
set_property(GLOBAL PROPERTY _KBUILD_INCLUDE_DIRECTORY "${KBUILD_INCLUDE_DIRECTORY}")
if(NOT TARGET kbuild::headers)
    add_library(kbuild::headers INTERFACE IMPORTED GLOBAL)
    set_target_properties(kbuild::headers PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${KBUILD_INCLUDE_DIRECTORY}")
endif()

# The imported targets of the runtimes, kbuild::runtime_<backend>, which exported kernel targets link.
set(_kbuild_options "")
if(DEFINED SKBUILD)
    set(_kbuild_options --wheel)
endif()
# They say which machine the project is for.
foreach(_kbuild_language IN ITEMS C CXX)
    if(CMAKE_${_kbuild_language}_COMPILER)
        list(APPEND _kbuild_options --compiler "${_kbuild_language}=${CMAKE_${_kbuild_language}_COMPILER}")
    endif()
endforeach()
execute_process(
    COMMAND "${KBUILD_EXECUTABLE}" runtimes -o "${CMAKE_BINARY_DIR}/kbuild/runtimes.cmake"
        ${_kbuild_options}
    RESULT_VARIABLE _kbuild_status ERROR_VARIABLE kbuild_NOT_FOUND_MESSAGE)
if(NOT _kbuild_status EQUAL 0)
    set(kbuild_FOUND FALSE)
    cmake_policy(POP)
    return()
endif()
include("${CMAKE_BINARY_DIR}/kbuild/runtimes.cmake")

include("${CMAKE_CURRENT_LIST_DIR}/KbuildPlan.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildAddKernels.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildTargetSources.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildDeviceLibraries.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildCheckSources.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildExplainLinks.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildAddChecks.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildInstall.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildPkgConfig.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildVerifyExecutables.cmake")
_kbuild_write_launcher()
_kbuild_defer_verification()
_kbuild_defer_source_check("${CMAKE_CURRENT_SOURCE_DIR}")

if("torch" IN_LIST kbuild_FIND_COMPONENTS)
    include("${CMAKE_CURRENT_LIST_DIR}/KbuildTorch.cmake")
    set(_kbuild_problem "")
    if(NOT TARGET kbuild::torch)
        _kbuild_find_torch(_kbuild_problem)
    endif()
    if(_kbuild_problem)
        set(kbuild_NOT_FOUND_MESSAGE "${_kbuild_problem}")
        if(kbuild_FIND_REQUIRED_torch)
            set(kbuild_FOUND FALSE)
        endif()
    else()
        set(kbuild_torch_FOUND TRUE)
        get_property(KBUILD_TORCH_DEVICE_OPTIONS GLOBAL PROPERTY _KBUILD_TORCH_DEVICE_OPTIONS)
    endif()
endif()
cmake_policy(POP)
