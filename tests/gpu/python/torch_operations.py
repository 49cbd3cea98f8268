# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
"""PyTorch's operations on three streams, and a graph. With PROFILE=1 prints the kernels that PyTorch's own profiler counts."""
import os

import torch
from torch.profiler import ProfilerActivity, profile


def work():
    a = torch.ones(1 << 16, device="cuda")
    streams = [torch.cuda.Stream() for _ in range(3)]
    host = torch.empty(1 << 16, pin_memory=True)
    torch.cuda.synchronize()
    for i in range(200):
        with torch.cuda.stream(streams[i % 3]):
            b = a * 2 + i
            (b @ b).relu()
            host.copy_(b, non_blocking=True)
    torch.cuda.synchronize()
    graph, z = torch.cuda.CUDAGraph(), torch.zeros(1024, device="cuda")
    with torch.cuda.graph(graph):
        for _ in range(10):
            z.add_(1)
    for _ in range(50):
        graph.replay()
    torch.cuda.synchronize()
    print("graph", z[0].item(), "streams", b[5].item())


if os.environ.get("PROFILE"):
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        work()
    names = [event.name for event in seen.events() if str(event.device_type).endswith("CUDA")]
    print("kernels", sum(not name.startswith(("Memcpy", "Memset")) for name in names))
else:
    work()
