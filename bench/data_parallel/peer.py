"""One rank of a training with PyTorch's DistributedDataParallel over Gloo; see bench/data_parallel.sh.

peer.py ddp|none small|large STEPS: rank 0 prints the median of its steps in milliseconds.
"""
import statistics
import sys
import time

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

MODELS = {"small": ([784, 256, 256, 10], 64), "large": ([2048] * 7 + [10], 8)}


def network(widths):
    layers = []
    for i, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        if i > 0:
            layers.append(torch.nn.ReLU())
        layers.append(torch.nn.Linear(inputs, outputs))
    return torch.nn.Sequential(*layers)


def main():
    mode, name, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    widths, batch = MODELS[name]
    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo")
    net = network(widths)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9)
    model = DistributedDataParallel(net, gradient_as_bucket_view=True) if mode == "ddp" else net
    rows, labels = torch.randn(batch, widths[0]), torch.randint(widths[-1], (batch,))
    times = []
    for step in range(steps):
        start = time.perf_counter()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(rows), labels).backward()
        optimizer.step()
        if step >= steps // 5:
            times.append((time.perf_counter() - start) * 1000)
    if torch.distributed.get_rank() == 0:
        print(f"{statistics.median(times):.3f}")


main()
