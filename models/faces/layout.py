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


def pixel_of(port: int) -> tuple:
    """The pixel (row, column) of a port on PX x PX pixels."""
    return tuple(int(v) for v in np.clip(port_at(port) * PX, 1, PX - 2))[::-1]


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
    centre: tuple = (0.5, 0.5)  # where lines meet, 0..1


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


def _lines(rng, groups, square, centre):
    """Paths as polylines, 0..1, and their blind ends."""
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


# How many buildings stand on open ground, and how many halves one takes.
_BUILDINGS = ([0, 1, 2, 3, 4], [0.08, 0.32, 0.35, 0.19, 0.06])
_RUN = ([1, 2, 3, 4, 5, 6, 7, 8], [0.24, 0.38, 0.12, 0.14, 0.04, 0.04, 0.02, 0.02])
# Narrower ground than this joins nothing that one can see, px.
_NARROW = 3


def _on_rim(s):
    """The place on the border at `s` sides clockwise from the upper left corner, and the way in."""
    side, along = int(s) % 4, s % 1
    corner = MIDDLE_AT[side] - 0.5 * ALONG[side]
    return corner + along * ALONG[side], 2 * (np.array([0.5, 0.5]) - MIDDLE_AT[side])


def _building(rng, first, length, form, rough):
    """The outline of a building that takes `length` halves from the `first` on, in px."""
    margin = lambda: rng.uniform(0.0, 0.17) if rng.random() < 0.8 else -rng.uniform(0.0, 0.05)
    start, end = 0.5 * first + margin(), 0.5 * (first + length) - margin()
    if length == 8:
        start, end = 0.5 * first, 0.5 * first + 4
    (a, in_a), (b, in_b) = _on_rim(start + 1e-6), _on_rim(end - 1e-6)
    span = min(end - start, 1.2)
    depth = np.clip(span * rng.uniform(0.35, 0.95), 0.12, 0.62)
    if form == "box":
        inner = [b + in_b * depth, a + in_a * depth]
        if int(start) % 4 != int(end - 1e-6) % 4 and length <= 4:
            # At a corner both walls run on until they meet.
            meet = np.where(np.abs(in_b) > 0.5, a, b)
            inner = [meet]
    elif form == "cut" and int(start) % 4 != int(end - 1e-6) % 4:
        inner = [b + rng.uniform(0.3, 0.7) * (a - b) + rng.normal(0, 0.04, 2)]
    else:
        spread = rng.uniform(0.6, 1.3, 2)
        curve = _curve([b, b + in_b * depth * spread[0], a + in_a * depth * spread[1], a], 14)
        inner = list(curve[1:-1] if form == "round" else curve[2:-1:4] + rng.normal(0, 0.025, curve[2:-1:4].shape))
    if length == 8:
        inner = []
    line = [b, *inner, a]
    if rough and inner:
        # Displaced again and again at the middles.
        reach = rough
        for _ in range(4):
            longer = [line[0]]
            for p, q in zip(line, line[1:]):
                longer += [(p + q) / 2 + rng.normal(0, reach, 2) * min(1, 8 * np.hypot(*(q - p))), q]
            line, reach = longer, reach * 0.55
    rim = [_on_rim(s)[0] for s in np.arange(start + 1e-6, end, 0.02)]
    corners = [MIDDLE_AT[int(k) % 4] - 0.5 * ALONG[int(k) % 4] for k in range(int(np.ceil(start)), int(np.ceil(end)))]
    # Corners lie between the places of the rim: order is by the way round.
    ring = sorted([(s, p) for s, p in zip(np.arange(start + 1e-6, end, 0.02), rim)] + [(float(np.ceil(start)) + k, c) for k, c in enumerate(corners)], key=lambda one: one[0])
    return np.array([p for _, p in ring] + line) * PX


def _buildings(rng, groups, line_distance, width):
    """Open ground with buildings on it that stand apart or touch: areas [PX, PX] and kinds."""
    arms = {s for g in groups for s in g}
    blocked = {2 * s for s in arms}  # no building from half 2 s to 2 s + 1
    areas, kinds, taken = np.zeros((PX, PX), np.uint8), [OPEN], set()
    form = str(rng.choice(["round", "round", "many", "box", "cut"]))
    rough = float(rng.choice([0, 0, 0.006, 0.012, 0.02]))
    gap, off_line = int(rng.choice([0, 0, 3, 6, 9])), rng.choice([0.0, 0.0, 2.0, 4.0])
    alike, tower = rng.random() < 0.3, rng.uniform(0.25, 0.75)
    for _ in range(int(rng.choice(_BUILDINGS[0], p=_BUILDINGS[1]))):
        first, length = int(rng.integers(8)), int(rng.choice(_RUN[0], p=_RUN[1]))
        run = [(first + k) % 8 for k in range(length)]
        if taken & set(run) or any(half in blocked and (half + 1) % 8 in run[k + 1 : k + 2] for k, half in enumerate(run)):
            continue
        if length == 8 and arms:
            continue
        shape = str(rng.choice(["round", "many", "box", "cut"])) if rng.random() < 0.2 else form
        mask = np.zeros((PX, PX), np.uint8)
        cv2.fillPoly(mask, [np.round(_building(rng, first, length, shape, rough) * 8).astype(np.int32)], 1, cv2.LINE_8, 3)
        free = areas == 0
        if gap and len(kinds) > 1:
            free &= cv2.dilate((areas > 0).astype(np.uint8), np.ones((gap, gap), np.uint8)) == 0
        mask[~free | (line_distance < width + off_line)] = 0
        taken |= set(run)
        kinds.append(kinds[-1] if alike and len(kinds) > 1 else TOWER if rng.random() < tower else HOUSE)
        areas[mask > 0] = len(kinds) - 1
    if rng.random() < 0.15:
        # A building with yards.
        built = TOWER if rng.random() < 0.4 else HOUSE
        kinds = [built] + [OPEN if rng.random() < 0.7 else kind for kind in kinds[1:]]
    return areas, kinds


def _is_plain(mask):
    """Whether one sees at once what of a mask hangs together: it does by no narrow place."""
    large = lambda part, least: int((cv2.connectedComponentsWithStats(part, connectivity=4)[2][1:, cv2.CC_STAT_AREA] > least).sum())
    wide = cv2.erode(cv2.copyMakeBorder(mask, 2, 2, 2, 2, cv2.BORDER_REPLICATE), np.ones((_NARROW, _NARROW), np.uint8))[2:-2, 2:-2]
    return large(mask, 60) == large(wide, 12)


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


def _divided(rng, game, groups, square, line, wobble):
    """A tile that is divided among areas, the nearest to each place: areas [PX, PX] and kinds."""
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
    home = [{int(pieces[pixel_of(p)]) for p in block} - {0} for block in blocks]
    for piece in range(1, count):
        here = pieces == piece
        for k in range(len(blocks)):
            if piece not in home[k]:
                costs[k][here] += 1000
    areas = costs.argmin(0).astype(np.uint8)
    areas = cv2.medianBlur(areas, 5) if rng.random() < 0.5 else areas
    return areas, kinds


def _somewhere(rng, mask):
    """A place of a mask, 0..1, at times cut by the tile's edge, and its room in tile sides."""
    framed = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_REPLICATE)
    room = cv2.distanceTransform(framed, cv2.DIST_L2, 3)[1:-1, 1:-1] / PX
    ys, xs = np.nonzero(room > 0.09)
    if not len(xs):
        return _pole(mask)
    at = int(rng.integers(len(xs)))
    return (xs[at] + 0.5) / PX, (ys[at] + 0.5) / PX, min(float(room[ys[at], xs[at]]), 0.13)


def random_laid(
    rng: np.random.Generator, game: int, half_width: float, wobble: float, square_size: float = 0.14, built_apart: float = 0.0
) -> Laid:
    """A random face, laid out; lines are `half_width` and borders wander `wobble` tile sides,
    squares reach `square_size`; `built_apart` is how often buildings stand on open ground
    instead of sharing the tile out."""
    while True:
        laid = _random_laid(rng, game, half_width, wobble, square_size, built_apart)
        if laid is not None:
            return laid


def _random_laid(rng, game, half_width, wobble, square_size, built_apart):
    groups, square = _arms(rng, game)
    width = half_width * PX
    centre = np.array([0.5, 0.5]) + rng.normal(0, 0.02 if square else 0.035, 2)
    lines, ends = _lines(rng, groups, square, centre)
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
        line |= (np.hypot(xx - PX * centre[0], yy - PX * centre[1]) < square_size * PX).astype(np.uint8)
    if game == CASTLE and rng.random() < built_apart:
        near = np.where(line > 0, 0, line_distance).astype(np.float32)
        areas, kinds = _buildings(rng, groups, near, width)
    else:
        areas, kinds = _divided(rng, game, groups, square, line, wobble)

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
        here = ((fused == label) & (line == 0)).astype(np.uint8)
        if not _is_plain(here):
            return None
        count, parts = cv2.connectedComponents(here, connectivity=4)
        for part in range(1, count):
            held = [p for p in HALVES if parts[pixel_of(p)] == part]
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
            x, y, room = _pole(mask) if rng.random() < 0.5 else _somewhere(rng, mask)
            if room > 0.06:
                marks.append((MARKET if kind == OPEN else PENNANT, x, y, held, room))
    if game == CASTLE and lines and not square and rng.random() < 0.3:
        group = groups[int(rng.integers(len(groups)))]
        points = lines[groups.index(group)] if len(group) <= 2 else lines[0]
        at = points[len(points) // 2] if len(group) == 2 else points[-1] if len(group) > 2 else points[int(len(points) * 0.6)]
        beside = rng.normal(0, 0.5 * half_width, 2) if rng.random() < 0.5 else 0
        marks.append((FOUNTAIN, *(at + beside), [3 * s + 1 for s in group], 0.12))
    if game == CLASSIC and len(groups) < 2 and CITY not in kinds and rng.random() < 0.6:
        marks.append((CLOISTER, *(0.5 + rng.normal(0, 0.02, 2)), [], 0.2))
    return Laid(game, areas, kinds, line, line_distance, width, port_blocks, port_kinds, marks, ends, square, tuple(centre))
