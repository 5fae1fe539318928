#[=[.rst:
kbuild
------

Kernel targets for CMake projects::

    find_package(kbuild CONFIG REQUIRED)
    kbuild_add_kernels(my_kernels SHARED SOURCES saxpy.cu)
    target_link_libraries(app PRIVATE my_kernels)

Provides :command:`kbuild_add_kernels`, :command:`kbuild_verify`,
:command:`kbuild_add_verify_test`, :command:`kbuild_add_smoke_test` and the imported
target ``kbuild::headers``.

``KBUILD_EXECUTABLE``
  The ``kbuild`` command to run.  By default the one of the Python environment that this
  file lies in.
#]=]
cmake_policy(PUSH)
cmake_policy(VERSION 3.22...4.0)

include("${CMAKE_CURRENT_LIST_DIR}/KbuildFindCommand.cmake")
_kbuild_find_command(kbuild_NOT_FOUND_MESSAGE)
if(kbuild_NOT_FOUND_MESSAGE)
    set(kbuild_FOUND FALSE)
    cmake_policy(POP)
    return()
endif()

# An installed package has native/ beside this folder, a checkout has it in kbuild/.
find_path(KBUILD_INCLUDE_DIRECTORY kbuild/module.h NO_CACHE NO_DEFAULT_PATH REQUIRED
    PATHS "${CMAKE_CURRENT_LIST_DIR}/../native/include"
          "${CMAKE_CURRENT_LIST_DIR}/../kbuild/native/include")
if(NOT TARGET kbuild::headers)
    add_library(kbuild::headers INTERFACE IMPORTED)
    set_target_properties(kbuild::headers PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${KBUILD_INCLUDE_DIRECTORY}")
endif()

include("${CMAKE_CURRENT_LIST_DIR}/KbuildAddKernels.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KbuildAddChecks.cmake")
cmake_policy(POP)
