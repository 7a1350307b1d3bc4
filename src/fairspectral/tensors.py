"""Torch tensors as input, and the device that a user asks for.

torch is imported only where a tensor is given or a device is asked for.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

_INSTALL = "pip install 'fairspectral[gpu]'"
_CUDA = re.compile(r"cuda(:\d+)?")


class Place(NamedTuple):
    """Where the affinities are computed.

    ``device`` is a device of torch, or None for numpy on the host; ``words`` say what
    ``device="auto"`` found where that is not what one hopes for.
    """

    device: Any = None
    words: str = ""


HOST = Place()


def is_tensor(value: Any) -> bool:
    """Whether a value is a torch tensor; torch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def on_host(value: Any) -> Any:
    """A tensor as an array of numpy or a CSR matrix of scipy, and a dict of tensors likewise.

    Anything else comes back as it is.
    """
    if isinstance(value, Mapping) and any(map(is_tensor, value.values())):
        return {name: on_host(one) for name, one in value.items()}
    if not is_tensor(value):
        return value
    import torch

    check_tensor(value)
    value = value.detach()
    if value.layout != torch.strided and (value.ndim != 2 or value.dense_dim()):
        value = value.to_dense()  # scipy has matrices of single numbers only
    if value.layout == torch.strided:
        value = value.resolve_conj().resolve_neg().cpu()
        # numpy has neither bfloat16 nor numbers of 8 bits.
        known = value.dtype == torch.float16 or not _short(value)
        return (value if known else value.float()).numpy()
    coo = value.to_sparse_coo().cpu()
    coo = (coo.float() if _short(coo) else coo).coalesce()  # scipy has no float16 either
    rows, columns = coo.indices().numpy()
    values = coo.values().resolve_conj().resolve_neg().numpy()
    return sp.csr_array((values, (rows, columns)), shape=tuple(value.shape))


def _short(value: Any) -> bool:
    """Whether a tensor has floating-point numbers of less than 32 bits."""
    return bool(value.is_floating_point() and value.element_size() < 4)


def check_tensor(value: Any, name: str = "a tensor") -> None:
    """Refuse tensors without numbers that can be read; anything else passes."""
    if not is_tensor(value):
        return
    if value.is_nested:
        raise TypeError(
            f"{name} is a nested tensor, whose rows may differ in length; pass a plain one, such "
            "as torch.nested.to_padded_tensor(...)."
        )
    if value.is_quantized:
        raise TypeError(f"{name} is a quantized tensor; pass its numbers, with dequantize().")
    if value.is_meta:
        raise TypeError(f"{name} is a tensor on the meta device, without numbers; pass data.")


def to_tensor(array: np.ndarray) -> Any:
    """An array as a tensor that shares its memory where torch can.

    It has no numbers of more than 64 bits, of the other byte order or with negative strides, and
    warns of read-only memory.
    """
    import torch

    kind = array.dtype
    if not kind.isnative or (kind.kind == "f" and kind.itemsize > 8):
        array = array.astype(kind.newbyteorder("=") if kind.itemsize <= 8 else np.float64)
    return torch.from_numpy(np.require(array, requirements=["C", "W"]))


def _name_of(device: Any) -> str | None:
    """The name of a device, which may be given as torch's; what is not one is refused."""
    torch = sys.modules.get("torch")
    if device is None:
        return None
    if torch is not None and isinstance(device, torch.device):
        device = "cpu" if device.type == "cpu" else str(device)
    known = isinstance(device, str) and (device in ("cpu", "auto") or _CUDA.fullmatch(device))
    if not known:
        raise ValueError(
            f"device={device!r} is not a device; pass 'cpu', 'cuda', 'cuda:1' for the second GPU, "
            "or 'auto' for a GPU if there is one."
        )
    return str(device)


def choose_place(device: Any, X: Any = None, *, on_workers: bool = False) -> Place:
    """Where to compute, by what the user asked for and where the data are.

    Parameters
    ----------
    device : str, device of torch or None
        ``"cpu"``, ``"cuda"``, ``"cuda:N"``, ``"auto"``; None is where the data are.
    X : any
        The data. Tensors are computed with by torch, on the CPU too; all else by numpy, unless a
        GPU was asked for.
    on_workers : bool
        Whether the data are with the workers of a cluster, where ``"auto"`` looks for no GPU.
    """
    device = _name_of(device)
    if on_workers and device == "auto":
        return HOST
    if device is None or device == "cpu":
        if not is_tensor(X):
            return HOST
        return Place(X.device if device is None else _device("cpu"))
    trouble = _no_cuda(device)
    if not trouble:
        return Place(_device("cuda" if device == "auto" else device))
    if device != "auto":
        raise trouble
    words = "device='auto' found no usable GPU, so everything is computed on the CPU."
    return Place(_device("cpu") if is_tensor(X) else None, words)


def _device(name: str) -> Any:
    import torch

    index = torch.cuda.current_device() if name == "cuda" else None
    return torch.device(name if index is None else f"cuda:{index}")


def _no_cuda(device: str) -> Exception | None:
    """Why a GPU cannot be used, in a sentence; None where it can."""
    instead = "or pass device='auto', which uses the CPU where there is no GPU"
    try:
        import torch
    except ImportError:
        return ImportError(f"device={device!r} needs torch; install it with {_INSTALL}, {instead}.")
    if not torch.cuda.is_available():
        return ValueError(
            f"device={device!r} needs a GPU with CUDA, and torch {torch.__version__} finds none; "
            f"check its driver and that torch was built for CUDA, {instead}."
        )
    count, number = torch.cuda.device_count(), int(device.partition(":")[2] or 0)
    if device != "auto" and number >= count:
        return ValueError(
            f"device={device!r} is not there: this machine has {count} GPU(s), numbered from 0; "
            f"pass one of them, {instead}."
        )
    return None


def free_bytes(device: Any) -> int:
    """Memory that is free on a GPU now, with what torch keeps for its next tensors."""
    import torch

    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(torch.cuda.mem_get_info(device)[0] + kept)
