"""What this machine can do, and the settings that follow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


ENVIRONMENT = {
    # Sentences come in many lengths, and each product's shape is compiled once (oneDNN).
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "4096",
}
"""What torch's libraries read when they are loaded (docs/performance.md)."""


def tune_environment() -> None:
    """Sets what a person has not set; works only before torch is imported."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def device(wanted: str) -> torch.device:
    """The device to run on; auto takes a GPU if there is one."""
    import torch

    if wanted == "auto":
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(wanted)


def precision(wanted: str, on: torch.device) -> torch.dtype:
    """Format of products; auto takes bfloat16 where the machine computes in it."""
    import torch

    if wanted == "float32":
        return torch.float32
    if wanted == "bfloat16" or _computes_bfloat16(on):
        return torch.bfloat16
    return torch.float32


def _computes_bfloat16(on: torch.device) -> bool:
    import torch

    if on.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    # A machine with AMX has these instructions too. Before torch 2.6 one could not ask.
    supported = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return torch.backends.mkldnn.is_available() and bool(supported())


def cores() -> int:
    """CPU cores this process may use."""
    may_use = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return may_use or 1


def use_threads(wanted: int | None) -> int:
    """Sets torch's number of CPU threads; all cores this process may use if none is wanted."""
    import torch

    threads = wanted or cores()
    torch.set_num_threads(threads)
    return threads


def keep_freed_memory() -> None:
    """Tells glibc to keep freed memory instead of handing every large block back at once.

    A training step frees and asks for the same large blocks again; mapping them anew costs
    thousands of page faults an update (docs/performance.md). Elsewhere this does nothing.
    """
    import ctypes

    trim_threshold, mmap_threshold = -1, -3  # malloc.h: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(mmap_threshold, 1 << 30)
        libc.mallopt(trim_threshold, 1 << 30)
    except (OSError, AttributeError):
        return


def peak_memory() -> int:
    """Most memory this process has held so far, in bytes; 0 where it cannot be told."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if os.uname().sysname == "Darwin" else used * 1024
