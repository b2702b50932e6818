"""Trains the network that sees figures on made-up patches (data.py makes them).

Takes what shards there are, turned and mirrored at random; the learning rate falls to
nothing by the last step. Progress is kept in the folder."""

import argparse
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
BATCH = 16
RATE = 4e-3
# What a peak must have to be a figure when the network is measured.
SURE = 0.4
# How near to its foot, in places of the map.
NEAR = 2.5


def turned(batch, k, mirror):
    """A batch turned by k quarters, and mirrored, with its lean."""
    planes, lean, heat, mask, weight = batch
    maps = [np.rot90(m, k, axes=(-2, -1)) for m in (planes, heat, mask, weight)]
    x, y = lean[:, 0], lean[:, 1]
    for _ in range(k):
        x, y = y, -x
    if mirror:
        maps = [m[..., ::-1] for m in maps]
        x = -x
    planes, heat, mask, weight = maps
    return planes, np.stack([x, y], 1), heat, mask, weight


def tensors(batch):
    planes, lean, heat, mask, weight = (torch.from_numpy(np.ascontiguousarray(part)) for part in batch)
    return (
        planes.float().div(data.SCALE).contiguous(memory_format=torch.channels_last),
        lean.float(),
        heat.float() / 250,
        mask.float() / 250,
        weight.float(),
    )


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


def measure(net, shard):
    """Feet found, of the right class, of all; and false ones."""
    net.eval()
    found = right = total = false = 0
    inner = slice(4, 20)
    with torch.no_grad():
        for at in range(0, len(shard["lean"]), 50):
            batch = tensors([shard[k][at : at + 50] for k in ("planes", "lean", "heat", "mask", "weight")])
            p = torch.sigmoid(net(batch[0], batch[1])[:, :-1]).numpy()
            for i in range(len(p)):
                truth = peaks(batch[2][i].numpy(), 0.6)
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
                    false += int(j not in used and inside and clear and float(batch[4][i, y, x]) > 0)
    net.train()
    return f"feet found {found} of {total} ({100 * found / max(1, total):.1f} %), class right {100 * right / max(1, found):.1f} %, false {false} on {len(shard['lean'])} patches"


class Pool:
    """The shards of a folder; those that come later are taken up too."""

    def __init__(self, folder):
        self.folder, self.shards = folder, {}

    def refresh(self):
        for path in sorted(self.folder.glob("[0-9]*.npz")):
            if path.name not in self.shards:
                self.shards[path.name] = dict(np.load(path))
        return list(self.shards.values())

    def batch(self, rng, shards):
        shard = shards[int(rng.integers(len(shards)))]
        rows = rng.choice(len(shard["lean"]), BATCH, replace=False)
        parts = [shard[k][rows] for k in ("planes", "lean", "heat", "mask", "weight")]
        return tensors(turned(parts, int(rng.integers(4)), rng.random() < 0.5))


def train(shards_of, validation, folder, steps, minutes=math.inf, weights=None, rate=RATE):
    net = Figures().to(memory_format=torch.channels_last)
    taken = 0
    if weights:
        saved = torch.load(weights, weights_only=True)
        net.load_state_dict(saved["net"])
        taken = saved["step"]
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-4)
    rng = np.random.default_rng(taken)
    began, mean, step = time.time(), None, 0
    shards = shards_of.refresh()
    while (share := max(step / steps, (time.time() - began) / (60 * minutes))) < 1:
        if step % 100 == 99:
            shards = shards_of.refresh()
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 100) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * share)))
        planes, lean, heat, mask, weight = shards_of.batch(rng, shards)
        feet, cover = loss_of(net(planes, lean), heat, mask, weight)
        optimiser.zero_grad(set_to_none=True)
        (feet + 2 * cover).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        now = np.array([float(feet.detach()), float(cover.detach())])
        mean = now if mean is None else 0.98 * mean + 0.02 * now
        if step % 400 == 0:
            print(f"step {step}, {(time.time() - began) / 60:.1f} min, {len(shards)} shards: {np.round(mean, 3)}; {measure(net, validation)}", flush=True)
            torch.save({"net": net.state_dict(), "step": taken + step}, folder / "trained.pt")
    torch.save({"net": net.state_dict(), "step": taken + step}, folder / "trained.pt")
    print(f"step {taken + step}: {measure(net, validation)}", flush=True)
    return net


class Few:
    """One small shard, for the smoke test."""

    def __init__(self, shard):
        self.shard = shard
        self.batch = lambda rng, shards: Pool.batch(self, rng, shards)

    def refresh(self):
        return [self.shard]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE / "work" / "data")
    parser.add_argument("--folder", type=Path, default=HERE / "work")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--minutes", type=float, default=math.inf, help="ends by then; the rate falls sooner")
    parser.add_argument("--weights", type=Path, help="goes on from a saved state")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--smoke", action="store_true", help="a few steps and an export, in a temporary folder")
    args = parser.parse_args()
    if args.smoke:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            shard = data.shard(1, 40, 1)
            net = train(Few(shard), shard, Path(folder), 3)
            export(net, Path(folder) / "model.onnx", "smoke test")
        print("the training code runs")
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    validation = args.data / "validation.npz"
    if not validation.exists():
        np.savez(validation, **data.shard(data.VALIDATION_SEED, data.SHARD))
    train(Pool(args.data), dict(np.load(validation)), args.folder, args.steps, args.minutes, weights=args.weights, rate=args.rate)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    main()
