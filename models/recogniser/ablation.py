"""What each part of the training is good for: short trainings from the same start,
each without one part, measured on boards that the studio rendered and on disturbed
made-up decks, none of which training draws.

Each training is kept in work/ablation/; a run that was stopped goes on from there.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch

import train
from evaluate import made_up, rendered

HERE = Path(__file__).parent


def right(net, data):
    """The shares of crops of which tile and rotation, and of which the state, is
    right, and how many they are."""
    net.eval()
    counts, hits = np.zeros(2), np.zeros(2)
    with torch.no_grad():
        for references, crops, labels, states in data:
            _, _, identity, state = train.losses(net, (references, crops, labels, states))
            many = np.array([(labels >= 0).sum(), len(states)])
            counts += many
            hits += many * [float(identity), float(state)]
    return (*hits / counts, int(counts[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--decks", type=int, default=16)
    parser.add_argument("--folder", type=Path, default=HERE / "work" / "ablation")
    parser.add_argument("--boards", type=Path, required=True, help="a folder that `castellan render --boards N --unseen` wrote")
    args = parser.parse_args()
    boards = [rendered(p.parent) for p in sorted(args.boards.glob("*/truth.json"))]
    decks = list(made_up(args.decks, 1.0))
    for part in (None, *train.PARTS):
        train.leave_out(part)
        net = train.train(args.steps, args.folder / (part or "all"), 500, train.POOL, 4)
        tile, _, tiles = right(net, boards)
        disturbed, state, crops = right(net, decks)
        name = f"without {part}" if part else "with all"
        print(f"{name}: {100 * tile:.2f} % of {tiles} on boards, {100 * disturbed:.2f} % of {crops} on decks, state {100 * state:.2f} %", flush=True)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
