# The component torch: imported targets for PyTorch extensions, without find_package(Torch), which needs the
# language CUDA.
include_guard(GLOBAL)

# Creates the targets, or sets `problem` to the reason why it cannot.
function(_kbuild_find_torch problem)
    set(python "${Python_EXECUTABLE}")
    if(NOT python)
        set(python "${Python3_EXECUTABLE}")
    endif()
    if(NOT python)
        set(${problem} "component torch needs Python; call find_package(Python COMPONENTS Interpreter \
Development.Module) before find_package(kbuild)" PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND "${python}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/torch/describe_torch.py"
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE message)
    if(NOT status EQUAL 0)
        string(STRIP "${message}" message)
        string(REGEX REPLACE ".*\n" "" message "${message}")
        set(${problem} "component torch: ${python} cannot import torch (${message}); install torch there, and \
turn build isolation off or list torch in [build-system] requires" PARENT_SCOPE)
        return()
    endif()
    foreach(key IN ITEMS version abi include_directory library python_library device_option)
        string(REGEX MATCHALL "(^|\n)${key}=[^\n]*" ${key} "${output}")
        list(TRANSFORM ${key} REPLACE "^\n?${key}=" "")
    endforeach()

    add_library(kbuild::torch INTERFACE IMPORTED GLOBAL)
    set_target_properties(kbuild::torch PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${include_directory}"
        INTERFACE_COMPILE_DEFINITIONS "TORCH_API_INCLUDE_EXTENSION_H;_GLIBCXX_USE_CXX11_ABI=${abi}"
        INTERFACE_COMPILE_FEATURES cxx_std_17
        INTERFACE_LINK_LIBRARIES "${library}")
    set(name "$<TARGET_PROPERTY:OUTPUT_NAME>")
    add_library(kbuild::torch_python INTERFACE IMPORTED GLOBAL)
    set_target_properties(kbuild::torch_python PROPERTIES
        INTERFACE_COMPILE_DEFINITIONS
            "TORCH_EXTENSION_NAME=$<IF:$<BOOL:${name}>,${name},$<TARGET_PROPERTY:NAME>>"
        INTERFACE_LINK_LIBRARIES "kbuild::torch;${python_library}")
    set_property(GLOBAL PROPERTY _KBUILD_TORCH_DEVICE_OPTIONS "${device_option}")
    # torch loads CUDA's runtime before it loads an extension.
    if(DEFINED SKBUILD AND TARGET kbuild::runtime_cuda)
        set_target_properties(kbuild::runtime_cuda PROPERTIES INTERFACE_LINK_OPTIONS "" KBUILD_OBSTACLE "")
    endif()
    message(STATUS "Found torch ${version}")
endfunction()
