"""Scans of a deck's tiles as this painter draws them: the pictures that faces are proposed from.

    python datasets/traced-games/scans.py DECK.toml --seed 801 --out SCANS

DECK.toml says what is printed on each tile, as `castellan render --boards` writes it for a deck
that it makes up; SCANS/ID.png are the scans. The painter follows from the seed. Nothing may be
trained on them.
"""

import argparse
import tomllib
from pathlib import Path

import numpy as np
from PIL import Image

from darkroom import blurred
from painter import PX, Painter

#: Pixels a side of a scan.
REFERENCE = 128


def scanned(picture: np.ndarray, rng) -> Image.Image:
    """A tile as a scanner gives it: cut a little askew, a little soft, other tones."""
    image = Image.fromarray(picture).rotate(rng.normal(0, 0.35), Image.BICUBIC)
    cut = 1 + PX * 0.006 + rng.uniform(0, 0.008, 4) * PX
    image = image.resize((REFERENCE, REFERENCE), Image.BOX, (cut[0], cut[1], PX - cut[2], PX - cut[3]))
    v = (np.asarray(image, float) / 255) ** rng.uniform(0.9, 1.12) * rng.uniform(0.92, 1.03, 3) + rng.uniform(
        0, 0.03
    )
    v = blurred(v, rng.uniform(0.4, 0.7)) + rng.normal(0, 0.006, v.shape)
    return Image.fromarray((255 * np.clip(v, 0, 1)).round().astype(np.uint8))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("deck", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    painter, rng = Painter(options.seed), np.random.default_rng([options.seed, 5])
    print(f"painter {painter.school}", flush=True)
    for number, tile in enumerate(tomllib.loads(options.deck.read_text())["tile"]):
        scanned(painter.tile(tile["face"], number), rng).save(options.out / f"{tile['id']}.png")


if __name__ == "__main__":
    main()
