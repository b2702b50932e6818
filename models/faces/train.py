"""Trains the network that proposes faces on made-up decks.

A generator draws decks into work/decks (`--draw`); training takes what is there,
turns and mirrors it, and looks for more from time to time. Progress is kept in
work/state.pt; a run that was stopped goes on from there.
"""

import argparse
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
TILES = 14
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


def load(path: Path):
    with np.load(path) as file:
        arrays = [file[f"arr_{i}"] for i in range(6)]
        games = file["games"]
    return [(*(a[k] for a in arrays), int(games[k])) for k in range(len(games))]


def turned(deck, turns: int, mirror: bool):
    """A deck turned clockwise by quarter turns, after mirroring left and right."""
    pictures, dense, edges, kinds, blocks, marks, game = deck
    if mirror:
        pictures, dense, edges = pictures[:, :, ::-1], dense[:, :, ::-1], edges[:, :, ::-1]
        back = [(2 - p) % 12 for p in range(12)]
        kinds, blocks, marks = kinds[:, back], blocks[:, back], marks[:, :, back]
    pictures, dense, edges = (np.rot90(a, -turns, (1, 2)) for a in (pictures, dense, edges))
    roll = lambda a: np.roll(a, 3 * turns, axis=-1)
    return pictures, dense, edges, roll(kinds), roll(blocks), roll(marks), game


def recoloured(rng, pictures):
    """The same deck under another light: gain and gamma of each channel; at times its
    colours are exchanged or mixed."""
    x = pictures.astype(np.float32) / 255
    way = rng.random()
    if way < 0.15:
        x = x[..., rng.permutation(3)]
    elif way < 0.55:
        mix = np.eye(3) + rng.normal(0, 0.25, (3, 3))
        x = (x - 0.5) @ (mix / np.maximum(0.6, np.abs(mix.sum(0)))).astype(np.float32) + 0.5
    gamma, gain = rng.uniform(0.8, 1.25) * rng.uniform(0.92, 1.08, 3), rng.uniform(0.8, 1.15) * rng.uniform(0.93, 1.07, 3)
    return np.clip(x, 0, 1) ** gamma.astype(np.float32) * gain.astype(np.float32)


def batch(rng, decks, tiles):
    """Tensors of several decks of `tiles` tiles each."""
    parts = [[] for _ in range(7)]
    for deck in decks:
        keep = rng.permutation(len(deck[0]))[:tiles]
        deck = turned(tuple(a[keep] for a in deck[:6]) + (deck[6],), int(rng.integers(4)), rng.random() < 0.5)
        parts[0].append(recoloured(rng, deck[0]))
        for i in range(1, 6):
            parts[i].append(deck[i])
        parts[6].append(ALLOWED[deck[6]])
    pictures = torch.from_numpy(np.ascontiguousarray(np.concatenate(parts[0]))).permute(0, 3, 1, 2)
    pictures = pictures.float().contiguous(memory_format=torch.channels_last)
    truth = [torch.from_numpy(np.ascontiguousarray(np.concatenate(p))).long() for p in parts[1:6]]
    return pictures, torch.from_numpy(np.stack(parts[6])), truth


def losses(net, data, decks):
    """The losses: dense twice, edges, kinds, lines, joins, marks; and the shares right:
    halves, lines, and tiles with all kinds, lines and joins right."""
    pictures, allowed, (dense, edges, kinds, blocks, marks) = data
    with torch.autocast("cpu", torch.bfloat16, enabled=torch.is_grad_enabled()):
        said = net(pictures, allowed, decks)
    guess, second, edge_logits, kind_logits, line_logits, join_logits, mark_logits = (logits.float() for logits in said)
    half, middle = torch.tensor(HALVES), torch.tensor(MIDDLES)
    dense_loss = 0.4 * functional.cross_entropy(guess, dense) + functional.cross_entropy(second, dense)
    drawn = edges.float()
    edge_loss = functional.binary_cross_entropy_with_logits(edge_logits[:, 0], drawn, 1 + 3 * drawn)
    kind_loss = functional.cross_entropy(kind_logits[:, half].flatten(0, 1), kinds[:, half].flatten())
    lines = (kinds[:, middle] >= 0).float()
    line_loss = functional.binary_cross_entropy_with_logits(line_logits, lines)
    same = (blocks[:, :, None] == blocks[:, None, :]).float()
    is_half = torch.zeros(12, dtype=torch.bool)
    is_half[half] = True
    there = blocks >= 0
    pairs = there[:, :, None] & there[:, None, :] & (is_half[:, None] == is_half[None, :])
    pairs = pairs & torch.ones(12, 12, dtype=torch.bool).triu(1)
    # Unlike kinds are easily apart; hard is what lies beside a line that ends blindly.
    weight = 0.3 + 1.7 * (kinds[:, :, None] == kinds[:, None, :]).float()
    alone = (same[:, middle][:, :, middle].sum(2) == 1) & there[:, middle] & (marks[:, 2, middle] == 0)
    weight[:, middle - 1, middle + 1] += 4 * alone.float()
    join_loss = functional.binary_cross_entropy_with_logits(join_logits[pairs], same[pairs], weight[pairs])
    applies = torch.stack([is_half, ~is_half, ~is_half, is_half, torch.ones(12, dtype=torch.bool)])
    applies = applies[None] & (there[:, None, :] | (torch.arange(5) == 4)[None, :, None])
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


def train(steps, folder, every, held_back, peak=3e-3, start=None, most_decks=6000):
    """Trains for `steps` in all, from `start` (an exported model.onnx) if one is given;
    `peak` is the highest learning rate."""
    torch.set_num_threads(1)
    net = FaceNet().to(memory_format=torch.channels_last)
    if start is not None:
        net.load_state_dict(read_weights(start))
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-4)
    first, saved_at = 0, folder / "state.pt"
    if saved_at.exists():
        saved = torch.load(saved_at, weights_only=True)
        net.load_state_dict(saved["net"])
        optimiser.load_state_dict(saved["optimiser"])
        first = saved["step"]
        print(f"goes on from step {first}", flush=True)
    rng = np.random.default_rng(1_000_000 + first)
    known, pool, validation, mean, began = set(), [], [], None, time.time()
    for step in range(first, steps):
        if step == first or step % 50 == 0:
            for path in sorted((folder / "decks").glob("*.npz")):
                if path.name in known:
                    continue
                known.add(path.name)
                decks = load(path)
                if len(validation) < held_back:
                    validation += decks
                elif len(pool) < most_decks:
                    pool += decks
        few = rng.random()
        tiles, count = (14, 4) if few < 0.75 else (7, 6) if few < 0.95 else (2, 8)
        rate = peak * min(1, (step + 1) / 200) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        chosen = [pool[int(i)] for i in rng.integers(len(pool), size=count)]
        values, shares = losses(net, batch(rng, chosen, tiles), count)
        loss = 0.4 * values[0] + 3 * values[1] + values[2] + values[3] + 2.5 * values[4] + 1.5 * values[5]
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        now = np.array([float(v.detach()) for v in values + shares])
        mean = now if mean is None else 0.97 * mean + 0.03 * now
        if (step + 1) % every == 0 or step + 1 == steps:
            speed = (step + 1 - first) / (time.time() - began)
            print(f"step {step + 1}: {np.round(mean, 3)}, {len(pool)} decks, {speed:.2f} steps/s", flush=True)
            state = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1}
            torch.save(state, folder / "state.new")
            (folder / "state.new").replace(saved_at)
            if (step + 1) % (10 * every) == 0 or step + 1 == steps:
                print(f"  held back: {validate(net, validation)}", flush=True)
    return net


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4400)
    parser.add_argument(
        "--from", dest="start", type=Path, metavar="MODEL",
        help="begin with the weights of this model.onnx, if the folder has no progress to go on from",
    )
    parser.add_argument("--rate", type=float, default=3e-3, help="the highest learning rate")
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
            net = train(2, folder, 1, 2)
            export(net, folder / "model.onnx", "smoke test")
        print("the training code runs")
    elif args.draw:
        draw(args.folder / "decks", args.first, args.draw)
    else:
        net = train(args.steps, args.folder, 25, 2 * DECKS_A_FILE, args.rate, args.start)
        torch.save({"net": net.state_dict(), "step": args.steps}, args.folder / "trained.pt")


if __name__ == "__main__":
    main()
