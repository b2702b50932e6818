"""Made-up faces and where their parts lie on a tile: the truth that `art.py` paints.

Ports are numbered clockwise from the left half of the north side, as in the
program: 3 * side + (0 left half, 1 middle, 2 right half), left and right seen
from the tile's centre.
"""

from dataclasses import dataclass

import cv2
import numpy as np

PX = 128
OPEN, HOUSE, TOWER, CITY, LINE, MARKET, FOUNTAIN, SQUARE, PENNANT, CLOISTER = range(10)
CLASSES = ("open", "house", "tower", "city", "line", "market", "fountain", "square", "pennant", "cloister")
CASTLE, CLASSIC = 0, 1
HALVES = [p for p in range(12) if p % 3 != 1]
MIDDLES = [1, 4, 7, 10]
MIDDLE_AT = np.array([[0.5, 0.0], [1.0, 0.5], [0.5, 1.0], [0.0, 0.5]])
# The way along each side, clockwise.
ALONG = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


def port_at(port: int, off: float = 0.25) -> np.ndarray:
    """Where a port lies on the border, 0..1; `off` is how far halves are from the middle."""
    return MIDDLE_AT[port // 3] + ALONG[port // 3] * (port % 3 - 1) * off


@dataclass
class Laid:
    """A face laid out on PX x PX pixels."""

    game: int
    areas: np.ndarray  # area index of every pixel, lines not regarded
    kinds: list  # kind of each area
    line: np.ndarray  # 1 on lines
    line_distance: np.ndarray  # px to the nearest line's centre line
    line_width: float  # half, px
    blocks: list  # of each port: the number of its segment, -1 for none
    port_kinds: list  # of each port: OPEN.. CITY, LINE, -1 for none
    marks: list  # (class, x, y, ports of its segment), 0..1
    ends: list  # blind ends of lines: (x, y, dx, dy), 0..1
    square: bool


def _curve(points, n=24):
    """A smooth line through 2 to 4 control points (Bezier)."""
    t = np.linspace(0, 1, n)[:, None]
    points = np.asarray(points, float)
    while len(points) > 1:
        if points.ndim == 2:
            points = points[:, None, :]
        points = points[:-1] * (1 - t) + points[1:] * t
    return points[0]


def _arms(rng, game):
    """Groups of sides joined by a line, and whether the arms end at a square."""
    sides = [int(s) for s in rng.permutation(4)]
    n = int(rng.choice([0, 1, 2, 2, 2, 3, 3, 4] if game == CASTLE else [0, 0, 1, 2, 2, 3, 4]))
    arms = sides[:n]
    if n >= 3:
        way = rng.random()
        if way < 0.5:
            return [[s] for s in arms], True
        if n == 4 and way < 0.6:
            first = int(rng.integers(2))
            return [[first, first + 1], [(first + 2) % 4, (first + 3) % 4]], False
        return [sorted(arms)], False
    if n == 2 and rng.random() < 0.1:
        return [[arms[0]], [arms[1]]], False
    return ([sorted(arms)] if arms else []), False


def _lines(rng, groups, square, width):
    """Paths as polylines in px, and their blind ends."""
    centre = np.array([0.5, 0.5]) + (0 if square else rng.normal(0, 0.03, 2))
    canonical = rng.random() < 0.4
    lines, ends = [], []
    for group in groups:
        starts = [MIDDLE_AT[s] + ALONG[s] * rng.normal(0, 0.012) for s in group]
        inward = [np.array([0.5, 0.5]) - MIDDLE_AT[s] for s in group]
        bend = 0 if canonical else 0.06
        if len(group) == 2:
            a, b = starts
            reach = rng.uniform(0.5, 1.0, 2) if not canonical else [0.55, 0.55]
            if (group[0] + 2) % 4 == group[1] and canonical:
                reach = [0.6, 0.6]
            p = a + inward[0] * reach[0] + rng.normal(0, bend, 2)
            q = b + inward[1] * reach[1] + rng.normal(0, bend, 2)
            lines.append(_curve([a, p, q, b]))
        else:
            for a, d in zip(starts, inward):
                stop = centre
                if len(group) == 1 and not square:
                    stop = a + d * rng.uniform(0.55, 1.15)
                    ends.append((*stop, *(2 * d)))
                lines.append(_curve([a, a + 0.5 * (stop - a) + rng.normal(0, bend, 2), stop]))
    return lines, ends


def _partition(rng, cut_after):
    """Halves around the tile cut into runs, some runs joined over others: a list of
    lists of ports in which no two cross. `cut_after` are ports whose next half lies
    beyond a line."""
    loose, corner = rng.uniform(0.05, 0.35), rng.uniform(0.2, 0.7)
    runs = []
    start = int(rng.integers(8))
    order = [HALVES[(start + i) % 8] for i in range(8)]
    for i, port in enumerate(order):
        before = order[i - 1]
        chance = 1.0 if before in cut_after else (loose if port % 3 == 2 else corner)
        if i > 0 and rng.random() >= chance:
            runs[-1].append(port)
        else:
            runs.append([port])
    if order[-1] not in cut_after and len(runs) > 1 and rng.random() < 0.5:
        runs[0] = runs.pop() + runs[0]
    groups = [list(r) for r in runs]
    if len(groups) >= 4 and rng.random() < 0.3:
        # Two runs between which no line lies on one way round.
        i = int(rng.integers(len(groups)))
        skip = int(rng.integers(2, len(groups) - 1))
        between = [runs[(i + k) % len(runs)][-1] for k in range(skip)]
        if not any(p in cut_after for p in between):
            j = (i + skip) % len(groups)
            groups[i] = groups[i] + groups[j]
            del groups[j]
    return groups


def _castle_areas(rng, groups, square):
    joined = {s for g in groups for s in g if len(g) > 1} | ({s for g in groups for s in g} if square else set())
    cut_after = {3 * s for s in joined}
    blocks = _partition(rng, cut_after)
    weights = rng.dirichlet([2.0, 2.0, 3.0])
    # Some tiles are all of neighbours of one kind that only a thin line parts.
    alike, built_alike = rng.choice([0.0, 0.0, 0.3, 0.8]), rng.uniform(0.1, 0.6)
    kinds = []
    for k, _ in enumerate(blocks):
        kind = int(rng.choice([HOUSE, TOWER, OPEN], p=weights))
        if k and rng.random() < alike:
            kind = kinds[-1]
        if k and kind == kinds[-1] and kind != OPEN and rng.random() > built_alike:
            kind = OPEN
        kinds.append(kind)
    return blocks, kinds


def _classic_areas(rng, groups):
    roads = {s for g in groups for s in g}
    free = [s for s in range(4) if s not in roads]
    cities = [s for s in free if rng.random() < 0.55]
    blocks = []
    if len(cities) >= 2 and rng.random() < 0.6:
        blocks.append([3 * s + k for s in cities for k in (0, 2)])
    else:
        blocks += [[3 * s, 3 * s + 2] for s in cities]
    kinds = [CITY] * len(blocks)
    held = {p for b in blocks for p in b}
    for port in HALVES:
        if port not in held:
            blocks.append([port])
            kinds.append(OPEN)
    return blocks, kinds


def _contiguous(block):
    at = sorted(HALVES.index(p) for p in block)
    gaps = sum((b - a) % 8 != 1 for a, b in zip(at, at[1:] + at[:1]))
    return gaps <= 1


def _skeleton(rng, block, bridged):
    mask = np.ones((PX, PX), np.uint8)
    inset = rng.uniform(0.0, 0.06) if bridged else 0.0
    hull = []
    for port in block:
        inward = np.array([0.5, 0.5]) - MIDDLE_AT[port // 3]
        a = MIDDLE_AT[port // 3] + ALONG[port // 3] * (port % 3 - 1) * 0.06
        b = MIDDLE_AT[port // 3] + ALONG[port // 3] * (port % 3 - 1) * 0.46
        cv2.line(mask, *[tuple(int(v) for v in np.clip(p * PX, 0, PX - 1)) for p in (a, b)], 0, 2)
        hull.append(port_at(port, rng.uniform(0.15, 0.3)) + 2 * inset * inward)
    if bridged:
        points = cv2.convexHull((np.array(hull) * PX).astype(np.float32)).astype(np.int32)
        cv2.fillConvexPoly(mask, points, 0)
        cv2.polylines(mask, [points], True, 0, max(2, int(rng.uniform(0.02, 0.1) * PX)))
    return cv2.distanceTransform(mask, cv2.DIST_L2, 5)


def _pole(mask):
    """The roomiest place of a mask, 0..1, and its room in tile sides."""
    framed = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    room = cv2.distanceTransform(framed, cv2.DIST_L2, 3)[1:-1, 1:-1]
    y, x = np.unravel_index(int(room.argmax()), room.shape)
    return (x + 0.5) / PX, (y + 0.5) / PX, room[y, x] / PX


def random_laid(rng: np.random.Generator, game: int, half_width: float, wobble: float) -> Laid:
    """A random face, laid out; lines are `half_width` and borders wander `wobble` tile sides."""
    while True:
        laid = _random_laid(rng, game, half_width, wobble)
        if laid is not None:
            return laid


def _random_laid(rng, game, half_width, wobble):
    groups, square = _arms(rng, game)
    width = half_width * PX
    lines, ends = _lines(rng, groups, square, width)
    empty = np.full((PX, PX), 255, np.uint8)
    for points in lines:
        cv2.polylines(empty, [np.round(points * PX * 8).astype(np.int32)], False, 0, 1, cv2.LINE_8, 3)
    line_distance = cv2.distanceTransform(empty, cv2.DIST_L2, 5) if lines else np.full((PX, PX), 1e3, np.float32)
    if wobble and lines:
        grid = rng.normal(0, 1, (7, 7)).astype(np.float32)
        line_distance = line_distance + cv2.resize(grid, (PX, PX), interpolation=cv2.INTER_CUBIC) * wobble * PX * 0.4
    line = (line_distance < width).astype(np.uint8)
    if square:
        yy, xx = np.mgrid[:PX, :PX]
        line |= (np.hypot(xx - PX / 2, yy - PX / 2) < 0.14 * PX).astype(np.uint8)

    blocks, kinds = _castle_areas(rng, groups, square) if game == CASTLE else _classic_areas(rng, groups)
    costs = []
    depth = rng.uniform(1.0, 2.6)
    for block, kind in zip(blocks, kinds):
        bridged = not _contiguous(block) or (len(block) > 2 and rng.random() < 0.4)
        cost = _skeleton(rng, block, bridged) * (depth if kind == CITY else rng.uniform(0.9, 1.15))
        grid = rng.normal(0, 1, (6, 6)).astype(np.float32)
        costs.append(cost + cv2.resize(grid, (PX, PX), interpolation=cv2.INTER_CUBIC) * wobble * PX)
    costs = np.stack(costs)
    # An area does not reach over a line.
    count, pieces = cv2.connectedComponents(1 - line, connectivity=4)
    inner = lambda p: tuple(int(v) for v in np.clip(port_at(p) * PX, 1, PX - 2))[::-1]
    home = [{int(pieces[inner(p)]) for p in block} - {0} for block in blocks]
    for piece in range(1, count):
        here = pieces == piece
        for k in range(len(blocks)):
            if piece not in home[k]:
                costs[k][here] += 1000
    areas = costs.argmin(0).astype(np.uint8)
    areas = cv2.medianBlur(areas, 5) if rng.random() < 0.5 else areas

    # What is joined is what hangs together as drawn.
    port_blocks, port_kinds, masks = [-1] * 12, [-1] * 12, []
    fused = areas.copy()
    if game == CLASSIC:
        fields = [k for k, kind in enumerate(kinds) if kind == OPEN]
        for k in fields[1:]:
            fused[areas == k] = fields[0]
        areas = fused
    number = 0
    for label in np.unique(fused):
        count, parts = cv2.connectedComponents(((fused == label) & (line == 0)).astype(np.uint8), connectivity=4)
        for part in range(1, count):
            held = [p for p in HALVES if parts[inner(p)] == part]
            if not held:
                if (parts == part).sum() > 0.02 * PX * PX:
                    return None
                continue
            for p in held:
                port_blocks[p], port_kinds[p] = number, kinds[label]
            masks.append((kinds[label], held, (parts == part).astype(np.uint8)))
            number += 1
    if any(port_blocks[p] < 0 for p in HALVES):
        return None
    for group in groups:
        for s in group:
            port_blocks[3 * s + 1], port_kinds[3 * s + 1] = number, LINE
        number += 1

    marks = []
    for kind, held, mask in masks:
        if game == CASTLE and kind == OPEN and rng.random() < 0.4 or kind == CITY and rng.random() < 0.35:
            x, y, room = _pole(mask)
            if room > 0.06:
                marks.append((MARKET if kind == OPEN else PENNANT, x, y, held, room))
    if game == CASTLE and lines and not square and rng.random() < 0.3:
        group = groups[int(rng.integers(len(groups)))]
        points = lines[groups.index(group)] if len(group) <= 2 else lines[0]
        at = points[len(points) // 2] if len(group) == 2 else points[-1] if len(group) > 2 else points[int(len(points) * 0.6)]
        marks.append((FOUNTAIN, *at, [3 * s + 1 for s in group], 0.12))
    if game == CLASSIC and len(groups) < 2 and CITY not in kinds and rng.random() < 0.6:
        marks.append((CLOISTER, *(0.5 + rng.normal(0, 0.02, 2)), [], 0.2))
    return Laid(game, areas, kinds, line, line_distance, width, port_blocks, port_kinds, marks, ends, square)
