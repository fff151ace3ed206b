import pytest

from torquec.codegen.llvm.cpu import _vector_unit, host_cpu, plain_cpu
from torquec.errors import CompileError

AVX512 = {"sse2", "avx2", "fma", "avx512f", "avx512dq", "avx512vl"}


@pytest.mark.parametrize(
    ("triple", "features", "expected"),
    [
        ("x86_64-unknown-linux-gnu", AVX512, (8, True)),
        ("x86_64-unknown-linux-gnu", AVX512 - {"avx512vl"}, (4, True)),
        ("x86_64-pc-windows-msvc", {"sse2", "avx2", "fma"}, (4, True)),
        ("x86_64-apple-darwin", {"sse2", "avx2"}, (2, False)),
        ("x86_64-unknown-linux-gnu", set(), (2, False)),
        ("aarch64-unknown-linux-gnu", {"neon"}, (2, True)),
        ("arm64-apple-darwin", set(), (2, True)),
        ("riscv64-unknown-linux-gnu", set(), (2, False)),
    ],
)
def test_the_width_follows_the_features(triple, features, expected):
    assert _vector_unit(triple, features) == expected


def test_the_identity_tells_processors_apart():
    identities = {plain_cpu(width).identity for width in (2, 4, 8) if width <= host_cpu().width}
    assert len(identities) == sum(width <= host_cpu().width for width in (2, 4, 8))


def test_a_width_that_the_host_lacks_is_refused():
    with pytest.raises(CompileError, match="no vectors of 16 doubles"):
        plain_cpu(16)
