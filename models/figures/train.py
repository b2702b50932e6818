"""Trains the network that sees figures on made-up patches (data.py makes them).

Takes what shards there are, turned and mirrored at random, and looks for more from time to
time: as many may draw meanwhile as there are cores. The learning rate falls to nothing by the
last step or minute; what is measured and kept is the running mean of the weights. Progress is
kept in the folder."""

import argparse
import copy
import math
import sys
import time
from pathlib import Path

try:
    import cv2
    import numpy as np
    import onnxscript  # noqa: F401  (export needs it; say so before the work)
    import torch
except ImportError as missing:
    if "--smoke" in sys.argv:
        print(f"skipped: {missing.name} is not installed (models/figures/requirements.txt)")
        sys.exit(0)
    raise

import data
from export import export
from network import GRID, Figures
from pieces import CLASSES

HERE = Path(__file__).parent
RATE = 4e-3
# What is kept of a patch, in the order that `turned` takes it.
PARTS = ("planes", "lean", "heat", "mask", "weight")
# Patches of a batch that come from one shard, and are turned alike.
ALIKE = 16
# What a peak must have to be a figure when the network is measured.
SURE = 0.4
# How near to its foot, in places of the map.
NEAR = 2.5


def turned(batch, k, mirror):
    """A batch turned by k quarters, and mirrored, with its lean."""
    planes, lean, heat, mask, weight = batch
    maps = [torch.rot90(m, k, (-2, -1)) for m in (planes, heat, mask, weight)]
    x, y = lean[:, 0], lean[:, 1]
    for _ in range(k):
        x, y = y, -x
    if mirror:
        maps = [m.flip(-1) for m in maps]
        x = -x
    planes, heat, mask, weight = maps
    return planes, torch.stack([x, y], 1), heat, mask, weight


def as_floats(batch):
    """A batch as the network and its loss take it."""
    planes, lean, heat, mask, weight = batch
    return (
        planes.float().div(data.SCALE).contiguous(memory_format=torch.channels_last),
        lean.float(),
        heat.float() / 250,
        mask.float() / 250,
        weight.float(),
    )


def on_device(shard, device):
    """The arrays of a shard as tensors."""
    return [torch.from_numpy(shard[part]).to(device) for part in PARTS]


def loss_of(logits, heat, mask, weight):
    """Focal loss of the feet as of CenterNet, and cross-entropy of what is covered."""
    p, log_p = torch.sigmoid(logits[:, :-1]), torch.nn.functional.logsigmoid(logits[:, :-1])
    log_q = torch.nn.functional.logsigmoid(-logits[:, :-1])
    peak = heat.amax(dim=1, keepdim=True)
    top = torch.nn.functional.max_pool2d(heat, 3, stride=1, padding=1)
    hit = (heat >= 0.6) & (heat == top)
    positive = -((1 - p) ** 2 * log_p)[hit]
    negative = -((1 - heat) ** 4 * p**2 * log_q * weight[:, None])[~hit]
    feet = (positive.sum() + negative.sum()) / max(1, int(hit.sum()))
    cover = torch.nn.functional.binary_cross_entropy_with_logits(logits[:, -1], mask)
    return feet, cover


def peaks(p, floor):
    """Places, classes and heights of local maxima of [C, G, G] over `floor`."""
    best = p.max(0)
    ring = cv2.dilate(best, np.ones((3, 3), np.uint8))
    return [(x, y, int(p[:, y, x].argmax()), float(best[y, x])) for y, x in np.argwhere((best >= ring) & (best > floor))]


def measure(net, shard, device="cpu"):
    """Feet found, of the right class, of all; and false ones."""
    net.eval()
    found = right = total = false = 0
    with torch.no_grad():
        for at in range(0, len(shard["lean"]), 50):
            batch = as_floats([torch.from_numpy(shard[k][at : at + 50]).to(device) for k in PARTS])
            p = torch.sigmoid(net(batch[0], batch[1])[:, :-1]).float().cpu().numpy()
            heat, weight = batch[2].cpu().numpy(), batch[4].cpu().numpy()
            for i in range(len(p)):
                truth = peaks(heat[i], 0.6)
                seen = peaks(p[i], SURE)
                used = set()
                for x, y, kind, _ in truth:
                    if not (4 <= x < 20 and 4 <= y < 20):
                        continue
                    total += 1
                    near = [(math.hypot(s[0] - x, s[1] - y), j) for j, s in enumerate(seen) if j not in used]
                    if near and min(near)[0] <= NEAR:
                        j = min(near)[1]
                        used.add(j)
                        found += 1
                        right += seen[j][2] == kind
                for j, (x, y, *_rest) in enumerate(seen):
                    inside = 4 <= x < 20 and 4 <= y < 20
                    clear = all(math.hypot(t[0] - x, t[1] - y) > NEAR for t in truth)
                    false += int(j not in used and inside and clear and float(weight[i, y, x]) > 0)
    net.train()
    return f"feet found {found} of {total} ({100 * found / max(1, total):.1f} %), class right {100 * right / max(1, found):.1f} %, false {false} on {len(shard['lean'])} patches"


class Pool:
    """The shards of a folder on the device; those that come later are taken up too."""

    def __init__(self, folder, device):
        self.folder, self.device, self.shards, self.known = folder, device, [], set()

    def refresh(self, most=math.inf):
        """Takes up what is new, `most` shards at once."""
        fresh = [path for path in sorted(self.folder.glob("[0-9]*.npz")) if path.name not in self.known]
        for path in fresh[: min(most, len(fresh))]:
            self.known.add(path.name)
            with np.load(path) as shard:
                self.shards.append(on_device(shard, self.device))

    def batch(self, rng, count):
        """`count` patches, ALIKE of a shard."""
        parts = []
        for _ in range(max(1, count // ALIKE)):
            shard = self.shards[int(rng.integers(len(self.shards)))]
            rows = torch.from_numpy(rng.integers(len(shard[1]), size=min(count, ALIKE))).to(self.device)
            parts.append(turned([part[rows] for part in shard], int(rng.integers(4)), rng.random() < 0.5))
        return as_floats([torch.cat(part) for part in zip(*parts)])


def train(pool, validation, folder, steps, minutes=math.inf, weights=None, rate=RATE, count=16, every=400):
    """Trains for `steps` or `minutes`, whichever end first; a step takes `count` patches.
    Returns the running mean of the weights."""
    device = pool.device
    net = Figures().to(device, memory_format=torch.channels_last)
    taken = 0
    if weights:
        saved = torch.load(weights, weights_only=True, map_location=device)
        net.load_state_dict(saved["net"])
        taken = saved["step"]
    mean_net = copy.deepcopy(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-4, fused=device != "cpu")
    rng = np.random.default_rng(taken)
    pool.refresh()
    while not pool.shards:
        time.sleep(0.5)
        pool.refresh()
    began, mean, step = time.time(), None, 0

    def keep():
        path = folder / "trained.new"
        torch.save({"net": mean_net.state_dict(), "step": taken + step}, path)
        path.replace(folder / "trained.pt")

    while (share := max(step / steps, (time.time() - began) / (60 * minutes))) < 1:
        if step % 20 == 19:
            pool.refresh(4)
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 100) * (0.002 + 0.998 * 0.5 * (1 + math.cos(math.pi * share)))
        planes, lean, heat, mask, weight = pool.batch(rng, count)
        with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=device != "cpu"):
            logits = net(planes, lean)
        feet, cover = loss_of(logits.float(), heat, mask, weight)
        optimiser.zero_grad(set_to_none=True)
        (feet + 2 * cover).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        with torch.no_grad():
            torch._foreach_lerp_(list(mean_net.parameters()), list(net.parameters()), max(0.002, 1 / step))
            for own, other in zip(mean_net.buffers(), net.buffers()):
                own.copy_(other)
        now = torch.stack([feet.detach(), cover.detach()])
        mean = now if mean is None else 0.98 * mean + 0.02 * now
        if step % every == 0:
            print(f"step {step}, {(time.time() - began) / 60:.1f} min, {len(pool.shards)} shards: {np.round(mean.cpu().numpy(), 3)}; {measure(mean_net, validation, device)}", flush=True)
            keep()
    print(f"step {taken + step}, {len(pool.shards)} shards: {measure(mean_net, validation, device)}", flush=True)
    keep()
    return mean_net


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE / "work" / "data")
    parser.add_argument("--folder", type=Path, default=HERE / "work")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--minutes", type=float, default=math.inf, help="ends by then; the rate falls sooner")
    parser.add_argument("--weights", type=Path, help="goes on from a saved state")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--patches", type=int, default=16, help="patches a step")
    parser.add_argument("--smoke", action="store_true", help="a few steps and an export, in a temporary folder")
    args = parser.parse_args()
    if args.smoke:
        import tempfile

        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shard = data.shard(1, 40, 1)
            np.savez(folder / "000.npz", **shard)
            net = train(Pool(folder, "cpu"), shard, folder, 3)
            export(net, folder / "model.onnx", "smoke test")
        print("the training code runs")
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    validation = args.data / "validation.npz"
    if not validation.exists():
        args.data.mkdir(parents=True, exist_ok=True)
        np.savez(validation, **data.shard(data.VALIDATION_SEED, data.SHARD))
    train(
        Pool(args.data, args.device), dict(np.load(validation)), args.folder, args.steps, args.minutes,
        args.weights, args.rate, args.patches, 400 if args.device == "cpu" else 1000,
    )  # fmt: skip


if __name__ == "__main__":
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    main()
