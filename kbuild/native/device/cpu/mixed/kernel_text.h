# 1 "<kbuild>" 3
/* Kernels: what the backend writes around their bodies, as macros of one line each, so that the lines
 * of the source keep their numbers.  The body becomes a function without a name that is called for each
 * thread with copies of the kernel's parameters.  The kernel's symbol then runs all threads of a block.
 *
 * In a plain loop, no thread stops before its end.  The inner loop contains nothing but the body, so that
 * compilers vectorize it, unless a function that the kernel calls reads the index.  Its variable has the type that
 * the body uses for the index in the grid; gcc splits only loops whose own variable is compared.  The other
 * conditions state what gcc must know about ranges.  Three nested loops around the body would prevent gcc from vectorizing it.
 *
 * With 2^21 blocks in a row or more, the index of a thread in the grid might exceed 31 bits.  Such a
 * launch runs the same body in a small function that knows nothing about ranges.  The size of the grid is
 * of an unknown value there, because gcc forgets the ranges of values that were compared before.
 *
 * In a suspendable loop, each thread stores its index.  If a thread was suspended, the runtime has let other
 * threads run meanwhile, and starts the rest with another call. */
/* Lanes of two branches that call one function are told apart by their calls.  clang must not make one call of two. */
#define __kbuild_keep_calls__ \
    _Pragma("clang attribute push(__attribute__((nomerge)), apply_to = function)")
#define __kbuild_end_of_kept_calls__ _Pragma("clang attribute pop")
#if defined(KBUILD_CHECKED)
#define __kbuild_global__ \
    __attribute__((patchable_function_entry(1, 1), used, visibility("default"), \
                   no_sanitize("thread")))
#else
#define __kbuild_global__ \
    __attribute__((patchable_function_entry(1, 1), used, visibility("default")))
#endif
/* The size of this variable is the launch bound, or 0 without one.  Its symbol contains the kernel's, also
 * in instances of templates. */
#define __kbuild_launch_bounds__(...)
#define __kbuild_cluster_dims__(...)
#define __kbuild_grid_constant__
/* Programs access arrays of floats as vectors.  nvcc puts the variables of a kernel one behind the other, in the order of
 * their declarations and from an aligned place on, so that arrays are aligned behind others of whole vectors. */
#if defined(__clang__)
#define __kbuild_shared__ \
    __attribute__((aligned(16), visibility("hidden"), tls_model("local-dynamic"))) thread_local
#else
#define __kbuild_shared__ \
    __attribute__((aligned(16), visibility("hidden"), \
                   tls_model("local-dynamic"))) __constinit thread_local
#endif
#define __kbuild_needs_block__
#define __kbuild_call_needs_block__
#define __kbuild_yields__
#define __kbuild_block_barrier__
#define __kbuild_warp_barrier__
#define __kbuild_block_operation__
#define __kbuild_warp_operation__
#define __kbuild_warp_function__
#define __kbuild_block_primitive__
#define __kbuild_warp_primitive__
/* How the threads of a block run, for people. */
#define __kbuild_executed__(text) \
    __attribute__((used)) static const char __kbuild_execution__[] = text;
/* The number of the kernel's definition in the text, four times, plus 1 if threads store their index, and 2 if its loops
 * have no marks: the size of the variable.  Kernels with fibers have none, because no fact about them matters. */
#define __kbuild_reviewed__(number) \
    __attribute__((used)) static const char __kbuild_definition__[(number) + 1] = {};
/* The same for the parameters, plus 1 if an object among them has a copy constructor or a destructor of its own. */
#define __kbuild_parameters__(number, ...) \
    __attribute__((used)) static const char \
        __kbuild_parameters__[2 * (number) + (::kbuild_cpu::are_bytes<__VA_ARGS__> ? 1 : 2)] = {};
#define __kbuild_bounded__(...) \
    static constexpr long long __kbuild_bounds__[] = {__VA_ARGS__}; \
    __attribute__((used)) static const char \
        __kbuild_bound__[__kbuild_bounds__[0] > 0 ? __kbuild_bounds__[0] : 0] = {};
/* The size of this variable is the code of the cluster's size in kbuild/cpu_image.h. */
#define __kbuild_clustered__(...) \
    static constexpr unsigned __kbuild_blocks__[3] = {__VA_ARGS__}; \
    static_assert(__kbuild_blocks__[0] >= 1 && __kbuild_blocks__[0] <= 16 && \
                      __kbuild_blocks__[1] <= 16 && __kbuild_blocks__[2] <= 16, \
                  "kbuild: a cluster has from 1 to 16 blocks"); \
    __attribute__((used)) static const char \
        __kbuild_cluster__[__kbuild_blocks__[0] + \
                           16 * (__kbuild_blocks__[1] == 0 ? 0 : __kbuild_blocks__[1] - 1) + \
                           256 * (__kbuild_blocks__[2] == 0 ? 0 : __kbuild_blocks__[2] - 1)] = {};
#if defined(__clang__)
#define __kbuild_outlined__ __attribute__((noinline, cold, minsize))
#else
#define __kbuild_outlined__ __attribute__((noinline, cold))
#endif
#if !defined(__OPTIMIZE__)
#define __kbuild_inlined__ mutable
#elif defined(__clang__)
#define __kbuild_inlined__ __attribute__((always_inline)) mutable
#else
#define __kbuild_inlined__ mutable __attribute__((always_inline))
#endif
#if defined(__clang__)
#define __kbuild_with_frame__ __attribute__((noinline)) mutable
#else
#define __kbuild_with_frame__ mutable __attribute__((noinline))
#endif
#define __kbuild_blockIdx__(value) \
    const ::uint3 blockIdx = value; \
    if (blockIdx.x > 0x7FFFFFFE || blockIdx.y > 65534 || blockIdx.z > 65534) \
        __builtin_unreachable();
#define __kbuild_blockDim__(value) \
    const ::dim3 blockDim = value; \
    if (blockDim.x - 1 > 1023 || blockDim.y - 1 > 1023 || blockDim.z - 1 > 63) \
        __builtin_unreachable();
#define __kbuild_gridDim__(value) \
    const ::dim3 gridDim = value; \
    if (gridDim.x - 1 > 0x7FFFFFFE || gridDim.y - 1 > 65534 || gridDim.z - 1 > 65534) \
        __builtin_unreachable();
#define __kbuild_name__ \
    [[maybe_unused]] static const auto &__kbuild_func__ = __func__; \
    [[maybe_unused]] static const auto &__kbuild_pretty_function__ = __PRETTY_FUNCTION__;
#define __kbuild_value__(name) \
    static_assert(!__is_same(decltype(name), decltype((name))), \
                  "kbuild: write the & of a kernel's reference parameter in its declaration");
#define __kbuild_no_pack__(name) \
    static_assert(sizeof...(name) == 0, \
                  "kbuild: a kernel cannot have a pack of references; pass values or pointers");
/* For functions that read threadIdx. */
#define __kbuild_store__ const ::kbuild_cpu::stored_index __kbuild_stored__(__kbuild_own__);
struct __kbuild_large_grid__ {
}; /* in the name of the function, so that it can be told from the program's */
#define __kbuild_plain_loop__ \
    ::kbuild_cpu_progress.runs_whole_block = 1; \
    const auto __kbuild_body__ = [=]([[maybe_unused]] const ::uint3 __kbuild_own__, \
                                     [[maybe_unused]] const ::uint3 __kbuild_block__, \
                                     [[maybe_unused]] const ::dim3 __kbuild_size__, \
                                     [[maybe_unused]] const ::dim3 __kbuild_grid__) \
        __kbuild_inlined__ -> void
#define __kbuild_threadIdx__ [[maybe_unused]] const ::uint3 threadIdx = __kbuild_own__;
#define __kbuild_if_large__ if (__builtin_expect(::kbuild_cpu::unknown(::gridDim.x) > 2097151, 0))
#define __kbuild_plain_loop_end__(type, first) \
    ; \
    __kbuild_if_large__ { \
        const auto __kbuild_run__ = [](auto &__kbuild_copied__, \
                                       __kbuild_large_grid__) __kbuild_outlined__ { \
            for (unsigned int __kbuild_z__ = 0; __kbuild_z__ < ::blockDim.z; ++__kbuild_z__) \
                for (unsigned int __kbuild_y__ = 0; __kbuild_y__ < ::blockDim.y; ++__kbuild_y__) \
                    for (unsigned int __kbuild_x__ = 0; __kbuild_x__ < ::blockDim.x; \
                         ++__kbuild_x__) { \
                        auto __kbuild_copy__ = __kbuild_copied__; \
                        __kbuild_copy__(::uint3{__kbuild_x__, __kbuild_y__, __kbuild_z__}, \
                                        ::blockIdx, ::kbuild_cpu::block_extent(), \
                                        ::kbuild_cpu::grid_extent()); \
                    } \
        }; \
        auto __kbuild_copied__ = __kbuild_body__; \
        return __kbuild_run__(__kbuild_copied__, __kbuild_large_grid__()); \
    } \
    const ::uint3 __kbuild_block__ = ::blockIdx; \
    const ::dim3 __kbuild_size__ = ::kbuild_cpu::block_extent(), \
                 __kbuild_grid__ = ::kbuild_cpu::grid_extent(); \
    if (__kbuild_block__.x > 2097150 || __kbuild_block__.y > 65534 || __kbuild_block__.z > 65534) \
        __builtin_unreachable(); \
    if (__kbuild_size__.x - 1 > 1023 || __kbuild_size__.y - 1 > 1023 || \
        __kbuild_size__.z - 1 > 63) \
        __builtin_unreachable(); \
    if (__kbuild_grid__.x - 1 > 2097150 || __kbuild_grid__.y - 1 > 65534 || \
        __kbuild_grid__.z - 1 > 65534) \
        __builtin_unreachable(); \
    const unsigned int __kbuild_width__ = ::blockDim.x, __kbuild_height__ = ::blockDim.y; \
    const unsigned int __kbuild_rows__ = __kbuild_height__ * ::blockDim.z; \
    const unsigned int __kbuild_first__ = first; \
    if (__kbuild_width__ > 1024 || __kbuild_first__ > 0x7FFFFFFFu - __kbuild_width__) \
        __builtin_unreachable(); \
    unsigned int __kbuild_y__ = 0, __kbuild_z__ = 0; \
    for (unsigned int __kbuild_row__ = 0; __kbuild_row__ < __kbuild_rows__; ++__kbuild_row__) { \
        const type __kbuild_end__ = static_cast<type>(__kbuild_first__ + __kbuild_width__); \
        for (type __kbuild_i__ = static_cast<type>(__kbuild_first__); \
             __kbuild_i__ < __kbuild_end__; ++__kbuild_i__) { \
            auto __kbuild_copy__ = __kbuild_body__; \
            __kbuild_copy__(::uint3{static_cast<unsigned int>(__kbuild_i__) - __kbuild_first__, \
                                    __kbuild_y__, __kbuild_z__}, \
                            __kbuild_block__, __kbuild_size__, __kbuild_grid__); \
        } \
        if (++__kbuild_y__ == __kbuild_height__) { \
            __kbuild_y__ = 0; \
            ++__kbuild_z__; \
        } \
    }
#define __kbuild_each_thread__ \
    const auto __kbuild_suspensions__ = ::kbuild_cpu_progress.suspensions; \
    unsigned int __kbuild_x__ = ::kbuild_cpu_progress.start.x, \
                 __kbuild_y__ = ::kbuild_cpu_progress.start.y; \
    unsigned int __kbuild_z__ = ::kbuild_cpu_progress.start.z; \
    for (; __kbuild_z__ < ::blockDim.z; ++__kbuild_z__, __kbuild_y__ = 0) \
        for (; __kbuild_y__ < ::blockDim.y; ++__kbuild_y__, __kbuild_x__ = 0) \
            for (; __kbuild_x__ < ::blockDim.x; ++__kbuild_x__) { \
                ::kbuild_cpu::store_index(__kbuild_x__, __kbuild_y__, __kbuild_z__);
#define __kbuild_suspendable__ \
    __kbuild_each_thread__[=]([[maybe_unused]] const ::uint3 threadIdx) __kbuild_inlined__->void
#define __kbuild_suspendable_of_variable__ \
    __kbuild_each_thread__[=](const ::uint3) __kbuild_inlined__->void
/* The same if the body calls alloca: gcc frees such memory when the function that it is inlined into ends. */
#define __kbuild_suspendable_with_frame__ \
    __kbuild_each_thread__[=]([[maybe_unused]] const ::uint3 threadIdx) __kbuild_with_frame__->void
#define __kbuild_suspendable_of_variable_with_frame__ \
    __kbuild_each_thread__[=](const ::uint3) __kbuild_with_frame__->void
#define __kbuild_suspendable_end__ \
    (::uint3{__kbuild_x__, __kbuild_y__, __kbuild_z__}); \
    if (__builtin_expect(::kbuild_cpu_progress.suspensions != __kbuild_suspensions__, 0)) return; \
    }
#define __kbuild_set__ ::kbuild_cpu::regions::thread_set<__kbuild_most__>
#define __kbuild_operands__ ::kbuild_cpu::regions::operands<__kbuild_most__>
#define __kbuild_masked__ ::kbuild_cpu::regions::masked_operands<__kbuild_most__>
#define __kbuild_divided__(bound) auto __kbuild_kernel__ = [&]() __kbuild_inlined__ -> void { \
        [[maybe_unused]] __kbuild_blockIdx__(::blockIdx) __kbuild_blockDim__(::kbuild_cpu::block_extent()) __kbuild_gridDim__(::kbuild_cpu::grid_extent()) \
            [[maybe_unused]] constexpr ::kbuild_cpu::regions::no_thread threadIdx{}; \
        constexpr int __kbuild_most__ = ::kbuild_cpu::regions::find_most(bound); \
        const ::kbuild_cpu::regions::block __kbuild_block__; \
        if (__kbuild_block__.threads > __kbuild_most__) __builtin_unreachable();
#define __kbuild_divided_end__ \
    } \
    ; \
    ::kbuild_cpu::regions::run_kernel(__kbuild_kernel__);
/* The same for a device function, with the block of its caller. */
#define __kbuild_divided_function__ \
    [[maybe_unused]] __kbuild_blockIdx__(::blockIdx) \
        __kbuild_blockDim__(::kbuild_cpu::block_extent()) \
            __kbuild_gridDim__(::kbuild_cpu::grid_extent()) \
                [[maybe_unused]] constexpr ::kbuild_cpu::regions::no_thread threadIdx{}; \
    if (__kbuild_callers__.of.threads > __kbuild_most__) __builtin_unreachable();
#define __kbuild_function__ \
    [&]([[maybe_unused]] const ::uint3 threadIdx, [[maybe_unused]] const int __kbuild_t__)
/* A region is a loop over the rows of a set, with loops over the threads of a row, or those that pass guards. */
#define __kbuild_each_row__(set) \
    for (auto __kbuild_walk__ = ::kbuild_cpu::regions::walk(set); __kbuild_walk__.next();)
#define __kbuild_whole_row__ \
    { \
        const ::kbuild_cpu::regions::row_part &__kbuild_part__ = __kbuild_walk__;
#define __kbuild_guarded__(...) \
    { \
        for (::kbuild_cpu::regions::guarded_row __kbuild_part__(__kbuild_walk__); \
             __kbuild_part__.begin() && (__VA_ARGS__, __kbuild_part__.has_limits()); \
             __kbuild_part__.end())
/* What the source says is in the scope of the names of the region, so that it cannot declare them again without an
 * error.  The index of the loop is signed, as compilers assume that such an index does not overflow. */
#define __kbuild_threads_of__(threads) \
    for (int __kbuild_x__ = ::kbuild_cpu::regions::begin_of(threads); __kbuild_x__ < threads.end; \
         ++__kbuild_x__) \
        __kbuild_function__ __kbuild_inlined__->void {
#define __kbuild_threads__ __kbuild_threads_of__(__kbuild_part__.threads)
/* Subscripts that grow by one from thread to thread. */
#define __kbuild_pieces__(count, ...) \
    for (::kbuild_cpu::regions::pieces<count> __kbuild_piece__(__kbuild_part__.threads); \
         __kbuild_piece__.next() && (__VA_ARGS__, true);) \
    __kbuild_threads_of__(__kbuild_piece__)
#define __kbuild_index__(number) __kbuild_piece__.__get(number, __kbuild_x__)
#define __kbuild_region_end__ \
    } \
    (::uint3{static_cast<unsigned int>(__kbuild_x__), __kbuild_part__.y, __kbuild_part__.z}, \
     __kbuild_part__.base + __kbuild_x__); \
    }
/* In an instrumented kernel, the loop and the body are separate functions; see kbuild_cpu/checked_threads.h. */
#if defined(KBUILD_CHECKED)
#undef __kbuild_threads__
#undef __kbuild_region_end__
#define __kbuild_threads__ __kbuild_checked_threads__((), (), ())
#define __kbuild_list__(...) __VA_ARGS__
/* The lists are empty, or start with a comma: what the body captures, its parameters for variables that each thread
 * keeps, and where these are, for the thread with a number.  The body is an object of all threads, because a copy of
 * one that has just been made waits for the stores of its parts. */
#define __kbuild_checked_threads__(captures, parameters, slots) \
    { \
        const auto __kbuild_each__ = [&](const auto &__kbuild_body__) __kbuild_unchecked__ { \
            ::kbuild_cpu::region_threads __kbuild_threads_of_part__(__kbuild_part__); \
            for (int __kbuild_x__ = __kbuild_part__.threads.begin; \
                 __kbuild_x__ < __kbuild_part__.threads.end; ++__kbuild_x__) { \
                [[maybe_unused]] const int __kbuild_t__ = \
                    __kbuild_threads_of_part__.enter(__kbuild_x__); \
                ::kbuild_cpu::call_body(__kbuild_body__, static_cast<unsigned int>(__kbuild_x__), \
                                        __kbuild_part__.y, __kbuild_part__.z, \
                                        __kbuild_t__ __kbuild_list__ slots); \
            } \
        }; \
    __kbuild_each__([&, blockIdx, blockDim, gridDim __kbuild_list__ captures]( \
                        [[maybe_unused]] const ::uint3 threadIdx, \
                        [[maybe_unused]] const int __kbuild_t__ __kbuild_list__ parameters) \
                        __kbuild_inlined__->void {
#define __kbuild_region_end__ \
    } \
    ); \
    } \
    }
#define __kbuild_unchecked__ __attribute__((always_inline, no_sanitize("thread")))
#undef __kbuild_suspendable__
#undef __kbuild_suspendable_of_variable__
#undef __kbuild_suspendable_end__
#define __kbuild_suspendable__ \
    ::kbuild_cpu::run_threads([=]([[maybe_unused]] const ::uint3 threadIdx) __kbuild_inlined__->void
#define __kbuild_suspendable_of_variable__ \
    ::kbuild_cpu::run_threads([=](const ::uint3) __kbuild_inlined__->void
#undef __kbuild_suspendable_with_frame__
#undef __kbuild_suspendable_of_variable_with_frame__
#define __kbuild_suspendable_with_frame__ __kbuild_suspendable__
#define __kbuild_suspendable_of_variable_with_frame__ __kbuild_suspendable_of_variable__
#define __kbuild_suspendable_end__ );
#endif
