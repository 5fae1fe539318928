# Rejects systems on which kbuild can neither build nor run kernels. kbuild's own build uses this file, too.
include_guard(GLOBAL)

# Sets `result` to why kbuild does not support the system that the project is for, or to an empty string.
function(_kbuild_check_platform result)
    set(problem "")
    if(CMAKE_SYSTEM_NAME AND NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
        set(problem "${CMAKE_SYSTEM_NAME}")
    elseif(CMAKE_SIZEOF_VOID_P EQUAL 4)
        set(problem "32-bit systems")
    endif()
    if(problem)
        string(PREPEND problem "kbuild has no kernels for ")
        string(APPEND problem "; it needs 64-bit Linux with glibc on x86-64 or AArch64, for example in WSL 2 on Windows, "
            "or in a container on macOS")
    endif()
    set(${result} "${problem}" PARENT_SCOPE)
endfunction()
