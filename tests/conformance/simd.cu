// SIMD-in-word and DPX functions of the CUDA math API.
#include "functions.hpp"

// The result of a function, and the arguments that it chose.
struct Choice {
    unsigned int value;
    bool first, second;
};
#define choose(function, a, b)                                                         \
    ([&] {                                                                             \
        bool is_first = false;                                                         \
        const unsigned int value = static_cast<unsigned int>(function(a, b, &is_first)); \
        Choice choice;                                                                 \
        memset(&choice, 0, sizeof choice);                                             \
        choice.value = value, choice.first = is_first;                                 \
        return choice;                                                                 \
    }())
#define choose_halves(function, a, b)                                                  \
    ([&] {                                                                             \
        bool high = false, low = false;                                                \
        const unsigned int value = function(a, b, &high, &low);                        \
        Choice choice;                                                                 \
        memset(&choice, 0, sizeof choice);                                             \
        choice.value = value, choice.first = high, choice.second = low;                \
        return choice;                                                                 \
    }())

#define UNARY(F1, F2, F3) \
    F1(__vabs2, 0, ANY, unsigned int, unsigned int, __vabs2(a)) \
    F1(__vabs4, 0, ANY, unsigned int, unsigned int, __vabs4(a)) \
    F1(__vabsss2, 0, ANY, unsigned int, unsigned int, __vabsss2(a)) \
    F1(__vabsss4, 0, ANY, unsigned int, unsigned int, __vabsss4(a)) \
    F1(__vneg2, 0, ANY, unsigned int, unsigned int, __vneg2(a)) \
    F1(__vneg4, 0, ANY, unsigned int, unsigned int, __vneg4(a)) \
    F1(__vnegss2, 0, ANY, unsigned int, unsigned int, __vnegss2(a)) \
    F1(__vnegss4, 0, ANY, unsigned int, unsigned int, __vnegss4(a))

#define BINARY(F1, F2, F3) \
    F2(__vadd2, 0, ANY, unsigned int, unsigned int, unsigned int, __vadd2(a, b)) \
    F2(__vadd4, 0, ANY, unsigned int, unsigned int, unsigned int, __vadd4(a, b)) \
    F2(__vaddss2, 0, ANY, unsigned int, unsigned int, unsigned int, __vaddss2(a, b)) \
    F2(__vaddss4, 0, ANY, unsigned int, unsigned int, unsigned int, __vaddss4(a, b)) \
    F2(__vaddus2, 0, ANY, unsigned int, unsigned int, unsigned int, __vaddus2(a, b)) \
    F2(__vaddus4, 0, ANY, unsigned int, unsigned int, unsigned int, __vaddus4(a, b)) \
    F2(__vsub2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsub2(a, b)) \
    F2(__vsub4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsub4(a, b)) \
    F2(__vsubss2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsubss2(a, b)) \
    F2(__vsubss4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsubss4(a, b)) \
    F2(__vsubus2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsubus2(a, b)) \
    F2(__vsubus4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsubus4(a, b)) \
    F2(__vabsdiffs2, 0, ANY, unsigned int, unsigned int, unsigned int, __vabsdiffs2(a, b)) \
    F2(__vabsdiffs4, 0, ANY, unsigned int, unsigned int, unsigned int, __vabsdiffs4(a, b)) \
    F2(__vabsdiffu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vabsdiffu2(a, b)) \
    F2(__vabsdiffu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vabsdiffu4(a, b)) \
    F2(__vavgs2, 0, ANY, unsigned int, unsigned int, unsigned int, __vavgs2(a, b)) \
    F2(__vavgs4, 0, ANY, unsigned int, unsigned int, unsigned int, __vavgs4(a, b)) \
    F2(__vavgu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vavgu2(a, b)) \
    F2(__vavgu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vavgu4(a, b)) \
    F2(__vhaddu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vhaddu2(a, b)) \
    F2(__vhaddu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vhaddu4(a, b)) \
    F2(__vmaxs2, 0, ANY, unsigned int, unsigned int, unsigned int, __vmaxs2(a, b)) \
    F2(__vmaxs4, 0, ANY, unsigned int, unsigned int, unsigned int, __vmaxs4(a, b)) \
    F2(__vmaxu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vmaxu2(a, b)) \
    F2(__vmaxu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vmaxu4(a, b)) \
    F2(__vmins2, 0, ANY, unsigned int, unsigned int, unsigned int, __vmins2(a, b)) \
    F2(__vmins4, 0, ANY, unsigned int, unsigned int, unsigned int, __vmins4(a, b)) \
    F2(__vminu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vminu2(a, b)) \
    F2(__vminu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vminu4(a, b)) \
    F2(__vsads2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsads2(a, b)) \
    F2(__vsads4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsads4(a, b)) \
    F2(__vsadu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsadu2(a, b)) \
    F2(__vsadu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsadu4(a, b))

#define LANE_COMPARISONS(F1, F2, F3) \
    F2(__vcmpeq2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpeq2(a, b)) \
    F2(__vcmpeq4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpeq4(a, b)) \
    F2(__vcmpne2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpne2(a, b)) \
    F2(__vcmpne4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpne4(a, b)) \
    F2(__vcmpges2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpges2(a, b)) \
    F2(__vcmpges4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpges4(a, b)) \
    F2(__vcmpgeu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpgeu2(a, b)) \
    F2(__vcmpgeu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpgeu4(a, b)) \
    F2(__vcmpgts2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpgts2(a, b)) \
    F2(__vcmpgts4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpgts4(a, b)) \
    F2(__vcmpgtu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpgtu2(a, b)) \
    F2(__vcmpgtu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpgtu4(a, b)) \
    F2(__vcmples2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmples2(a, b)) \
    F2(__vcmples4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmples4(a, b)) \
    F2(__vcmpleu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpleu2(a, b)) \
    F2(__vcmpleu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpleu4(a, b)) \
    F2(__vcmplts2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmplts2(a, b)) \
    F2(__vcmplts4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmplts4(a, b)) \
    F2(__vcmpltu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpltu2(a, b)) \
    F2(__vcmpltu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vcmpltu4(a, b)) \
    F2(__vseteq2, 0, ANY, unsigned int, unsigned int, unsigned int, __vseteq2(a, b)) \
    F2(__vseteq4, 0, ANY, unsigned int, unsigned int, unsigned int, __vseteq4(a, b)) \
    F2(__vsetne2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetne2(a, b)) \
    F2(__vsetne4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetne4(a, b)) \
    F2(__vsetges2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetges2(a, b)) \
    F2(__vsetges4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetges4(a, b)) \
    F2(__vsetgeu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetgeu2(a, b)) \
    F2(__vsetgeu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetgeu4(a, b)) \
    F2(__vsetgts2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetgts2(a, b)) \
    F2(__vsetgts4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetgts4(a, b)) \
    F2(__vsetgtu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetgtu2(a, b)) \
    F2(__vsetgtu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetgtu4(a, b)) \
    F2(__vsetles2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetles2(a, b)) \
    F2(__vsetles4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetles4(a, b)) \
    F2(__vsetleu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetleu2(a, b)) \
    F2(__vsetleu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetleu4(a, b)) \
    F2(__vsetlts2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetlts2(a, b)) \
    F2(__vsetlts4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetlts4(a, b)) \
    F2(__vsetltu2, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetltu2(a, b)) \
    F2(__vsetltu4, 0, ANY, unsigned int, unsigned int, unsigned int, __vsetltu4(a, b))

#define DPX(F1, F2, F3) \
    F3(__vimax3_s32, 0, ANY, int, int, int, int, __vimax3_s32(a, b, c)) \
    F3(__vimax3_s32_relu, 0, ANY, int, int, int, int, __vimax3_s32_relu(a, b, c)) \
    F3(__vimax3_u32, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_u32(a, b, c)) \
    F3(__vimax3_s16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_s16x2(a, b, c)) \
    F3(__vimax3_s16x2_relu, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_s16x2_relu(a, b, c)) \
    F3(__vimax3_u16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimax3_u16x2(a, b, c)) \
    F3(__vimin3_s32, 0, ANY, int, int, int, int, __vimin3_s32(a, b, c)) \
    F3(__vimin3_s32_relu, 0, ANY, int, int, int, int, __vimin3_s32_relu(a, b, c)) \
    F3(__vimin3_u32, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_u32(a, b, c)) \
    F3(__vimin3_s16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_s16x2(a, b, c)) \
    F3(__vimin3_s16x2_relu, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_s16x2_relu(a, b, c)) \
    F3(__vimin3_u16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __vimin3_u16x2(a, b, c)) \
    F3(__viaddmax_s32, 0, ANY, int, int, int, int, __viaddmax_s32(a, b, c)) \
    F3(__viaddmax_s32_relu, 0, ANY, int, int, int, int, __viaddmax_s32_relu(a, b, c)) \
    F3(__viaddmax_u32, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_u32(a, b, c)) \
    F3(__viaddmax_s16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_s16x2(a, b, c)) \
    F3(__viaddmax_s16x2_relu, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_s16x2_relu(a, b, c)) \
    F3(__viaddmax_u16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmax_u16x2(a, b, c)) \
    F3(__viaddmin_s32, 0, ANY, int, int, int, int, __viaddmin_s32(a, b, c)) \
    F3(__viaddmin_s32_relu, 0, ANY, int, int, int, int, __viaddmin_s32_relu(a, b, c)) \
    F3(__viaddmin_u32, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_u32(a, b, c)) \
    F3(__viaddmin_s16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_s16x2(a, b, c)) \
    F3(__viaddmin_s16x2_relu, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_s16x2_relu(a, b, c)) \
    F3(__viaddmin_u16x2, 0, ANY, unsigned int, unsigned int, unsigned int, unsigned int, __viaddmin_u16x2(a, b, c)) \
    F2(__vimax_s32_relu, 0, ANY, int, int, int, __vimax_s32_relu(a, b)) \
    F2(__vimax_s16x2_relu, 0, ANY, unsigned int, unsigned int, unsigned int, __vimax_s16x2_relu(a, b)) \
    F2(__vimin_s32_relu, 0, ANY, int, int, int, __vimin_s32_relu(a, b)) \
    F2(__vimin_s16x2_relu, 0, ANY, unsigned int, unsigned int, unsigned int, __vimin_s16x2_relu(a, b)) \
    F2(__vibmax_s32, 0, ANY, Choice, int, int, choose(__vibmax_s32, a, b)) \
    F2(__vibmax_u32, 0, ANY, Choice, unsigned int, unsigned int, choose(__vibmax_u32, a, b)) \
    F2(__vibmax_s16x2, 0, ANY, Choice, unsigned int, unsigned int, choose_halves(__vibmax_s16x2, a, b)) \
    F2(__vibmax_u16x2, 0, ANY, Choice, unsigned int, unsigned int, choose_halves(__vibmax_u16x2, a, b)) \
    F2(__vibmin_s32, 0, ANY, Choice, int, int, choose(__vibmin_s32, a, b)) \
    F2(__vibmin_u32, 0, ANY, Choice, unsigned int, unsigned int, choose(__vibmin_u32, a, b)) \
    F2(__vibmin_s16x2, 0, ANY, Choice, unsigned int, unsigned int, choose_halves(__vibmin_s16x2, a, b)) \
    F2(__vibmin_u16x2, 0, ANY, Choice, unsigned int, unsigned int, choose_halves(__vibmin_u16x2, a, b))

#define FUNCTIONS(F1, F2, F3) \
    UNARY(F1, F2, F3) \
    BINARY(F1, F2, F3) \
    LANE_COMPARISONS(F1, F2, F3) \
    DPX(F1, F2, F3)

CONFORMANCE_MAIN(FUNCTIONS)
