// A Fourier transform in up to three dimensions, over kissfft.
#ifndef KBUILD_MATHLIBS_CUFFT_TRANSFORM_HPP
#define KBUILD_MATHLIBS_CUFFT_TRANSFORM_HPP

#include <kissfft.hh>

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

namespace kbuild::mathlibs {

using Complex = std::complex<double>;
using Sizes = std::array<std::int64_t, 3>;

// Where the elements of a side of a transform are, in elements of its type. Missing dimensions come first
// and have one element.
struct Layout {
    Sizes embedding;  // of the memory; the first one does not matter
    std::int64_t stride;
    std::int64_t distance;

    std::int64_t place(std::int64_t item, const Sizes& index) const {
        const auto row = (index[0] * embedding[1] + index[1]) * embedding[2] + index[2];
        return item * distance + row * stride;
    }
};

// Transforms arrays of some sizes in both directions. Computes in double precision.
class Transform {
public:
    explicit Transform(const Sizes& sizes)
        : sizes_(sizes), forward_(make(sizes, false)), inverse_(make(sizes, true)) {}

    const Sizes& sizes() const { return sizes_; }

    void run(std::vector<Complex>& data, bool is_inverse) const {
        std::int64_t stride = 1;
        for (int axis = 2; axis >= 0; --axis) {
            const auto length = sizes_[static_cast<std::size_t>(axis)];
            if (length > 1)
                run_axis(data, (is_inverse ? inverse_ : forward_)[static_cast<std::size_t>(axis)],
                         length, stride);
            stride *= length;
        }
    }

private:
    using Plans = std::vector<kissfft<double>>;

    static Plans make(const Sizes& sizes, bool is_inverse) {
        Plans plans;
        for (const auto length : sizes)
            plans.emplace_back(static_cast<std::size_t>(length), is_inverse);
        return plans;
    }

    static void run_axis(std::vector<Complex>& data, const kissfft<double>& plan,
                         std::int64_t length, std::int64_t stride) {
        std::vector<Complex> result(static_cast<std::size_t>(length));
        const auto total = static_cast<std::int64_t>(data.size());
        for (std::int64_t block = 0; block < total; block += length * stride)
            for (std::int64_t first = block; first < block + stride; ++first) {
                plan.transform(&data[static_cast<std::size_t>(first)], result.data(), 0, 1,
                               static_cast<std::size_t>(stride));
                for (std::int64_t i = 0; i < length; ++i)
                    data[static_cast<std::size_t>(first + i * stride)] =
                        result[static_cast<std::size_t>(i)];
            }
    }

    Sizes sizes_;
    Plans forward_, inverse_;
};

}  // namespace kbuild::mathlibs

#endif
