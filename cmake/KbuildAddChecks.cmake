# kbuild_verify and the CTest tests: verification edges and tests for artifacts with kernels.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_verify

  Verifies artifacts after each link::

    kbuild_verify(<target>... [POLICY <file>])

  The targets can be any libraries and executables.  The artifacts of one call are verified
  together, as files that are loaded into one process.  A rejected artifact remains in place, and
  the build fails with an error that names it.

  ``POLICY``
    The policy file.  If it or its baseline changes, the artifacts are verified again.

  Outputs: the target ``<target>_verified_together``, which is part of ``all``.  With several
  targets, their names are joined by underscores.

  Example::

    kbuild_verify(app plugin POLICY kbuild-policy.toml)
#]=]
function(kbuild_verify)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_verify")
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "POLICY" "")
    _kbuild_check_call(kbuild_verify "" "${arg_UNPARSED_ARGUMENTS}" "${arg_POLICY}"
        "${arg_KEYWORDS_MISSING_VALUES}" ${ARGV})
    _kbuild_resolve_aliases(targets ${arg_UNPARSED_ARGUMENTS})
    list(JOIN targets "_" name)
    string(REPLACE "::" "_" name "${name}") # of imported targets
    if(TARGET "${name}_verified_together")
        return()
    endif()
    _kbuild_attach_verification("${name}_verified_together" ${targets} POLICY "${arg_POLICY}")
endfunction()

#[=[.rst:
.. command:: kbuild_add_verify_test

  Adds a CTest test that verifies the artifact of a target::

    kbuild_add_verify_test(<target> [POLICY <file>])

  ``POLICY``
    The policy file.  The default is the ``POLICY`` of the kernel target.

  Outputs: the test ``<target>.verify``.

  Example::

    kbuild_add_verify_test(saxpy_kernels)
#]=]
function(kbuild_add_verify_test target)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_add_verify_test")
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "POLICY" "")
    _kbuild_check_call(kbuild_add_verify_test "${target}" "${target}" "${arg_POLICY}"
        "${arg_UNPARSED_ARGUMENTS};${arg_KEYWORDS_MISSING_VALUES}" ${ARGV})
    _kbuild_resolve_aliases(target "${target}")
    if(TEST "${target}.verify")
        return()
    endif()
    if(NOT arg_POLICY)
        get_property(arg_POLICY TARGET "${target}" PROPERTY _KBUILD_POLICY)
    endif()
    set(policy "")
    if(arg_POLICY)
        get_filename_component(arg_POLICY "${arg_POLICY}" ABSOLUTE)
        set(policy --policy "${arg_POLICY}")
    endif()
    _kbuild_defer_testing_check(kbuild_add_verify_test)
    _kbuild_list_files(files ${target})
    add_test(NAME "${target}.verify"
        COMMAND "${CMAKE_BINARY_DIR}/kbuild/run-kbuild" verify ${files} ${policy}
        COMMAND_EXPAND_LISTS)
    set_tests_properties("${target}.verify" PROPERTIES
        FIXTURES_SETUP "${target}.verified"
        LABELS "kbuild;verify")
endfunction()

#[=[.rst:
.. command:: kbuild_add_smoke_test

  Adds a CTest test that resolves and launches the kernels of a target::

    kbuild_add_smoke_test(<target> [CASES <file.py>] [SCHEDULES <n>])

  The artifact is verified first, by ``<target>.verify``.  If it is rejected, the test does not run.
  If there is no device, the test is skipped.  The target must be a library.  To test a program, run
  it with ``add_test()``.

  In a cross build, a small program resolves the kernels.  It runs with ``CMAKE_CROSSCOMPILING_EMULATOR``.
  The cases need Python, so they do not run then.

  For a ``STATIC`` or ``OBJECT`` target, the test loads the module ``<target>_smoke``, which contains
  all objects of the target.  The objects are compiled as position-independent code; setting the
  property ``POSITION_INDEPENDENT_CODE`` of the target to ``OFF`` is an error.  The build verifies this module after each link, like every kernel
  library, and the test ``<target>_smoke.verify`` verifies it before it is loaded.

  ``CASES``
    A Python file with smoke test cases.

  ``SCHEDULES``
    Runs the cases this many times with checks (``kbuild smoke --check --schedules``), with the blocks of
    kernels in as many orders.  The target needs ``CHECK ON``; otherwise, the test is skipped.  In a cross
    build, this is an error.

  Outputs: the tests ``<target>.smoke`` and ``<target>.verify``.  For a ``STATIC`` or ``OBJECT``
  target, also the test ``<target>_smoke.verify``, and the targets ``<target>_smoke`` and
  ``<target>_smoke_verified``, which are part of ``all``.

  Example::

    kbuild_add_smoke_test(saxpy_kernels CASES saxpy_cases.py)
#]=]
function(kbuild_add_smoke_test target)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_add_smoke_test")
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "CASES;SCHEDULES" "")
    set(wrong "${arg_UNPARSED_ARGUMENTS};${arg_KEYWORDS_MISSING_VALUES}")
    if(NOT "${arg_SCHEDULES}" MATCHES "^([1-9][0-9]?[0-9]?)?$")
        list(APPEND wrong SCHEDULES) # unless it is 1000
    endif()
    _kbuild_check_call(kbuild_add_smoke_test "${target}" "${target}" "${arg_CASES}" "${wrong}" ${ARGV})
    _kbuild_resolve_aliases(target "${target}")
    if(TEST "${target}.smoke")
        return()
    endif()
    _kbuild_defer_testing_check(kbuild_add_smoke_test)
    kbuild_add_verify_test("${target}")

    set(loadable "${target}")
    get_target_property(kind "${target}" TYPE)
    if(kind STREQUAL "EXECUTABLE")
        message(FATAL_ERROR "kbuild_add_smoke_test(${target}): ${target} is an executable, which a test cannot "
            "load; move its kernels to a library that it links, or run the program itself with add_test()")
    endif()
    if(kind STREQUAL "STATIC_LIBRARY" OR kind STREQUAL "OBJECT_LIBRARY")
        string(REPLACE "::" "_" loadable "${target}_smoke") # of an imported target
        _kbuild_add_smoke_module("${loadable}" "${target}" "${kind}")
        kbuild_add_verify_test("${loadable}")
    endif()
    set(cases "")
    if(arg_CASES)
        get_filename_component(cases "${arg_CASES}" ABSOLUTE)
    endif()
    set(checks "")
    if(NOT "${arg_SCHEDULES}" STREQUAL "")
        set(checks --check --schedules "${arg_SCHEDULES}")
    endif()
    # The Python of this machine cannot load the library of another one.
    set(probe "")
    get_property(machine GLOBAL PROPERTY _KBUILD_FOREIGN_MACHINE)
    if(machine AND checks)
        message(FATAL_ERROR "kbuild_add_smoke_test(${target}): SCHEDULES ${arg_SCHEDULES} needs CASES that run, but "
            "the Python of this machine cannot load libraries for ${machine}; remove SCHEDULES")
    endif()
    if(machine)
        _kbuild_add_smoke_probe()
        if(cases)
            message(STATUS "kbuild_add_smoke_test(${target}): the test resolves the kernels and runs no CASES, because "
                "the Python of this machine cannot load libraries for ${machine}")
            set(cases "")
        endif()
        set(probe ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:kbuild_smoke_probe>")
        list(TRANSFORM probe PREPEND "--probe=")
    endif()
    # The fixtures have already verified the file that this test loads.
    add_test(NAME "${target}.smoke"
        COMMAND "${CMAKE_BINARY_DIR}/kbuild/run-kbuild" smoke "$<TARGET_FILE:${loadable}>" ${cases} --no-verify
            ${checks} ${probe})
    set_tests_properties("${target}.smoke" PROPERTIES
        FIXTURES_REQUIRED "${target}.verified;${loadable}.verified"
        SKIP_RETURN_CODE 77
        LABELS "kbuild;smoke")
endfunction()

# Adds the program that loads a library where this Python does not run.
function(_kbuild_add_smoke_probe)
    if(TARGET kbuild_smoke_probe)
        return()
    endif()
    set(suffix .c)
    if(CMAKE_CXX_COMPILER_LOADED)
        set(suffix .cpp)
    endif()
    set(source "${CMAKE_BINARY_DIR}/kbuild/smoke_probe${suffix}")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <kbuild/detail/smoke_probe.h>\n")
    add_executable(kbuild_smoke_probe "${source}")
    target_link_libraries(kbuild_smoke_probe PRIVATE kbuild::headers ${CMAKE_DL_LIBS})
endfunction()

# Adds a module with every object of `target`, including handles without references, and verifies it like
# `target` itself.
function(_kbuild_add_smoke_module name target kind)
    get_target_property(is_imported ${target} IMPORTED)
    get_property(is_set TARGET ${target} PROPERTY POSITION_INDEPENDENT_CODE SET)
    get_target_property(is_independent ${target} POSITION_INDEPENDENT_CODE)
    if(NOT is_imported AND NOT is_set)
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    elseif(NOT is_imported AND NOT is_independent)
        message(FATAL_ERROR "kbuild_add_smoke_test(${target}): POSITION_INDEPENDENT_CODE is "
            "'${is_independent}', so that no test can load the objects of ${target}; set this property of "
            "${target} to ON")
    endif()
    set(suffix .c)
    if(CMAKE_CXX_COMPILER_LOADED)
        set(suffix .cpp)
    endif()
    set(source "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${name}${suffix}")
    file(CONFIGURE OUTPUT "${source}" CONTENT "typedef int kbuild_smoke_module;\n")
    add_library(${name} MODULE "${source}")
    if(kind STREQUAL "STATIC_LIBRARY")
        target_link_options(${name} PRIVATE
            "LINKER:--whole-archive,$<TARGET_FILE:${target}>,--no-whole-archive")
    endif()
    target_link_libraries(${name} PRIVATE ${target})
    get_target_property(policy ${target} _KBUILD_POLICY)
    if(NOT policy)
        set(policy "")
    endif()
    set_target_properties(${name} PROPERTIES _KBUILD_POLICY "${policy}")
    _kbuild_attach_verification("${name}_verified" ${name} POLICY "${policy}")
endfunction()

# Adds a separate edge that runs the verifier after each link of `targets`. POST_BUILD is not suitable:
# Makefiles delete the artifact if it fails, and object libraries do not support it. FILES are more files
# of the targets, and IGNORE lists rules that do not run.
function(_kbuild_attach_verification name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "EXCLUDE_FROM_ALL" "POLICY" "FILES;IGNORE")
    set(targets ${arg_UNPARSED_ARGUMENTS})
    if(TARGET "${name}") # by an earlier call for a target with mixed sources
        return()
    endif()
    _kbuild_list_files(files ${targets})
    list(APPEND files ${arg_FILES})
    list(TRANSFORM arg_IGNORE PREPEND "--ignore=" OUTPUT_VARIABLE ignored)
    set(policy "")
    set(policy_option "")
    if(arg_POLICY)
        get_filename_component(policy "${arg_POLICY}" ABSOLUTE)
        set(policy_option --policy "${policy}")
    endif()
    list(JOIN targets " " shown)
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${name}.stamp")
    get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(is_multi_config)
        set(stamp "${CMAKE_CURRENT_BINARY_DIR}/kbuild/$<CONFIG>/${name}.stamp")
    endif()
    add_custom_command(OUTPUT "${stamp}"
        COMMAND "${CMAKE_BINARY_DIR}/kbuild/run-kbuild" verify --quiet ${files} ${policy_option} ${ignored} --stamp "${stamp}"
        DEPENDS ${files} ${policy}
        DEPFILE "${stamp}.d"
        COMMENT "Verifying ${shown}"
        COMMAND_EXPAND_LISTS VERBATIM)
    set(all ALL)
    if(arg_EXCLUDE_FROM_ALL)
        set(all "")
    endif()
    add_custom_target(${name} ${all} DEPENDS "${stamp}")
    add_dependencies(${name} ${targets})
endfunction()

# Sets `result` to the artifacts of targets, as generator expressions.
function(_kbuild_list_files result)
    set(files "")
    foreach(target IN LISTS ARGN)
        get_target_property(kind ${target} TYPE)
        if(kind STREQUAL "OBJECT_LIBRARY")
            list(APPEND files "$<TARGET_OBJECTS:${target}>")
        elseif(NOT kind STREQUAL "INTERFACE_LIBRARY")
            list(APPEND files "$<TARGET_FILE:${target}>")
        endif()
    endforeach()
    set(${result} "${files}" PARENT_SCOPE)
endfunction()

# Sets `result` to targets, with those that aliases stand for instead of aliases.
function(_kbuild_resolve_aliases result)
    set(resolved "")
    foreach(target IN LISTS ARGN)
        get_property(real TARGET "${target}" PROPERTY ALIASED_TARGET)
        if(NOT real)
            set(real "${target}")
        endif()
        list(APPEND resolved "${real}")
    endforeach()
    set(${result} "${resolved}" PARENT_SCOPE)
endfunction()

# Checks at the end of the configure step whether ctest will run the tests of this directory.
# enable_testing() can come after the tests.
function(_kbuild_defer_testing_check function)
    get_property(is_deferred DIRECTORY PROPERTY _KBUILD_TESTING_CHECK_DEFERRED)
    if(NOT is_deferred)
        set_property(DIRECTORY PROPERTY _KBUILD_TESTING_CHECK_DEFERRED TRUE)
        # CMake evaluates the arguments of a deferred call only when it runs.
        cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]]
            CALL _kbuild_check_testing ${function} [[${CMAKE_CURRENT_SOURCE_DIR}]])")
    endif()
endfunction()

function(_kbuild_check_testing function directory)
    get_directory_property(is_enabled DIRECTORY "${directory}" DEFINITION CMAKE_TESTING_ENABLED)
    get_directory_property(wants_tests DIRECTORY "${directory}" DEFINITION BUILD_TESTING)
    if(NOT is_enabled AND (wants_tests OR "${wants_tests}" STREQUAL ""))
        message(WARNING "${function}(): ctest will not run the tests of ${directory}; call enable_testing() "
            "in ${CMAKE_SOURCE_DIR}/CMakeLists.txt")
    endif()
endfunction()
