// Integer and bit functions of the CUDA math API.
#include "functions.hpp"

template <class Vector, class Word>
__device__ Vector as(Word word) {
    Vector vector;
    memcpy(&vector, &word, sizeof vector);
    return vector;
}

#define BITS(F1, F2, F3) \
    F1(__clz, 0, ANY, int, int, __clz(a)) \
    F1(__clzll, 0, ANY, int, long long, __clzll(a)) \
    F1(__ffs, 0, ANY, int, int, __ffs(a)) \
    F1(__ffsll, 0, ANY, int, long long, __ffsll(a)) \
    F1(__popc, 0, ANY, int, unsigned int, __popc(a)) \
    F1(__popcll, 0, ANY, int, unsigned long long, __popcll(a)) \
    F1(__brev, 0, ANY, unsigned int, unsigned int, __brev(a)) \
    F1(__brevll, 0, ANY, unsigned long long, unsigned long long, __brevll(a)) \
    F1(__nv_bswap16, 0, ANY, unsigned short, unsigned short, __nv_bswap16(a)) \
    F1(__nv_bswap32, 0, ANY, unsigned int, unsigned int, __nv_bswap32(a)) \
    F1(__nv_bswap64, 0, ANY, unsigned long long, unsigned long long, __nv_bswap64(a)) \
    F3(__fns, 0, ANY, unsigned int, unsigned int, unsigned int, int, __fns(a, b % 32, c % 12)) \
    F3(__byte_perm, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __byte_perm(a, b, c)) \
    F3(__funnelshift_l, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_l(a, b, c)) \
    F3(__funnelshift_l_small, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_l(a, b, c % 70)) \
    F3(__funnelshift_lc, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_lc(a, b, c)) \
    F3(__funnelshift_lc_small, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_lc(a, b, c % 70)) \
    F3(__funnelshift_r, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_r(a, b, c)) \
    F3(__funnelshift_r_small, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_r(a, b, c % 70)) \
    F3(__funnelshift_rc, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_rc(a, b, c)) \
    F3(__funnelshift_rc_small, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __funnelshift_rc(a, b, c % 70))

#define ARITHMETIC(F1, F2, F3) \
    F2(__mul24, 0, ANY, int, int, int, __mul24(a, b)) \
    F2(__umul24, 0, ANY, unsigned int, unsigned int, unsigned int, __umul24(a, b)) \
    F2(__mulhi, 0, ANY, int, int, int, __mulhi(a, b)) \
    F2(__umulhi, 0, ANY, unsigned int, unsigned int, unsigned int, __umulhi(a, b)) \
    F2(__mul64hi, 0, ANY, long long, long long, long long, __mul64hi(a, b)) \
    F2(__umul64hi, 0, ANY, unsigned long long, unsigned long long, unsigned long long, __umul64hi(a, b)) \
    F2(__hadd, 0, ANY, int, int, int, __hadd(a, b)) \
    F2(__rhadd, 0, ANY, int, int, int, __rhadd(a, b)) \
    F2(__uhadd, 0, ANY, unsigned int, unsigned int, unsigned int, __uhadd(a, b)) \
    F2(__urhadd, 0, ANY, unsigned int, unsigned int, unsigned int, __urhadd(a, b)) \
    F3(__sad, 0, ANY, unsigned int, int, int, unsigned int, __sad(a, b, c)) \
    F3(__usad, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __usad(a, b, c)) \
    F3(__dp4a, 0, ANY, int, int, int, int, __dp4a(a, b, c)) \
    F3(__dp4a_unsigned, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __dp4a(a, b, c)) \
    F3(__dp2a_lo, 0, ANY, int, int, int, int, __dp2a_lo(a, b, c)) \
    F3(__dp2a_lo_unsigned, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __dp2a_lo(a, b, c)) \
    F3(__dp2a_hi, 0, ANY, int, int, int, int, __dp2a_hi(a, b, c)) \
    F3(__dp2a_hi_unsigned, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __dp2a_hi(a, b, c))

#define DOT_PRODUCTS_OF_VECTORS(F1, F2, F3) \
    F3(__dp4a_vector, 0, ANY, int, int, int, int, __dp4a(as<char4>(a), as<char4>(b), c)) \
    F3(__dp4a_unsigned_vector, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __dp4a(as<uchar4>(a), as<uchar4>(b), c)) \
    F3(__dp2a_lo_vector, 0, ANY, int, int, int, int, __dp2a_lo(as<short2>(a), as<char4>(b), c)) \
    F3(__dp2a_lo_unsigned_vector, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __dp2a_lo(as<ushort2>(a), as<uchar4>(b), c)) \
    F3(__dp2a_hi_vector, 0, ANY, int, int, int, int, __dp2a_hi(as<short2>(a), as<char4>(b), c)) \
    F3(__dp2a_hi_unsigned_vector, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __dp2a_hi(as<ushort2>(a), as<uchar4>(b), c))

#define COMPARISONS(F1, F2, F3) \
    F2(min_int, 0, ANY, int, int, int, min(a, b)) \
    F2(min_unsigned, 0, ANY, unsigned int, unsigned int, unsigned int, min(a, b)) \
    F2(min_long, 0, ANY, long, long, long, min(a, b)) \
    F2(min_unsigned_long, 0, ANY, unsigned long, unsigned long, unsigned long, min(a, b)) \
    F2(min_long_long, 0, ANY, long long, long long, long long, min(a, b)) \
    F2(min_unsigned_long_long, 0, ANY, unsigned long long, unsigned long long, unsigned long long, min(a, b)) \
    F2(min_mixed, 0, ANY, unsigned int, int, unsigned int, min(a, b)) \
    F2(min_mixed_long_long, 0, ANY, unsigned long long, long long, unsigned long long, min(a, b)) \
    F2(umin, 0, ANY, unsigned int, unsigned int, unsigned int, umin(a, b)) \
    F2(llmin, 0, ANY, long long, long long, long long, llmin(a, b)) \
    F2(ullmin, 0, ANY, unsigned long long, unsigned long long, unsigned long long, ullmin(a, b)) \
    F2(max_int, 0, ANY, int, int, int, max(a, b)) \
    F2(max_unsigned, 0, ANY, unsigned int, unsigned int, unsigned int, max(a, b)) \
    F2(max_long, 0, ANY, long, long, long, max(a, b)) \
    F2(max_unsigned_long, 0, ANY, unsigned long, unsigned long, unsigned long, max(a, b)) \
    F2(max_long_long, 0, ANY, long long, long long, long long, max(a, b)) \
    F2(max_unsigned_long_long, 0, ANY, unsigned long long, unsigned long long, unsigned long long, max(a, b)) \
    F2(max_mixed, 0, ANY, unsigned int, int, unsigned int, max(a, b)) \
    F2(max_mixed_long_long, 0, ANY, unsigned long long, long long, unsigned long long, max(a, b)) \
    F2(umax, 0, ANY, unsigned int, unsigned int, unsigned int, umax(a, b)) \
    F2(llmax, 0, ANY, long long, long long, long long, llmax(a, b)) \
    F2(ullmax, 0, ANY, unsigned long long, unsigned long long, unsigned long long, ullmax(a, b)) \
    F1(abs_int, 0, ANY, int, int, abs(a)) \
    F1(abs_long, 0, ANY, long, long, abs(a)) \
    F1(labs, 0, ANY, long, long, labs(a)) \
    F1(llabs, 0, ANY, long long, long long, llabs(a))

#define FUNCTIONS(F1, F2, F3) \
    BITS(F1, F2, F3) \
    ARITHMETIC(F1, F2, F3) \
    DOT_PRODUCTS_OF_VECTORS(F1, F2, F3) \
    COMPARISONS(F1, F2, F3)

CONFORMANCE_MAIN(FUNCTIONS)
