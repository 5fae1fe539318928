"""The words of C++ and of its device dialects."""

from __future__ import annotations

import re
from typing import Final

KEYWORDS: Final = frozenset(
    b"alignas alignof and asm auto bool break case catch char char8_t char16_t char32_t class "
    b"concept const consteval constexpr constinit const_cast continue decltype default delete "
    b"do double dynamic_cast else enum explicit export extern false final float for friend "
    b"goto if inline int long mutable namespace new noexcept not nullptr operator or override "
    b"private protected public register reinterpret_cast requires return short signed sizeof "
    b"static static_assert static_cast struct switch template this thread_local throw true try "
    b"typedef typeid typename union unsigned using virtual void volatile wchar_t while "
    b"__restrict__ __restrict __host__ __forceinline__ __noinline__ __inline__ __FILE__ "
    b"__LINE__ __func__ __FUNCTION__ __PRETTY_FUNCTION__ __asm__ __volatile__ defined ".split()
)

BUILTIN_TYPES: Final = frozenset(
    b"void bool char char8_t char16_t char32_t wchar_t short int long float double signed"
    b" unsigned".split()
)

# Types whose initializer cannot change them. Class template argument deduction does not apply.
SIMPLE_TYPE: Final = re.compile(
    rb"dim3|size_t|u?int(?:8|16|32|64|ptr)_t|cuda\w+_t|hip\w+_t|cuda\w+Prop"
)
