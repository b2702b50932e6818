"""Followers and keeps: a few shapes of our own, each seed with its make, size and paint."""

import numpy as np

from painter import rgb
from solids import Solid, cut, moved, turned

#: Paints and woods by the words for them.
PAINTS = {
    "black": ["#1d1c1c", "#2b2928"],
    "white": ["#dcc193", "#e9dfc9"],
    "red": ["#b0211f", "#c23028"],
    "blue": ["#1d4e9e", "#2f66bd"],
    "yellow": ["#e2b512", "#efc93c"],
    "green": ["#2a7b3c", "#1f6d47"],
    "orange": ["#de6f1a", "#ea8432"],
    "purple": ["#653a8c", "#7a4aa6"],
    "pink": ["#df7aa6", "#e58fb0"],
    "brown": ["#6a4527", "#7d5433"],
    "grey": ["#7c7c7e", "#8d8a86"],
}


def mirrored(half):
    """An outline from its right half, from the foot up to the crown."""
    return [*half, *[(-x, z) for x, z in reversed(half) if x > 0]]


def hooded():
    """Someone in a wide cloak with a pointed hood."""
    return mirrored(
        [
            (0.05, 0.0),
            (0.4, 0.0),
            (0.44, 0.08),
            (0.34, 0.34),
            (0.42, 0.5),
            (0.38, 0.6),
            (0.2, 0.58),
            (0.17, 0.66),
            (0.19, 0.78),
            (0.11, 0.9),
            (0.0, 1.0),
        ]
    )


def striding():
    """Someone with arms held out and legs apart."""
    arms = [(0.2, 0.42), (0.46, 0.46), (0.5, 0.55), (0.47, 0.64), (0.22, 0.66), (0.13, 0.7)]
    head = [(0.17, 0.79), (0.17, 0.88), (0.11, 0.97), (0.0, 1.0)]
    return mirrored([(0.0, 0.2), (0.09, 0.0), (0.36, 0.0), (0.38, 0.06), *arms, *head])


SKITTLE = [
    (0.0, 0.0),
    (0.24, 0.0),
    (0.27, 0.06),
    (0.24, 0.3),
    (0.13, 0.55),
    (0.11, 0.66),
    (0.17, 0.76),
    (0.18, 0.86),
    (0.12, 0.96),
    (0.0, 1.0),
]
CONE = [
    (0.0, 0.0),
    (0.32, 0.0),
    (0.33, 0.05),
    (0.13, 0.62),
    (0.2, 0.7),
    (0.235, 0.82),
    (0.18, 0.94),
    (0.0, 1.0),
]
BARREL = [
    (0.0, 0.0),
    (0.24, 0.0),
    (0.3, 0.2),
    (0.3, 0.42),
    (0.24, 0.62),
    (0.16, 0.64),
    (0.2, 0.76),
    (0.16, 0.92),
    (0.0, 1.0),
]

MAKES = {"hooded": hooded, "striding": striding, "skittle": SKITTLE, "cone": CONE, "barrel": BARREL}


class Pieces:
    """The pieces of a table."""

    def __init__(self, seed: int, words):
        rng = np.random.default_rng([seed, 21])
        self.seed = seed
        self.make = rng.choice(list(MAKES))
        self.height = rng.uniform(0.33, 0.42)
        self.depth = rng.uniform(0.16, 0.2)
        self.keep_make = rng.choice(["house", "round", "chapel"])
        self.keep_size = rng.uniform(0.44, 0.54)
        self.gloss = rng.uniform(0.12, 0.45)
        #: What a person would point at, sRGB bytes.
        self.paints = [rgb(rng.choice(PAINTS[word])) for word in words]

    def follower(self) -> Solid:
        """A follower of height 1 on its foot."""
        shape = MAKES[self.make]
        if callable(shape):
            return cut(shape(), self.depth / self.height)
        return turned(shape)

    def keep(self) -> Solid:
        """A keep 1 wide."""
        if self.keep_make == "house":
            gable = [(-0.5, 0.0), (0.5, 0.0), (0.5, 0.55), (0.0, 1.05), (-0.5, 0.55)]
            chimney = [(0.2, 0.6), (0.38, 0.6), (0.38, 1.0), (0.2, 1.0)]
            return cut(gable, 0.75).join(cut(chimney, 0.3))
        if self.keep_make == "round":
            return turned(
                [
                    (0.0, 0.0),
                    (0.5, 0.0),
                    (0.44, 0.7),
                    (0.52, 0.74),
                    (0.52, 1.0),
                    (0.38, 1.0),
                    (0.38, 0.86),
                    (0.0, 0.86),
                ]
            )
        nave = [(-0.5, 0.0), (0.5, 0.0), (0.5, 0.4), (0.3, 0.72), (-0.5, 0.72)]
        tower = moved(
            turned([(0.0, 0.0), (0.24, 0.0), (0.24, 0.95), (0.3, 0.95), (0.0, 1.4)], 20),
            lambda p: p + (-0.26, 0.0, 0.0),
        )
        return cut(nave, 0.6).join(tower)

    def lying(self, solid: Solid) -> Solid:
        """A follower on its side or back, the middle of its length over 0."""
        lean = 0.0
        shape = MAKES[self.make]
        if not callable(shape):
            foot, head = max(r for r, z in shape if z < 0.5), max(r for r, z in shape if z > 0.7)
            lean = np.arctan2(foot - head, 0.75)

        def lay(points):
            x, y, z = points.T
            y, z = z - 0.5, -y
            s, c = np.sin(-lean), np.cos(-lean)
            return np.stack([x, c * y - s * z, s * y + c * z], axis=1)

        laid = moved(solid, lay)
        low = laid.bounds()[0][2]
        return moved(laid, lambda p: p - (0, 0, low))

    def put(self, keep: bool, player: int, foot, turn: float, lying: bool, number: int) -> Solid:
        """A piece with its foot at a place, turned by so many degrees clockwise."""
        solid = self.keep() if keep else self.follower()
        if lying and not keep:
            solid = self.lying(solid)
        size = self.keep_size if keep else self.height
        s, c = np.sin(np.radians(turn)), np.cos(np.radians(turn))
        rng = np.random.default_rng([self.seed, 22, player, number])
        shade = np.clip(self.paints[player] * rng.uniform(0.94, 1.05), 0, 1) ** 2.2

        def place(p):
            x, y, z = (p * size).T
            return np.stack([c * x - s * y + foot[0], s * x + c * y + foot[1], z + foot[2]], axis=1)

        out = moved(solid, place)
        out.colours = [np.broadcast_to(shade, colours.shape) for colours in out.colours]
        return out
