"""Faces of tiles in their text form, and where on a tile each segment lies.

A face's text is `tower n-el; path s-w +fountain; court er-sl +market` (rules/src/face.rs). A
side has three ports: left half, middle, right half as seen from the tile's middle; areas hold
halves (a plain `n` means both), paths hold middles. Places are x to the right and y down, a
tile's side is 1.
"""

from dataclasses import dataclass

import numpy as np

PORTS = ["nl", "n", "nr", "el", "e", "er", "sl", "s", "sr", "wl", "w", "wr"]
SIDES = "nesw"
MIDDLES = {"n": (0.5, 0.0), "e": (1.0, 0.5), "s": (0.5, 1.0), "w": (0.0, 0.5)}
#: Half the width of the way that areas keep free for a path.
WAY = 0.085
#: Places a side of the grid on which areas grow.
GRID = 96
FAR = 9.0


@dataclass(frozen=True)
class Segment:
    """What one segment is, and which ports it holds."""

    kind: str
    ports: tuple
    marks: tuple

    @property
    def is_path(self) -> bool:
        return self.kind == "path"

    @property
    def sides(self) -> str:
        """The sides that a path comes to."""
        return "".join(p for p in self.ports if p in SIDES)


def parse(text: str) -> list[Segment]:
    """The segments of a face, in the order of its text."""
    segments = []
    for part in text.split(";"):
        pieces = part.split("+")
        words = pieces[0].split()
        kind, ports = words[0], []
        for name in "-".join(words[1:]).split("-") if len(words) > 1 else []:
            whole = name in SIDES and kind != "path"
            ports += [name + "l", name + "r"] if whole else [name]
        segments.append(Segment(kind, tuple(ports), tuple(m.strip() for m in pieces[1:])))
    return segments


def path_distance(segment: Segment, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far places are from the middle line of a path: a quarter circle between two
    neighbouring sides, else arms to the tile's middle."""
    sides = segment.sides
    if len(sides) == 2 and (SIDES.index(sides[0]) + SIDES.index(sides[1])) % 2 == 1:
        (ax, ay), (bx, by) = MIDDLES[sides[0]], MIDDLES[sides[1]]
        return np.abs(np.hypot(x - (ax + bx - 0.5), y - (ay + by - 0.5)) - 0.5)
    best = np.full(np.shape(x), FAR)
    for side in sides:
        mx, my = MIDDLES[side]
        dx, dy = 0.5 - mx, 0.5 - my
        t = np.clip(((x - mx) * dx + (y - my) * dy) / 0.25, 0, 1)
        best = np.minimum(best, np.hypot(x - mx - t * dx, y - my - t * dy))
    return best


def area_distances(face: list[Segment]) -> dict[int, np.ndarray]:
    """How far each place of the grid is from the half sides that an area holds, walking round
    the paths, as [GRID, GRID] by the area's number in the face."""
    areas = [i for i, s in enumerate(face) if not s.is_path and s.ports]
    if not areas:
        return {}
    at = (np.arange(GRID) + 0.5) / GRID
    x, y = np.meshgrid(at, at)
    blocked = np.zeros((GRID, GRID), bool)
    for segment in face:
        if segment.is_path:
            blocked |= path_distance(segment, x, y) <= WAY
    far = np.full((len(areas), GRID + 2, GRID + 2), FAR)
    inner = far[:, 1:-1, 1:-1]
    half = GRID // 2
    for k, i in enumerate(areas):
        for port in face[i].ports:
            # Clockwise along the border: the left half of a side comes first.
            first = (port[1] == "l") == (port[0] in "ne")
            span = slice(0, half) if first else slice(half, GRID)
            place = {"n": (0, span), "s": (-1, span), "e": (span, -1), "w": (span, 0)}[port[0]]
            inner[k][place] = 0
    inner[:, blocked] = FAR
    # First on free ground, then a little way under the paths, so that none is left open.
    for sweeps, free in ((4 * GRID, ~blocked), (20, np.ones_like(blocked))):
        for _ in range(sweeps):
            before = inner.copy()
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if dx or dy:
                        other = far[:, 1 + dy : GRID + 1 + dy, 1 + dx : GRID + 1 + dx]
                        other = other + np.hypot(dx, dy) / GRID
                        np.copyto(inner, other, where=free & (other < inner))
            if np.array_equal(before, inner):
                break
    return {i: inner[k] for k, i in enumerate(areas)}
