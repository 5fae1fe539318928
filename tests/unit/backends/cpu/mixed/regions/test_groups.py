"""How kernels with cooperative groups are divided, and why others are not."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.kernel_text import KernelEdits, Split, edit_kernels
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

# As in the headers of the device language.
HEADER = """\
namespace cooperative_groups {
class thread_group;
inline thread_block __kbuild_needs_block__ this_thread_block() { return {}; }
template <unsigned N> thread_block_tile<N> __kbuild_needs_block__ tiled_partition(thread_block);
template <class G> void sync(const G&);
template <class G, class T, class O> T reduce(const G&, T, O);
}
namespace cg = cooperative_groups;
"""
DEVICE = "__kbuild_device__ "
BLOCK = "cg::thread_block cta = cg::this_thread_block(); "
TILE = f"{BLOCK}cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cta); "
FUNCTION = f"{DEVICE}int meet(cg::thread_block b, int x) {{ b.sync(); return x; }}\n"


def divide(text: str) -> tuple[Unit, KernelEdits]:
    code = Unit(f'# 1 "h.h"\n{HEADER}# 1 "a.cu"\n{text}')
    declarations = q.find_declarations(code)
    return code, edit_kernels(code, declarations, split=Split())


def write(body: str, before: str = "") -> str:
    """Return the text of a kernel that is divided."""
    code, found = divide(f"{before}__kbuild_global__ void k(int* p, int n)\n{{ {body} }}\n")
    assert not found.obstacles
    return " ".join(apply_edits(code.text, found.edits, (0, len(code.text))).split())


def find_obstacle(body: str, before: str = "") -> str:
    _, found = divide(f"{before}__kbuild_global__ void k(int* p, int n)\n{{ {body} }}\n")
    return next(iter(found.obstacles.values()), "")


def test_a_block_is_a_constant_and_knows_the_thread_in_regions() -> None:
    text = write(f"{BLOCK}p[0] = 1; cta.sync(); p[cta.thread_rank()] = n;")

    assert "constexpr auto cta = ::kbuild_cpu::regions::block_group{};" in text
    assert "decltype(cta)::__operations::sync::finish(__kbuild_live__, __kbuild_live__)" in text
    assert "const typename decltype(cta)::__in_region cta(threadIdx, __kbuild_t__);" in text


def test_a_tile_is_that_of_its_parent() -> None:
    text = write(f"{TILE}p[0] = tile.shfl_down(n, 1);")

    assert "constexpr auto tile = ::kbuild_cpu::regions::divide<32>(cta);" in text
    shuffle = "decltype(tile)::__operations::shfl_down::template"
    assert f"{shuffle} put<decltype(tile.shfl_down(n, 1))>(__kbuild_o0__, __kbuild_t__, n)" in text
    assert f"{shuffle} get<decltype(tile.shfl_down(n, 1))>(__kbuild_o0__, __kbuild_t__, 1)" in text


def test_a_reduction_brings_its_second_argument() -> None:
    text = write(f"{TILE}p[0] = cg::reduce(tile, n, cg::plus<int>());")

    kind = "decltype(cg::reduce(tile.__original(), n, cg::plus<int>()))"
    call = f"{kind}>(__kbuild_o0__, __kbuild_t__, "
    assert f"::__operations::reduce::template put<{call}n);" in text
    assert f"::__operations::reduce::template get<{call}cg::plus<int>())" in text


def test_functions_get_the_group_as_a_type() -> None:
    text = write(f"{BLOCK}p[0] = meet(cta, n);", FUNCTION)

    assert "typename ::kbuild_cpu::regions::group_of<cg::thread_block>::__type b__kbuild_p;" in text
    assert "constexpr decltype(__kbuild_frame__.b__kbuild_p) b{};" in text
    assert "thread_number{__kbuild_t__}, cta.__original(), n);" in text
    assert "b__kbuild_p[" not in text
    assert "b__kbuild_p.copy" not in text


def test_the_rank_in_a_tile_is_no_index_in_the_block() -> None:
    condition = "n = 1; if ({}.thread_rank() == 0) p[0] = n; "

    assert "guard_at" in write(TILE + condition.format("cta") + "cta.sync();")
    assert "guard_at" not in write(TILE + condition.format("tile") + "cta.sync();")


def test_results_of_operations_are_not_computed_again() -> None:
    text = write(f"{TILE}const int x = tile.any(n), y = tile.size(); cta.sync(); p[0] = x + y;")

    assert "auto& x = __kbuild_s" in text
    assert "const auto y = __kbuild_u" in text or "const auto y = __kbuild_n" in text


@pytest.mark.parametrize(
    "body",
    [
        "cg::sync(cg::this_thread_block());",
        "cg::this_thread_block().sync();",
        "const auto tile = cg::tiled_partition<8>(cg::this_thread_block()); tile.sync();",
        f"{BLOCK}const auto t = cg::tiled_partition<8>(cta); p[0] = t.any(n) + t.all(n);",
        f"{BLOCK}if (n > 3) cg::sync(cta);",
        f"{BLOCK}p[0] = n; cta.sync(); {{ int cta = 3; p[0] = cta; }}",
        f"{BLOCK}auto copy = cta; copy.sync();",
        f"{BLOCK}unknown(cta);",
        f"{BLOCK}p[0] = unknown(n, cta);",
        "p[0] = cg::this_thread_block().thread_rank();",
        "auto tile = cg::tiled_partition(cta, 16); tile.sync();",
        "auto all = std::make_pair(cg::this_thread_block(), 1);",
    ],
)
def test_forms_that_are_divided(body: str) -> None:
    assert not find_obstacle(body)


def test_groups_that_are_objects_bring_their_lanes() -> None:
    text = write(f"{BLOCK}auto part = cg::tiled_partition(cta, 16); part.sync();")

    assert "cg::tiled_partition(cta.__original(), 16)" in text
    assert "sync>::put(__kbuild_o0__, __kbuild_t__, ::kbuild_cpu::regions::mask_of(part, " in text
    text = write("pair.part.sync(); n = pair.part.shfl(n, 2); cg::sync(pair.part);")
    assert text.count("mask_of(pair.part, threadIdx)") == len(("sync", "shfl", "sync"))


def test_groups_that_can_be_the_grid_have_fibers() -> None:
    assert find_obstacle("cg::thread_group g = cg::this_grid(); g.sync();")


@pytest.mark.parametrize(
    ("body", "obstacle"),
    [
        (f"{BLOCK}[&] {{ cta.sync(); }}();", "'cta' is in a lambda or a class"),
        (f"{TILE}if (n && tile.any(n)) p[0] = 1;", "'tile' is in a conditional expression"),
        (f"{TILE}p[0] = tile.shfl();", "a call of 'shfl' has too few arguments"),
        (f"{BLOCK}p[0] = late(cta);", "it calls 'late': it is defined later"),
    ],
)
def test_forms_that_keep_fibers(body: str, obstacle: str) -> None:
    late = f"{DEVICE}int late(cg::thread_block b) {{ b.sync(); return 1; }}\n"
    code = f"__kbuild_global__ void k(int* p, int n)\n{{ {body} }}\n{late}"
    _, found = divide(code)

    assert next(iter(found.obstacles.values()), "") == obstacle
