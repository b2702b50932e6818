"""Measures model.onnx on made-up decks that training has not drawn, beside its own
HOG-equal start and template matching, and its speed in onnxruntime.

The program's own numbers on photographs come from tests/recogniser_real.rs.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch

import art
from net import CROP, MARGIN, SIDE, Recogniser
from train import batch, matching_scores

HERE = Path(__file__).parent
EVALUATION_SEED = 5_000_000
TILES = 16
QUERIES = 32


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options)


def planes(pictures):
    return pictures.transpose(0, 3, 1, 2).astype(np.float32) / 255


def detail(picture):
    lab = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    return lab - cv2.GaussianBlur(lab, (0, 0), 8)


def template_scores(crops, references):
    cell = slice(MARGIN, MARGIN + SIDE)
    templates = [detail(r)[cell, cell] for r in references]
    seen = [detail(c) for c in crops]
    return np.array([[cv2.matchTemplate(s, t, cv2.TM_CCOEFF_NORMED).max() for t in templates] for s in seen])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=HERE / "model.onnx")
    parser.add_argument("--decks", type=int, default=12)
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    model = session(args.model)
    start = Recogniser().eval()
    for hardness in (0.3, 0.6, 1.0):
        right = {"network": 0, "its HOG-equal start": 0, "template matching": 0}
        told = states_right = total = 0
        for k in range(args.decks):
            rng = np.random.default_rng(EVALUATION_SEED + k)
            references, crops, labels, states = batch(rng, art.random_deck(rng, TILES), QUERIES, hardness)
            rows = np.concatenate([references, crops])
            maps, logits = model.run(None, {"crop": planes(rows)})
            with torch.no_grad():
                hog = start(torch.from_numpy(planes(rows)))[0]
            count = len(references)
            scores = {
                "network": matching_scores(torch.from_numpy(maps[count:]), torch.from_numpy(maps[:count])).numpy(),
                "its HOG-equal start": matching_scores(hog[count:], hog[:count]).numpy(),
                "template matching": template_scores(crops, references),
            }
            known = labels >= 0
            told += known.sum()
            for name, score in scores.items():
                right[name] += (score.argmax(1) == labels)[known].sum()
            states_right += (logits[count:].argmax(1) == states).sum()
            total += len(states)
        shares = ", ".join(f"{name} {100 * n / told:.1f} %" for name, n in right.items())
        print(f"hardness {hardness}: {shares} of {told}; state {100 * states_right / total:.1f} %")
    for count in (1, 76):
        crops = np.random.default_rng(0).random((count, 3, CROP, CROP), np.float32)
        times = []
        for _ in range(15):
            began = time.perf_counter()
            model.run(None, {"crop": crops})
            times.append(time.perf_counter() - began)
        print(f"onnxruntime, one core, {count} crops: {1e3 * np.median(times):.1f} ms (fastest {1e3 * min(times):.1f})")


if __name__ == "__main__":
    main()
