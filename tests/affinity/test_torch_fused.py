"""The fused Triton kernel: in Triton's interpreter on the CPU, or compiled where there is a GPU."""

import os
import subprocess
import sys

import numpy as np
import pytest

from fairspectral.affinity import make_operator, torch_kernel
from fairspectral.affinity.kernel import make_kernel
from fairspectral.affinity.torch_features import (
    ABSOLUTE,
    DIFFERENCES,
    POWER,
    SQUARED,
    torch_features,
)
from fairspectral.affinity.torch_fused import FusedPasses

torch = pytest.importorskip(
    "torch", reason="torch is not installed: pip install 'fairspectral[gpu]'"
)
pytest.importorskip("triton", reason="Triton is not installed, which comes with torch on Linux")

DEVICE = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip(
        "Triton needs a GPU or its interpreter: TRITON_INTERPRET=1", allow_module_level=True
    )
# Of which no tile is a multiple, so that every padding counts.
N = 301
# name, kernel, features, parameters, and how it is computed
CASES = {
    "rbf": ("rbf", 8, {}, SQUARED),
    "rbf of 40 features": ("rbf", 40, {}, SQUARED),
    "rbf of points far apart": ("rbf", 3, {"far": True}, DIFFERENCES),
    "laplacian": ("laplacian", 5, {}, ABSOLUTE),
    "polynomial": ("polynomial", 6, {"degree": 3}, POWER),
    "polynomial of 70 features": ("polynomial", 70, {"degree": 2}, POWER),
}


def features_of(case):
    metric, d, params, kind = CASES[case]
    params = dict(params)
    rng = np.random.default_rng(len(case))
    X = rng.random((N, d)) + rng.integers(0, 3, (N, 1))
    if params.pop("far", False):
        X[: N // 2] += 100.0
    X = torch.from_numpy(X).to(DEVICE)
    features = torch_features(X, make_kernel(metric, X, 1.0 / d, params), np.dtype(np.float32))
    assert features.kind == kind
    return features


def exactly(features):
    return features.to(torch.float64).tile(slice(None), slice(None))


def random_block(columns):
    # Columns of very different size, which float16 alone could not hold.
    sizes = 10.0 ** np.linspace(-9, 5, columns)
    block = np.random.default_rng(0).standard_normal((N, columns)) * sizes
    return torch.from_numpy(block).to(DEVICE, torch.float32)


def relative_error(found, expected, block):
    """Of the product with a block, as if its columns were of one length."""
    lengths = block.double().norm(dim=0)
    return float(((found.double() - expected) / lengths).norm() / (expected / lengths).norm())


@pytest.mark.parametrize(("half", "bound"), [(True, 5e-4), (False, 5e-6)])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("columns", [5, 32, 70])
def test_products_are_those_of_the_dense_matrix(case, columns, half, bound):
    features, block = features_of(case), random_block(columns)
    passes = FusedPasses(features, half)
    found = passes.product(block)
    assert found.shape == block.shape
    assert found.dtype == torch.float32
    error = relative_error(found, exactly(features) @ block.double(), block)
    assert error <= bound
    if passes.half:  # otherwise the bound of float16 would not be a test of it
        assert error > 1e-6


def test_a_single_column():
    features, block = features_of("rbf"), torch.ones((N, 1), device=DEVICE)
    found = FusedPasses(features, half=True).product(block)
    assert relative_error(found, exactly(features) @ block.double(), block) <= 5e-4


def test_powers_are_never_rounded_to_float16():
    assert not FusedPasses(features_of("polynomial"), half=True).half


@pytest.mark.parametrize("case", CASES)
def test_sums_and_the_smallest_affinity(case):
    features = features_of(case)
    sums, least = FusedPasses(features, half=False).sums()
    W = exactly(features)
    assert sums.dtype == torch.float64
    assert float((sums / W.sum(dim=1) - 1).abs().max()) <= 5e-6
    assert torch.allclose(least.double(), W.amin(dim=1), rtol=1e-4, atol=1e-30)


def test_affinities_too_small_for_float16_still_count():
    """Two heaps at such a distance that all affinities between them are below 6e-8."""
    X = torch.arange(N, device=DEVICE, dtype=torch.float64)[:, None] % 2 * 4.25
    features = torch_features(X, make_kernel("rbf", X, 1.0, None), np.dtype(np.float32))
    W = exactly(features)
    assert 1e-9 < float(W[0, 1]) < 6e-8
    block = torch.zeros((N, 1), device=DEVICE)
    block[::2] = 1.0
    found, expected = FusedPasses(features, half=True).product(block), W @ block.double()
    assert float((found / expected - 1)[1::2].abs().max()) <= 5e-4


def test_sums_of_many_tiles_do_not_drift():
    """More tiles than are summed together, and numbers of one sign."""
    n = 128 * 40 + 1
    X = torch.from_numpy(np.random.default_rng(0).random((n, 2))).to(DEVICE)
    features = torch_features(X, make_kernel("rbf", X, 0.5, None), np.dtype(np.float32))
    passes = FusedPasses(features, half=True)
    passes._grid = lambda launch: (1,)  # the first rows are enough
    block = torch.ones((n, 16), device=DEVICE)
    expected = features.to(torch.float64).tile(slice(0, 100), slice(None)).sum(dim=1)
    found = passes.product(block)[:100, 0].double()
    assert float((found / expected - 1).abs().max()) <= 1e-4


@pytest.mark.parametrize("metric", ["rbf", "laplacian"])
def test_an_operator_that_is_fused(metric, monkeypatch):
    monkeypatch.setattr(torch_kernel, "can_fuse", lambda device: True)
    X = torch.from_numpy(np.random.default_rng(0).random((N, 4))).to(DEVICE)
    plain = make_operator(X, metric, gamma=2.0, dtype="float64")
    block = random_block(5)
    for options, bound in (({}, 5e-4), ({"tol": 1e-6}, 5e-6), ({"dtype": "float32"}, 5e-6)):
        fused = make_operator(X, metric, gamma=2.0, memory_budget=1, **options)
        assert isinstance(fused._passes, FusedPasses)
        np.testing.assert_allclose(fused.degrees, plain.degrees, rtol=5e-6)
        expected = plain.matmat(block.double())
        assert relative_error(fused.matmat(block), expected, block) <= bound


# Compiled for compute capability 9.0 by Triton's own assembler: no GPU is needed for that.
COMPILE = """
import re, subprocess, sys, tempfile
from pathlib import Path
import triton
from triton.backends.compiler import GPUTarget
from fairspectral.affinity import fused_kernels, torch_fused

TOOL = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"

def compiled(launch, kind, features, width, half, degree=0):
    signature = {"rows": "*fp32", "squares": "*fp32", "block": "*fp16" if half else "*fp32",
                 "out": "*fp32", "n_padded": "i32", "row_step": "i32", "feature_step": "i32",
                 "offset": "fp32", "shift": "fp32"}
    constants = dict(KIND=kind, DEGREE=degree, FEATURES=features, DEPTH=min(32, features),
                     WIDTH=width, HALF=half, ROWS=launch.rows, COLUMNS=launch.columns)
    signature |= dict.fromkeys(constants, "constexpr")
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(6)}
    source = triton.compiler.ASTSource(
        fn=fused_kernels.multiply, signature=signature, constexprs=constants, attrs=aligned)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32),
                          options={"num_warps": launch.warps, "num_stages": launch.stages})

for launch, *case in (
    (torch_fused._NARROW, 0, 16, 32, True),
    (torch_fused._OTHERS, 0, 16, 64, False),
    (torch_fused._OTHERS, 2, 8, 64, False),
    (torch_fused._OTHERS, 3, 128, 32, False, 3),
):
    code = compiled(launch, *case)
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(code.asm["cubin"])
        used = subprocess.run([TOOL, "-res-usage", file.name], capture_output=True, text=True)
    print(*re.findall(r"STACK:(\\d+)", used.stdout), code.metadata.shared,
          code.asm["ptx"].count("wgmma.mma_async"))
"""


def test_the_kernels_compile_for_hopper_and_stay_in_its_registers():
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COMPILE],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    lines = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(lines) == 4
    for spilled, shared, tensor_cores in lines:
        assert spilled == 0
        assert shared <= 99 * 1024  # of any GPU since Ampere
        assert tensor_cores > 0
