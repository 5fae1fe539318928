/* Channel descriptions of C++ types and of normalized kinds. */

namespace kbuild_cpu {

template <class __T>
struct channels_of {
    enum { bits = 0, count = 0, kind = cudaChannelFormatKindNone };
};

#define KBUILD_CPU_CHANNELS(scalar, vector, format) \
    template <> \
    struct channels_of<scalar> { \
        enum { bits = 8 * sizeof(scalar), count = 1, kind = format }; \
    }; \
    template <> \
    struct channels_of<vector##1> : channels_of<scalar> {}; \
    template <> \
    struct channels_of<vector##2> : channels_of<scalar> { \
        enum { count = 2 }; \
    }; \
    template <> \
    struct channels_of<vector##4> : channels_of<scalar> { \
        enum { count = 4 }; \
    };

KBUILD_CPU_CHANNELS(signed char, char, cudaChannelFormatKindSigned)
KBUILD_CPU_CHANNELS(unsigned char, uchar, cudaChannelFormatKindUnsigned)
KBUILD_CPU_CHANNELS(short, short, cudaChannelFormatKindSigned)
KBUILD_CPU_CHANNELS(unsigned short, ushort, cudaChannelFormatKindUnsigned)
KBUILD_CPU_CHANNELS(int, int, cudaChannelFormatKindSigned)
KBUILD_CPU_CHANNELS(unsigned int, uint, cudaChannelFormatKindUnsigned)
KBUILD_CPU_CHANNELS(float, float, cudaChannelFormatKindFloat)

#undef KBUILD_CPU_CHANNELS

template <>
struct channels_of<char> {
    enum {
        bits = 8,
        count = 1,
        kind = CHAR_MIN < 0 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned
    };
};

static inline cudaChannelFormatDesc make_channels(int __count, int __bits, int __kind) {
    return KBUILD_VENDOR(CreateChannelDesc)(__count > 0 ? __bits : 0, __count > 1 ? __bits : 0,
                                            __count > 2 ? __bits : 0, __count > 2 ? __bits : 0,
                                            static_cast<cudaChannelFormatKind>(__kind));
}

}  // namespace kbuild_cpu

template <class __T>
static inline cudaChannelFormatDesc KBUILD_VENDOR(CreateChannelDesc)() {
    typedef kbuild_cpu::channels_of<__T> __found;
    return kbuild_cpu::make_channels(__found::count, __found::bits, __found::kind);
}

/* The normalized kinds are in the order 8 and 16 bits without sign, and 8 and 16 bits with sign, each
 * with 1, 2, and 4 channels. */
template <cudaChannelFormatKind __kind>
static inline cudaChannelFormatDesc KBUILD_VENDOR(CreateChannelDesc)() {
    static_assert(__kind >= cudaChannelFormatKindUnsignedNormalized8X1 &&
                      __kind <= cudaChannelFormatKindSignedNormalized16X4,
                  "kbuild: the cpu backend does not support this channel format");
    return kbuild_cpu::make_channels(1 << (__kind - 5) % 3, (__kind - 5) / 3 % 2 == 0 ? 8 : 16,
                                     __kind);
}

static inline cudaChannelFormatDesc KBUILD_VENDOR(CreateChannelDescHalf)() {
    return kbuild_cpu::make_channels(1, 16, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc KBUILD_VENDOR(CreateChannelDescHalf1)() {
    return kbuild_cpu::make_channels(1, 16, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc KBUILD_VENDOR(CreateChannelDescHalf2)() {
    return kbuild_cpu::make_channels(2, 16, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc KBUILD_VENDOR(CreateChannelDescHalf4)() {
    return kbuild_cpu::make_channels(4, 16, cudaChannelFormatKindFloat);
}
