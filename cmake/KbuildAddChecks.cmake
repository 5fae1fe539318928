# Verification edges and CTest tests for artifacts with kernels.
include_guard(GLOBAL)

#[=[.rst:
.. command:: kbuild_verify

  Checks artifacts against the verifier's rules whenever they are linked::

    kbuild_verify(<target>... [POLICY <file>])

  The targets may be any libraries and executables; those of one call are looked at
  together, as files that one process loads.  A rejected artifact stays where it is, and
  the build fails naming it.  A change of the policy, or of the baseline that it names, has
  them checked anew.
#]=]
function(kbuild_verify)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_verify")
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "POLICY" "")
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "kbuild_verify(): which targets?")
    endif()
    set(targets ${arg_UNPARSED_ARGUMENTS})
    unset(arg_UNPARSED_ARGUMENTS)
    _kbuild_check_arguments(kbuild_verify "${targets}")
    _kbuild_check_targets(kbuild_verify ${targets})
    list(JOIN targets "_" name)
    if(TARGET "${name}_verified_together")
        return()
    endif()
    _kbuild_attach_verification("${name}_verified_together" ${targets}
        POLICY "${arg_POLICY}")
endfunction()

#[=[.rst:
.. command:: kbuild_add_verify_test

  Adds the CTest test ``<target>.verify``, which checks the target's artifact::

    kbuild_add_verify_test(<target> [POLICY <file>])
#]=]
function(kbuild_add_verify_test target)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_add_verify_test")
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "POLICY" "")
    _kbuild_check_arguments(kbuild_add_verify_test "${target}")
    _kbuild_check_targets(kbuild_add_verify_test "${target}")
    if(TEST "${target}.verify")
        return()
    endif()
    set(policy "")
    if(DEFINED arg_POLICY)
        set(policy --policy "${arg_POLICY}")
    endif()
    _kbuild_write_launcher(launcher)
    _kbuild_list_files(files ${target})
    add_test(NAME "${target}.verify"
        COMMAND "${launcher}" verify ${files} ${policy}
        COMMAND_EXPAND_LISTS)
    set_tests_properties("${target}.verify" PROPERTIES FIXTURES_SETUP "${target}.verified")
endfunction()

#[=[.rst:
.. command:: kbuild_add_smoke_test

  Adds the CTest test ``<target>.smoke``, which resolves and launches the target's kernels::

    kbuild_add_smoke_test(<target> [CASES <file.py>])

  It requires ``<target>.verify`` and is skipped where no device is.  A STATIC or OBJECT
  target is linked whole into a test module first.
#]=]
function(kbuild_add_smoke_test target)
    list(APPEND CMAKE_MESSAGE_CONTEXT "kbuild_add_smoke_test")
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "CASES" "")
    _kbuild_check_arguments(kbuild_add_smoke_test "${target}")
    _kbuild_check_targets(kbuild_add_smoke_test "${target}")
    if(TEST "${target}.smoke")
        return()
    endif()
    kbuild_add_verify_test("${target}")

    set(loadable "${target}")
    get_target_property(kind "${target}" TYPE)
    if(kind STREQUAL "STATIC_LIBRARY" OR kind STREQUAL "OBJECT_LIBRARY")
        set(loadable "${target}_smoke")
        _kbuild_add_smoke_module("${loadable}" "${target}" "${kind}")
    endif()
    set(cases "")
    if(DEFINED arg_CASES)
        get_filename_component(cases "${arg_CASES}" ABSOLUTE)
        if(NOT EXISTS "${cases}")
            message(FATAL_ERROR "kbuild_add_smoke_test(${target}): ${cases}: no such file")
        endif()
    endif()
    _kbuild_write_launcher(launcher)
    # The fixture has verified what this loads.
    add_test(NAME "${target}.smoke"
        COMMAND "${launcher}" smoke "$<TARGET_FILE:${loadable}>" ${cases} --no-verify)
    set_tests_properties("${target}.smoke" PROPERTIES
        FIXTURES_REQUIRED "${target}.verified"
        SKIP_RETURN_CODE 77)
endfunction()

# A module with every object of `target`, handles that nothing refers to included.
function(_kbuild_add_smoke_module name target kind)
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
endfunction()

# Runs the verifier after each link of `targets`, as an edge of its own: Makefiles delete
# the artifact of a failed POST_BUILD, and object libraries cannot have one.
function(_kbuild_attach_verification name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "POLICY" "")
    set(targets ${arg_UNPARSED_ARGUMENTS})
    _kbuild_write_launcher(launcher)
    _kbuild_list_files(files ${targets})
    set(policy "")
    set(policy_option "")
    if(arg_POLICY)
        set(policy "${arg_POLICY}")
        set(policy_option --policy "${arg_POLICY}")
    endif()
    list(JOIN targets " " shown)
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/kbuild/${name}.stamp")
    get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(is_multi_config)
        set(stamp "${CMAKE_CURRENT_BINARY_DIR}/kbuild/$<CONFIG>/${name}.stamp")
    endif()
    add_custom_command(OUTPUT "${stamp}"
        COMMAND "${launcher}" verify --quiet ${files} ${policy_option} --stamp "${stamp}"
        DEPENDS ${files} ${policy}
        DEPFILE "${stamp}.d"
        COMMENT "Verifying ${shown}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${name} ALL DEPENDS "${stamp}")
    add_dependencies(${name} ${targets})
endfunction()

# The artifacts of targets, as generator expressions.
function(_kbuild_list_files result)
    set(files "")
    foreach(target IN LISTS ARGN)
        get_target_property(kind ${target} TYPE)
        if(kind STREQUAL "OBJECT_LIBRARY")
            list(APPEND files "$<TARGET_OBJECTS:${target}>")
        else()
            list(APPEND files "$<TARGET_FILE:${target}>")
        endif()
    endforeach()
    set(${result} "${files}" PARENT_SCOPE)
endfunction()

function(_kbuild_check_targets function)
    foreach(target IN LISTS ARGN)
        if(NOT TARGET ${target})
            message(FATAL_ERROR "${function}(): there is no target ${target}")
        endif()
    endforeach()
endfunction()
