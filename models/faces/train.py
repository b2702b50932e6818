"""Trains the network that proposes faces on made-up decks.

Generators draw decks into work/decks (`--draw`); training takes what is there, turns,
mirrors and recolours it, and looks for more from time to time: as many may draw
meanwhile as there are cores. The learning rate falls to nothing by the last step or
minute; what is measured and kept is the running mean of the weights.
"""

import argparse
import copy
import math
import os
import sys
import time
from pathlib import Path

try:
    import cv2
    import numpy as np
    import onnx
    import onnxscript  # noqa: F401  (export needs it; say so before the work)
    import torch
    from onnx import numpy_helper
    from torch.nn import functional
except ImportError as missing:
    if "--smoke" in sys.argv:
        print(f"skipped: {missing.name} is not installed (models/faces/requirements.txt)")
        sys.exit(0)
    raise

import art
from export import export
from layout import CASTLE, CLASSIC, HALVES, MIDDLES
from net import CLASSES, KINDS, FaceNet

HERE = Path(__file__).parent
TILES = 16
DECKS_A_FILE = 12
CLASSIC_SHARE = 0.25
ALLOWED = np.ones((2, CLASSES), np.float32)
ALLOWED[CASTLE, [3, 8, 9]] = 0
ALLOWED[CLASSIC, [1, 2, 5, 6]] = 0


def draw(folder: Path, first: int, files: int):
    """Writes files of DECKS_A_FILE decks; file number k always holds the same decks."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + files):
        path = folder / f"{number:05}.npz"
        if path.exists():
            continue
        rng = np.random.default_rng([20_000_000, number])
        games = [CLASSIC if rng.random() < CLASSIC_SHARE else CASTLE for _ in range(DECKS_A_FILE)]
        decks = [art.random_deck(rng, TILES, game) for game in games]
        arrays = [np.stack(a) for a in zip(*decks)]
        with open(folder / f"{number:05}.new", "wb") as file:
            np.savez(file, *arrays, games=np.array(games, np.uint8))
        os.replace(folder / f"{number:05}.new", path)


def load(path: Path, device="cpu"):
    """The decks of a file: each its six arrays, see `art.random_deck`, and its game."""
    with np.load(path) as file:
        arrays = [torch.from_numpy(file[f"arr_{i}"]).to(device) for i in range(6)]
        games = file["games"]
    return [(*(a[k] for a in arrays), int(games[k])) for k in range(len(games))]


def turned(arrays, turns: int, mirror: bool):
    """The arrays of decks [B, N, ...], stacked, turned clockwise by quarter turns after
    mirroring left and right."""
    pictures, dense, edges, kinds, blocks, marks = arrays
    if mirror:
        pictures, dense, edges = (a.flip(3) for a in (pictures, dense, edges))
        back = [(2 - p) % 12 for p in range(12)]
        kinds, blocks, marks = (a[..., back] for a in (kinds, blocks, marks))
    pictures, dense, edges = (torch.rot90(a, -turns, (2, 3)) for a in (pictures, dense, edges))
    roll = lambda a: torch.roll(a, 3 * turns, dims=-1)
    return pictures, dense, edges, roll(kinds), roll(blocks), roll(marks)


def recoloured(rng, pictures):
    """Decks [B, N, SIDE, SIDE, 3] under another light: gain and gamma of each channel; at
    times a deck's colours are exchanged or mixed, its tiles photographed one by one, all
    of them softer. Floats."""
    decks, tiles = pictures.shape[:2]
    on = lambda array: torch.from_numpy(np.asarray(array, np.float32)).to(pictures.device)
    mix = np.tile(np.eye(3), (decks, 1, 1))
    for matrix in mix:
        way = rng.random()
        if way < 0.15:
            matrix[:] = matrix[rng.permutation(3)]
        elif way < 0.55:
            matrix += rng.normal(0, 0.25, (3, 3))
            matrix /= np.maximum(0.6, np.abs(matrix.sum(0)))
    x = (pictures.float() / 255 - 0.5) @ on(mix)[:, None, None] + 0.5
    each = lambda low, high, spread: rng.uniform(low, high, (decks, 1)) * rng.uniform(1 - spread, 1 + spread, (decks, 3))
    gamma, gain = on(each(0.8, 1.25, 0.08)), on(each(0.8, 1.15, 0.07))
    x = x.clamp(0, 1) ** gamma[:, None, None, None] * gain[:, None, None, None]
    # Loose photos: each tile in a light of its own, that falls off to one side.
    loose = (rng.random((decks, 1)) < 0.4) * rng.uniform(0, 1, (decks, 1))
    own = np.exp(loose[..., None] * (rng.normal(0, 0.12, (decks, tiles, 1)) + rng.normal(0, 0.05, (decks, tiles, 3))))
    slope = on(loose[..., None] * rng.normal(0, 0.2, (decks, tiles, 2)))
    at = torch.linspace(-0.5, 0.5, pictures.shape[2], device=pictures.device)
    fall = 1 + slope[..., 0, None, None] * at[:, None] + slope[..., 1, None, None] * at
    x = x * on(own)[:, :, None, None] * fall[..., None]
    x = x.flatten(0, 1).permute(0, 3, 1, 2)
    if rng.random() < 0.3:
        reach = np.exp(-0.5 * (np.arange(-3, 4) / rng.uniform(0.4, 1.1)) ** 2)
        kernel = on(reach / reach.sum()).expand(3, 1, 1, 7)
        for k in (kernel, kernel.transpose(2, 3)):
            x = functional.conv2d(functional.pad(x, (k.shape[3] // 2,) * 2 + (k.shape[2] // 2,) * 2, "replicate"), k, groups=3)
    grain = on(rng.uniform(0, 0.03, decks) * (rng.random(decks) < 0.5)).repeat_interleave(tiles)
    return (x + grain[:, None, None, None] * torch.randn_like(x)).clamp(0, 1.2)


def batch(rng, decks, tiles):
    """Tensors of several decks of `tiles` tiles each, all turned alike."""
    parts = [[] for _ in range(6)]
    for deck in decks:
        keep = torch.from_numpy(rng.permutation(len(deck[0]))[:tiles]).to(deck[0].device)
        for part, array in zip(parts, deck):
            part.append(array[keep])
    arrays = turned([torch.stack(part) for part in parts], int(rng.integers(4)), rng.random() < 0.5)
    pictures = recoloured(rng, arrays[0]).contiguous(memory_format=torch.channels_last)
    truth = [a.flatten(0, 1).long() for a in arrays[1:]]
    allowed = torch.from_numpy(ALLOWED[[deck[6] for deck in decks]]).to(pictures.device)
    return pictures, allowed, truth


def losses(net, data, decks):
    """The losses: dense twice, edges, kinds, lines, joins, marks; and the shares right:
    halves, lines, and tiles with all kinds, lines and joins right."""
    pictures, allowed, (dense, edges, kinds, blocks, marks) = data
    with torch.autocast(pictures.device.type, torch.bfloat16, enabled=torch.is_grad_enabled()):
        said = net(pictures, allowed, decks)
    guess, second, edge_logits, kind_logits, line_logits, join_logits, mark_logits = (logits.float() for logits in said)
    half, middle = (torch.tensor(ports, device=pictures.device) for ports in (HALVES, MIDDLES))
    dense_loss = 0.4 * functional.cross_entropy(guess, dense) + functional.cross_entropy(second, dense)
    drawn = edges.float()
    edge_loss = functional.binary_cross_entropy_with_logits(edge_logits[:, 0], drawn, 1 + 3 * drawn)
    kind_loss = functional.cross_entropy(kind_logits[:, half].flatten(0, 1), kinds[:, half].flatten())
    lines = (kinds[:, middle] >= 0).float()
    line_loss = functional.binary_cross_entropy_with_logits(line_logits, lines)
    same = (blocks[:, :, None] == blocks[:, None, :]).float()
    is_half = torch.zeros(12, dtype=torch.bool, device=pictures.device)
    is_half[half] = True
    there = blocks >= 0
    pairs = there[:, :, None] & there[:, None, :] & (is_half[:, None] == is_half[None, :])
    pairs = pairs & torch.ones(12, 12, dtype=torch.bool, device=pictures.device).triu(1)
    # Unlike kinds are easily apart; hard is what lies beside a line that ends blindly.
    weight = 0.3 + 1.7 * (kinds[:, :, None] == kinds[:, None, :]).float()
    alone = (same[:, middle][:, :, middle].sum(2) == 1) & there[:, middle] & (marks[:, 2, middle] == 0)
    weight[:, middle - 1, middle + 1] += 4 * alone.float()
    join_loss = functional.binary_cross_entropy_with_logits(join_logits[pairs], same[pairs], weight[pairs])
    applies = torch.stack([is_half, ~is_half, ~is_half, is_half, torch.ones_like(is_half)])
    applies = applies[None] & (there[:, None, :] | (torch.arange(5, device=pictures.device) == 4)[None, :, None])
    mark_loss = functional.binary_cross_entropy_with_logits(mark_logits[applies], marks[applies].float())
    with torch.no_grad():
        kind_hits = kind_logits[:, half].argmax(2) == kinds[:, half]
        line_hits = (line_logits > 0) == (lines > 0)
        joins_hit = (((join_logits > 0) == (same > 0)) | ~pairs).flatten(1).all(1)
        marks_hit = (((mark_logits > 0) == (marks > 0)) | ~applies).flatten(1).all(1)
        faces = kind_hits.all(1) & line_hits.all(1) & joins_hit & marks_hit
        shares = [kind_hits.float().mean(), line_hits.float().mean(), joins_hit.float().mean(), marks_hit.float().mean(), faces.float().mean()]
    return [dense_loss, edge_loss, kind_loss, line_loss, join_loss, mark_loss], shares


def validate(net, decks):
    """Over decks that training never takes, each as one whole."""
    rng = np.random.default_rng(5)
    totals = []
    with torch.no_grad():
        for deck in decks:
            values, shares = losses(net, batch(rng, [deck], TILES), 1)
            totals.append([float(v) for v in values + shares])
    return np.round(np.mean(totals, 0), 4)


def read_weights(path: Path) -> dict:
    """The weights of a network that was exported, as a state of `FaceNet`."""
    stored = {t.name.removesuffix("_half"): t for t in onnx.load(path).graph.initializer}
    names = FaceNet().state_dict()
    missing = sorted(set(names) - set(stored))
    if missing:
        raise SystemExit(f"{path} is no network of faces, it has no {missing[0]}; name an exported model.onnx")
    return {name: torch.from_numpy(numpy_helper.to_array(stored[name]).astype(np.float32)) for name in names}


def train(steps, folder, every, held_back, peak=2e-3, start=None, minutes=math.inf, device="cpu", count=4, most_decks=60_000):
    """Trains for `steps` in all or `minutes`, from `start` (an exported model.onnx) if one is
    given; `peak` is the highest learning rate, a step takes about 14 tiles of `count` decks."""
    net = FaceNet().to(device, memory_format=torch.channels_last)
    if start is not None:
        net.load_state_dict(read_weights(start))
    mean_net = copy.deepcopy(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=peak, weight_decay=1e-3)
    rng = np.random.default_rng(1_000_000)
    known, pool, validation, mean, began, step = set(), [], [], None, time.time(), 0

    def refresh(most):
        fresh = [path for path in sorted((folder / "decks").glob("*.npz")) if path.name not in known]
        for path in fresh[:most]:
            known.add(path.name)
            decks = load(path, device)
            if len(validation) < held_back:
                validation.extend(decks)
            elif len(pool) < most_decks:
                pool.extend(decks)

    refresh(1000)
    if not pool:
        print(f"waits for decks in {folder / 'decks'}; draw some with --draw", flush=True)
    while not pool:
        time.sleep(0.2)
        refresh(1000)
    while (share := max(step / steps, (time.time() - began) / (60 * minutes))) < 1:
        if step % 10 == 9:
            refresh(4)
        few = rng.random()
        tiles, decks = (14, count) if few < 0.8 else (7, 2 * count) if few < 0.96 else (2, 2 * count)
        rate = peak * min(1, (step + 1) / 300) * (0.005 + 0.995 * 0.5 * (1 + math.cos(math.pi * share)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        chosen = [pool[int(i)] for i in rng.integers(len(pool), size=decks)]
        values, shares = losses(net, batch(rng, chosen, tiles), decks)
        loss = 0.4 * values[0] + 3 * values[1] + values[2] + values[3] + 2.5 * values[4] + 1.5 * values[5]
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        step += 1
        with torch.no_grad():
            torch._foreach_lerp_(list(mean_net.parameters()), list(net.parameters()), max(0.002, 1 / step))
        now = torch.stack([v.detach().float() for v in values + shares])
        mean = now if mean is None else 0.97 * mean + 0.03 * now
        if step % every == 0:
            speed = step / (time.time() - began)
            print(f"step {step}: {np.round(mean.cpu().numpy(), 3)}, {len(pool)} decks, {speed:.2f} steps/s", flush=True)
            torch.save({"net": mean_net.state_dict(), "step": step}, folder / "state.new")
            (folder / "state.new").replace(folder / "trained.pt")
            if step % (10 * every) == 0:
                print(f"  held back: {validate(mean_net, validation)}", flush=True)
    print(f"step {step}, held back: {validate(mean_net, validation)}, {len(pool)} decks", flush=True)
    torch.save({"net": mean_net.state_dict(), "step": step}, folder / "trained.pt")
    return mean_net


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--minutes", type=float, default=math.inf, help="ends by then; the rate falls sooner")
    parser.add_argument("--from", dest="start", type=Path, metavar="MODEL", help="begin with the weights of this model.onnx")
    parser.add_argument("--rate", type=float, default=2e-3, help="the highest learning rate")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--decks", type=int, default=4, help="decks a step, of 14 tiles")
    parser.add_argument("--folder", type=Path, default=HERE / "work")
    parser.add_argument("--draw", type=int, metavar="FILES", help=f"draw files of {DECKS_A_FILE} decks and end")
    parser.add_argument("--first", type=int, default=0, help="the first file to draw")
    parser.add_argument("--smoke", action="store_true", help="a few steps and an export, in a temporary folder")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if args.smoke:
        import tempfile

        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            rng = np.random.default_rng(3)
            (folder / "decks").mkdir()
            for k in range(2):
                decks = [art.random_deck(rng, 3, game) for game in (CASTLE, CLASSIC)]
                np.savez(folder / "decks" / f"{k}.npz", *[np.stack(a) for a in zip(*decks)], games=np.array([0, 1], np.uint8))
            net = train(2, folder, 1, 2, count=2)
            export(net, folder / "model.onnx", "smoke test")
        print("the training code runs")
    elif args.draw:
        draw(args.folder / "decks", args.first, args.draw)
    else:
        train(
            args.steps, args.folder, 25 if args.device == "cpu" else 250, 4 * DECKS_A_FILE, args.rate, args.start,
            args.minutes, args.device, args.decks,
        )  # fmt: skip


if __name__ == "__main__":
    main()
