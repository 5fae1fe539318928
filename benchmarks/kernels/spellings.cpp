#include "spellings.hpp"

#include "kernels_kernels.hpp"
#include "sizes.hpp"

#ifdef HAS_SPELLINGS
#include "spellings/templates.hpp"
#endif

// The names of the kernels, in the order of the members.
#define KERNELS(SCOPE)                                                                             \
    SCOPE nothing, SCOPE saxpy, SCOPE matmul_naive, SCOPE matmul_tiled, SCOPE matmul_large_tile,   \
        SCOPE block_sums, SCOPE guarded_sums, SCOPE warp_sums, SCOPE block_scan, SCOPE stencil,    \
        SCOPE histogram, SCOPE transpose, SCOPE softmax, SCOPE nbody, SCOPE bitonic_sort,          \
        SCOPE jacobi

const std::vector<Spelling>& list_spellings()
{
    static const std::vector<Spelling> all{
        {"kbuild", KERNELS(::)},
#ifdef HAS_SPELLINGS
        {"merged", KERNELS(merged::)},
        {"functors", KERNELS(functors::)},
        {"functions", KERNELS(functions::)},
        {"templates", templates::nothing, templates::saxpy<float>, templates::matmul_naive<float>,
         templates::matmul<float, TILE>, templates::matmul<float, LARGE_TILE>,
         templates::block_sums<float, BLOCK_SIZE>, templates::guarded_sums<float, BLOCK_SIZE>,
         templates::warp_sums<float, BLOCK_SIZE>, templates::block_scan<float, BLOCK_SIZE>,
         templates::stencil<float, BLOCK_SIZE, RADIUS>,
         templates::histogram<unsigned char, BLOCK_SIZE, BINS>, templates::transpose<float, TILE>,
         templates::softmax<float, BLOCK_SIZE, COLUMNS>, templates::nbody<float, BLOCK_SIZE>,
         templates::bitonic_sort<float, BLOCK_SIZE>, templates::jacobi<float, TILE>},
        {"ranges", KERNELS(ranges::)},
        {"pairs", KERNELS(pairs::)},
#endif
    };
    return all;
}
