"""Measures model.onnx on made-up decks that training has not drawn and on boards that
the studio rendered, beside its own HOG-equal start and template matching, and its
speed in onnxruntime. Scores here are the plain sums; the program also leaves out
blocks that nothing explains.

The program's own numbers on photographs come from tests/program/recogniser_real.rs.
"""

import argparse
import json
import time
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch

import art
import disturb
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


def cut(photo, corners):
    """A crop by the corners of its cell (NW, NE, SE, SW), averaged over what a pixel covers."""
    corners = np.float32(corners)
    fine = max(1, int(np.ceil(np.linalg.norm(corners[1] - corners[0]) / SIDE)))
    target = (np.float32([[0, 0], [1, 0], [1, 1], [0, 1]]) * SIDE + MARGIN) * fine
    h = cv2.getPerspectiveTransform(corners, target)
    wide = cv2.warpPerspective(photo, h, (CROP * fine, CROP * fine), borderMode=cv2.BORDER_REPLICATE)
    return cv2.resize(wide, (CROP, CROP), interpolation=cv2.INTER_AREA)


def rendered(folder):
    """References, crops, labels and states of a board that `castellan render --boards` photographed."""
    truth = json.loads((folder / "truth.json").read_text())
    photo = cv2.cvtColor(cv2.imread(str(folder / "photo.jpg")), cv2.COLOR_BGR2RGB)
    ids, references = [], []
    for path in sorted((folder / "references").glob("*.png")):
        picture = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        picture = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        ids.append(path.stem)
        references += [disturb.with_margin(picture, k) for k in range(4)]
    crops, labels, states = [], [], []
    for cell in truth["cells"]:
        if cell["inside"] < 0.9:
            continue
        tile = cell["tile"]
        crops.append(cut(photo, cell["corners"]))
        seen = tile is not None and cell["covered"] < 0.5
        labels.append(ids.index(tile["id"]) * 4 + tile["rotation"] if seen else -1)
        states.append(disturb.COVERED if cell["covered"] > 0.12 else disturb.EMPTY if tile is None else disturb.TILE)
    return np.stack(references), np.stack(crops), np.array(labels), np.array(states)


def made_up(decks, hardness):
    for k in range(decks):
        rng = np.random.default_rng(EVALUATION_SEED + k)
        yield batch(rng, art.random_deck(rng, TILES), QUERIES, hardness)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=HERE / "model.onnx")
    parser.add_argument("--decks", type=int, default=12)
    parser.add_argument("--boards", type=Path, help="a folder that `castellan render --boards N --unseen` wrote")
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    model = session(args.model)
    start = Recogniser().eval()
    sets = [(f"made-up decks, hardness {h}", made_up(args.decks, h)) for h in (0.3, 0.6, 1.0)]
    if args.boards:
        boards = sorted(p.parent for p in args.boards.glob("*/truth.json"))
        sets.append((f"{len(boards)} rendered boards", map(rendered, boards)))
    for words, data in sets:
        right = {"network": 0, "its HOG-equal start": 0, "template matching": 0}
        told = states_right = total = 0
        for references, crops, labels, states in data:
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
        print(f"{words}: {shares} of {told}; state {100 * states_right / total:.1f} %")
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
