"""Trains the recogniser on made-up decks under made-up disturbances.

Every step takes one deck: some crops of its tiles must be told from all tiles in
all four rotations, by the very score that the program computes. Progress is kept
in work/state.pt; a run that was stopped goes on from there.
"""

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
        print(f"skipped: {missing.name} is not installed (models/recogniser/requirements.txt)")
        sys.exit(0)
    raise

import art
import disturb
from export import export
from net import Recogniser, middle, shifted

HERE = Path(__file__).parent
# What can be left out of the training, to measure what it is good for.
PARTS = ("twins", *disturb.AUGMENTATIONS)
TILES = 12
QUERIES = 14
POOL = 200
FRESH = 0.15
VALIDATION_SEED = 900_000
TRAINING_SEED = 1_000_000
JUDGE_SEED = 2_000_000


def matching_scores(descriptors, references):
    """Scores [Q, R] in nats of crops' maps [Q, D, 20, 20] against references' maps
    [R, D, 20, 20]: the sum of products over the cell at the best shift."""
    refs = torch.nn.functional.normalize(middle(references), dim=1).flatten(1)
    windows = shifted(descriptors).flatten(2)
    return (windows @ refs.t()).amax(dim=1)


def batch(rng, tiles, queries, hardness=1.0):
    """References [4 R, 80, 80, 3] of a deck in all rotations, crops, and for each crop
    the index of the right reference (-1: none can be told) and its state."""
    references = []
    for tile in tiles:
        picture = disturb.reference(rng, tile)
        references += [disturb.with_margin(picture, k) for k in range(4)]
    crops, labels, states = [], [], []
    for _ in range(queries):
        index = int(rng.integers(len(tiles))) if rng.random() < 0.88 else -1
        turns = int(rng.integers(4))
        crop, state = disturb.query(rng, tiles, index, turns, hardness)
        crops.append(crop)
        labels.append(index * 4 + turns if index >= 0 else -1)
        states.append(state)
    return np.stack(references), np.stack(crops), np.array(labels), np.array(states)


def tensor(pictures):
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).float().div(255).contiguous(memory_format=torch.channels_last)


def losses(net, data):
    """Cross-entropies of identity and of state, and the hits of each."""
    references, crops, labels, states = data
    maps, state = net(tensor(np.concatenate([references, crops])))
    count = len(references)
    scores = matching_scores(maps[count:], maps[:count])
    labels, states = torch.from_numpy(labels), torch.from_numpy(states)
    told = labels >= 0
    identity = torch.nn.functional.cross_entropy(scores[told], labels[told], label_smoothing=0.01)
    kind = torch.nn.functional.cross_entropy(state[count:], states)
    hits = (scores[told].argmax(1) == labels[told]).float().mean()
    state_hits = (state[count:].argmax(1) == states).float().mean()
    return identity, kind, hits, state_hits


def validate(net, decks):
    net.eval()
    total = np.zeros(4)
    with torch.no_grad():
        for k in range(decks):
            rng = np.random.default_rng(VALIDATION_SEED + k)
            total += [float(v) for v in losses(net, batch(rng, art.random_deck(rng, TILES), 24))]
    net.train()
    identity, kind, hits, state_hits = total / decks
    return f"loss {identity:.3f} + {kind:.3f}, tile and rotation right {hits:.3f}, state right {state_hits:.3f}"


def leave_out(part):
    """Trains without one of PARTS from here on; None trains with all."""
    disturb.left_out = {part} - {None}


def deck(rng):
    """A deck to train on."""
    return art.random_deck(rng, TILES, 0.0) if "twins" in disturb.left_out else art.random_deck(rng, TILES)


def train(steps, folder, every, pool_size, validation):
    torch.set_num_threads(1)
    net = Recogniser().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-4)
    first = 0
    saved_at = folder / "state.pt"
    if saved_at.exists():
        saved = torch.load(saved_at, weights_only=True)
        net.load_state_dict(saved["net"])
        optimiser.load_state_dict(saved["optimiser"])
        first = saved["step"]
        print(f"goes on from step {first}", flush=True)
    else:
        print(f"step 0: {validate(net, validation)}", flush=True)
    rng = np.random.default_rng(TRAINING_SEED + first)
    pool, mean, began = [], None, time.time()
    for step in range(first, steps):
        if len(pool) < pool_size or rng.random() < FRESH:
            fresh = deck(rng)
            if len(pool) < pool_size:
                pool.append(fresh)
            else:
                pool[int(rng.integers(len(pool)))] = fresh
            tiles = fresh
        else:
            tiles = pool[int(rng.integers(len(pool)))]
        rate = 2.5e-3 * min(1, (step + 1) / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        values = losses(net, batch(rng, tiles, QUERIES))
        loss = values[0] + 0.7 * values[1]
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        now = np.array([float(v.detach()) for v in values], dtype=float)
        mean = now if mean is None else 0.98 * mean + 0.02 * now
        if (step + 1) % every == 0 or step + 1 == steps:
            speed = (step + 1 - first) / (time.time() - began)
            print(f"step {step + 1}: {np.round(mean, 3)}, {speed:.2f} steps/s", flush=True)
            folder.mkdir(parents=True, exist_ok=True)
            state = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1}
            torch.save(state, folder / "state.new")
            (folder / "state.new").replace(saved_at)
    print(f"step {steps}: {validate(net, validation)}", flush=True)
    return net


def judge(net, samples):
    """Trains the judgement of the state alone, on the finished network's summaries of
    `samples` crops; every fifth is held back to measure."""
    rng = np.random.default_rng(JUDGE_SEED)
    net.eval()
    summaries, states = [], []
    while len(states) < samples:
        tiles = deck(rng)
        drawn = [
            disturb.query(rng, tiles, int(rng.integers(TILES)) if rng.random() < 0.7 else -1, int(rng.integers(4)))
            for _ in range(60)
        ]
        with torch.no_grad():
            summaries.append(net.describe(tensor(np.stack([crop for crop, _ in drawn])))[1])
        states += [state for _, state in drawn]
    x, y = torch.cat(summaries), torch.tensor(states)
    split = len(y) * 4 // 5
    optimiser = torch.optim.AdamW(net.judge.parameters(), lr=2e-3, weight_decay=1e-3)
    torch.manual_seed(JUDGE_SEED)
    for epoch in range(60):
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * (1 - epoch / 60)
        for rows in torch.randperm(split).split(64):
            loss = torch.nn.functional.cross_entropy(net.judge(x[rows]), y[rows])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
    with torch.no_grad():
        hits = (net.judge(x[split:]).argmax(1) == y[split:]).float().mean()
    print(f"state right on crops held back: {float(hits):.3f} of {len(y) - split}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--folder", type=Path, default=HERE / "work")
    parser.add_argument("--without", choices=PARTS, help="leave a part of the training out")
    parser.add_argument("--smoke", action="store_true", help="a few steps and an export, in a temporary folder")
    args = parser.parse_args()
    leave_out(args.without)
    if args.smoke:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            net = train(3, Path(folder), 1, 2, 1)
            judge(net, 60)
            export(net, Path(folder) / "model.onnx", "smoke test")
        print("the training code runs")
    else:
        net = train(args.steps, args.folder, 50, POOL, 16)
        judge(net, 8000)
        torch.save({"net": net.state_dict(), "step": args.steps}, args.folder / "trained.pt")


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
