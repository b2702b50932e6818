"""Writes shards of made-up patches, a worker a process."""

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "recogniser"))
import art
import scenes

SHARD = 500
DECKS = 25
TRAINING_SEED = 3_000_000
VALIDATION_SEED = 4_000_000
# Channels are kept as whole hundredths.
SCALE = 100


def shard(seed, count, decks=DECKS):
    """`count` patches as arrays."""
    rng = np.random.default_rng(seed)
    pool = [art.random_deck(rng, 6) for _ in range(decks)]
    drawn = [scenes.sample(rng, pool[int(rng.integers(decks))]) for _ in range(count)]
    planes, lean, heat, mask, weight = (np.stack(part) for part in zip(*drawn))
    return {
        "planes": np.clip(np.round(planes * SCALE), -127, 127).astype(np.int8),
        "lean": lean,
        "heat": np.round(heat * 250).astype(np.uint8),
        "mask": np.round(mask * 250).astype(np.uint8),
        "weight": weight.astype(np.uint8),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--step", type=int, default=1, help="of how many workers this is one")
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--without", choices=scenes.PARTS)
    args = parser.parse_args()
    scenes.left_out = {args.without} - {None}
    args.folder.mkdir(parents=True, exist_ok=True)
    for i in range(args.first, args.shards, args.step):
        path = args.folder / f"{i:03}.npz"
        if path.exists():
            continue
        made = shard(TRAINING_SEED + i, SHARD)
        fresh = args.folder / f"new{args.first}.npz"
        np.savez(fresh, **made)
        fresh.replace(path)
        print(path.name, flush=True)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
