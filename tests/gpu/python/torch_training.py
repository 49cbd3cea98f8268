# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
"""A training that gives the same bits each time; the loader's processes are forked after CUDA has begun."""
import os

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import torch  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

torch.manual_seed(1)
torch.use_deterministic_algorithms(True)
torch.set_num_threads(4)
images, labels = torch.randn(2048, 1, 16, 16), torch.randint(0, 10, (2048,))
layers = torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 14 * 14, 10)
net = torch.nn.Sequential(*layers).cuda()
step = torch.optim.SGD(net.parameters(), lr=0.1)
order = torch.Generator()
order.manual_seed(2)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(images, labels), batch_size=64, shuffle=True, num_workers=2, generator=order, pin_memory=True):
        loss = torch.nn.functional.cross_entropy(net(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        step.zero_grad()
        loss.backward()
        step.step()
    print("epoch", epoch, loss.item().hex())
