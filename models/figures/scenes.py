"""Made-up patches of a table: tiles of made-up art, what stands and lies on them, its
shadow, a camera at a slant, and what the program would expect to see without figures."""

import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "recogniser"))
import art
import disturb

import channels as ch
import pieces
from channels import MARGIN, PATCH, PX

GRID = PATCH // 4
PARTS = (
    "makes", "shadows", "reference", "misplacement", "hands", "likeness", "gloss", "blur", "wall", "clutter", "exposure",
    "dimness", "closeness", "gleam",
)  # fmt: skip
left_out: set[str] = set()
# Usual paints, sRGB; others are made up.
PAINTS = np.array(
    [
        [38, 36, 36], [20, 20, 22], [222, 200, 160], [205, 170, 120], [240, 238, 230], [190, 36, 36], [30, 84, 170],
        [240, 200, 30], [40, 130, 60], [230, 120, 30], [110, 60, 150], [230, 130, 170], [110, 70, 40], [128, 128, 128],
        [20, 50, 110], [120, 20, 24], [20, 80, 50], [120, 190, 220], [150, 200, 70],
    ],
    np.float32,
)  # fmt: skip
_EDGE = 16
FIELD = PATCH + 2 * _EDGE


def has(part):
    return part not in left_out


def _paint(rng):
    if rng.random() < 0.75:
        return np.clip(PAINTS[rng.integers(len(PAINTS))] + rng.normal(0, 10, 3), 4, 250)
    return 255 * art.colour(rng, sat=(0, 1), value=(0.05, 1.0))


def _players(rng, tiles):
    """The players' paints, that differ as much as the program demands."""
    count = int(rng.choice([2, 2, 2, 3, 4, 5]))
    paints = []
    while len(paints) < count:
        if has("likeness") and rng.random() < 0.4:
            tile = tiles[rng.integers(len(tiles))]
            i, j = rng.integers(8, tile.shape[0] - 8, 2)
            paint = np.clip(tile[i, j].astype(np.float32) + rng.normal(0, 12, 3), 4, 250)
        elif rng.random() < 0.15 and not paints:
            paints += [PAINTS[rng.integers(2)], PAINTS[2 + rng.integers(3)]]
            continue
        else:
            paint = _paint(rng)
        looks = ch.lab(ch.linear(np.stack(paints + [paint]) / 255))
        if all(ch._distance(looks[-1], other) > 24 for other in looks[:-1]):
            paints.append(paint)
    return np.stack(paints)


def _laid(field, expected, known, table, rng, tile, place, expect):
    """Lays a tile on cell `place` (column, row of -1, 0, 1) a little off; `expect` is its
    reference, or None where nothing is known of the cell."""
    off = rng.normal(0, 1.1, 2).clip(-3, 3) if has("misplacement") else np.zeros(2)
    angle = rng.normal(0, 1.0) if has("misplacement") else 0.0
    side = PX * rng.uniform(0.965, 1.005)
    left, top = _EDGE + MARGIN + place[0] * PX, _EDGE + MARGIN + place[1] * PX
    centre = np.array([left, top]) + PX / 2 + off
    scale = side / tile.shape[0]
    m = cv2.getRotationMatrix2D((tile.shape[1] / 2, tile.shape[0] / 2), angle, scale)
    m[:, 2] += centre - np.array([tile.shape[1], tile.shape[0]]) / 2
    size = (FIELD, FIELD)
    alpha = cv2.warpAffine(np.ones(tile.shape[:2], np.float32), m, size, flags=cv2.INTER_LINEAR)[..., None]
    print_ = cv2.warpAffine(tile.astype(np.float32), m, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    edge = cv2.GaussianBlur(alpha, (0, 0), 1.0)[..., None] if rng.random() < 0.5 else alpha
    rim = rng.uniform(0.5, 1.0)
    field[:] = field * (1 - alpha * 0.999) * (1 - 0.3 * (edge - alpha).clip(0, 1)) + print_ * (rim + (1 - rim) * edge) * alpha
    a, b, c, d = max(left, 0), max(top, 0), min(left + PX, FIELD), min(top + PX, FIELD)
    if expect is not None and c > a and d > b:
        expected[b:d, a:c] = expect[b - top : d - top, a - left : c - left]
        known[b:d, a:c] = True
        table[b:d, a:c] = False


def _mip(tile):
    return cv2.resize(tile, (PX, PX), interpolation=cv2.INTER_AREA)


class _View:
    """A camera at a slant, and a lamp: how far a thing's height moves its picture and its
    shadow, in tile sides for each tile side of height."""

    def __init__(self, rng):
        slant, a = rng.uniform(0.05, 1.35) ** 1.0, rng.uniform(0, 2 * np.pi)
        self.lean = slant * np.array([np.cos(a), np.sin(a)])
        s, b = rng.uniform(0.0, 1.3), rng.uniform(0, 2 * np.pi)
        self.sun = s * np.array([np.cos(b), np.sin(b)])
        self.soft = rng.uniform(0.02, 0.25)
        self.ambient = rng.uniform(0.2, 0.85)


def _places(x0, y0, x1, y1, step):
    xs = np.arange(x0, x1, step, dtype=np.float32) + step / 2
    ys = np.arange(y0, y1, step, dtype=np.float32) + step / 2
    return np.meshgrid(xs, ys)


def _render(piece, turn, foot, view, step):
    """What is seen of a piece: its corner on the grid of `step`, its mask, normals; places
    are those of the plane of the tiles."""
    c, s = np.cos(turn), np.sin(turn)
    lean = view.lean
    reach, top = piece.reach, piece.height
    low = foot + np.minimum(0, lean * top) - reach
    high = foot + np.maximum(0, lean * top) + reach
    x0, y0 = np.floor(low / step) * step
    gx, gy = _places(x0, y0, *high, step)

    def solid(x, y, z):
        dx, dy = x - foot[0], y - foot[1]
        return piece.solid(c * dx + s * dy, c * dy - s * dx, z)

    depth = np.full(gx.shape, -1.0, np.float32)
    count = int(np.clip(np.ceil(top / 0.02), 6, 24))
    for z in np.linspace(top, 0.004, count):
        z = np.float32(z)
        x, y = gx - lean[0] * z, gy - lean[1] * z
        near = (depth < 0) & (np.hypot(x - foot[0], y - foot[1]) < reach)
        depth[near] = np.where(solid(x[near], y[near], z) < 0, z, depth[near])
    hit = depth >= 0
    z = depth[hit]
    x, y = gx[hit] - lean[0] * z, gy[hit] - lean[1] * z
    e = np.float32(0.012)
    k = np.array([[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [1, 1, 1]], np.float32) * e
    normal = sum(d[:, None] * solid(x + d[0], y + d[1], z + d[2]) for d in k).T
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True) + 1e-6
    return (x0, y0), hit, normal, z


def _shadow(piece, turn, foot, view, rng):
    """The share of the lamp that a piece keeps from each place of the field."""
    c, s = np.cos(turn), np.sin(turn)
    step = 3 / PX
    total = None
    top, reach = piece.height, piece.reach
    spread = view.soft + 0.02
    most = np.abs(view.sun).max() + spread
    low, high = foot - reach - most * top, foot + reach + most * top
    low = np.maximum(low, -(MARGIN + _EDGE) / PX)
    high = np.minimum(high, (FIELD - MARGIN - _EDGE) / PX)
    if (high <= low + step).any():
        return None
    low = np.floor(low / step) * step
    gx, gy = _places(*low, *high, step)
    samples = 4
    for i in range(samples):
        a = 2.4 * i
        sun = view.sun + view.soft * np.sqrt(i / samples) * np.array([np.cos(a), np.sin(a)])
        inside = np.zeros(gx.shape, bool)
        for z in np.linspace(0.01, top * 0.97, 7):
            dx, dy = gx + sun[0] * z - foot[0], gy + sun[1] * z - foot[1]
            inside |= piece.solid((c * dx + s * dy).astype(np.float32), (c * dy - s * dx).astype(np.float32), np.float32(z)) < 0
        total = inside / samples if total is None else total + inside / samples
    return low, cv2.resize(total.astype(np.float32), None, fx=3, fy=3, interpolation=cv2.INTER_LINEAR)


def _to_field(corner):
    """The pixel of the field of a place in tile sides of the middle cell."""
    return [int(round(v * PX)) + MARGIN + _EDGE for v in corner]


def _pasted(target, piece, at):
    """The overlap of a picture put at a pixel: slices of target and of piece."""
    x, y = at
    h, w = piece.shape[:2]
    a, b, c, d = max(x, 0), max(y, 0), min(x + w, target.shape[1]), min(y + h, target.shape[0])
    if c <= a or d <= b:
        return None
    return (slice(b, d), slice(a, c)), (slice(b - y, d - y), slice(a - x, c - x))


def _what(rng, size, keep_size, make):
    """A piece and its class."""
    if rng.random() < 0.2:
        return pieces.keep(rng, keep_size), pieces.KEEP
    up, down = pieces.follower(rng, size * rng.uniform(0.97, 1.03), make)
    if down is not None and rng.random() < 0.5:
        return down, pieces.LYING
    return up, pieces.STANDING


class _Wall:
    """The wall beside the middle cell: along one side of it, higher than the tiles. Its top
    hides what lies behind it from the camera; what stands on it leans over the tiles."""

    def __init__(self, rng, view):
        self.inward = np.roll([1, 0], int(rng.integers(2))) * int(rng.choice([-1, 1]))
        self.height = rng.uniform(0.005, 0.12) if rng.random() < 0.6 else rng.uniform(0.12, 0.6)
        # How far from the cell it begins, and its width, tile sides.
        self.off, self.width = rng.uniform(-0.02, 0.08), rng.uniform(0.4, 1.2)
        self.towards = float(view.lean @ self.inward) * self.height

    def is_beyond(self, place):
        """Whether a cell (column, row from the middle one) lies outside."""
        return int(np.array(place) @ self.inward) < 0

    def within(self):
        """How far each pixel of the field is from the cell's side, inwards, tile sides."""
        at = (np.arange(FIELD, dtype=np.float32) + 0.5 - MARGIN - _EDGE) / PX
        x, y = np.meshgrid(at, at)
        u = x if self.inward[0] else y
        return u if self.inward.sum() > 0 else 1 - u

    def place(self, rng, reach):
        """A place on its top, of the plane of its top, for what reaches so far."""
        out = self.off + rng.uniform(0.6 * reach, 0.6)
        along = rng.uniform(-0.3, 1.3)
        foot = np.where(self.inward != 0, -out if self.inward.sum() > 0 else 1 + out, along)
        return foot.astype(float)

    def drawn(self, plane, rng, tiles, lit, bright):
        """Draws it into linear light: its top, its inner face where that is seen, and the
        table beyond. `lit` are the lamp's shares on its top."""
        within = self.within()
        if rng.random() < 0.5:
            tile = tiles[rng.integers(len(tiles))]
            side = int(rng.integers(24, 90))
            strip = np.tile(cv2.resize(tile, (side, side), interpolation=cv2.INTER_AREA), (FIELD // side + 2, FIELD // side + 2, 1))
            i, j = rng.integers(0, side, 2)
            top = strip[i : i + FIELD, j : j + FIELD].astype(np.float32)
        else:
            top = 255 * disturb.table(rng, FIELD)
            if rng.random() < 0.5:
                # Fields that are counted.
                lines = ((np.arange(FIELD) + rng.integers(40)) % int(rng.integers(18, 40)) < 2)[None, :, None]
                top = np.where(lines if self.inward[1] else lines.swapaxes(0, 1), rng.uniform(0, 255, 3), top)
        top = ch._LINEAR[np.clip(top, 0, 255).astype(np.uint8)] * (bright(lit) * rng.uniform(0.8, 1.2))[..., None]
        edge = -self.off + self.towards
        if rng.random() < 0.4:
            # A rim of card or wood.
            paint = ch.linear(rng.uniform(20, 240, 3) / 255)
            top = np.where((within > edge - rng.uniform(0.02, 0.07))[..., None], paint, top)
        ramp = np.clip((edge - within) * PX + 0.5, 0, 1)[..., None]
        if self.towards < 0:
            face = ch.linear(rng.uniform(20, 220, 3) / 255) * rng.uniform(0.15, 0.8)
            low = np.clip((-self.off - within) * PX + 0.5, 0, 1)[..., None]
            plane = plane * (1 - low) + face * low
        plane = plane * (1 - ramp) + top * ramp
        outer = np.clip((edge - self.width - within) * PX + 0.5, 0, 1)[..., None]
        return plane * (1 - outer) + ch.linear(rng.uniform(10, 240, 3) / 255) * rng.uniform(0.2, 1.0) * outer


def _clutter(plane, covered, rng, tiles):
    """Lays a loose tile, a card, a coin over the field; what is under it is covered."""
    if rng.random() < 0.6:
        side = PX * rng.uniform(0.7, 1.3)
        art_ = tiles[rng.integers(len(tiles))].astype(np.float32)
        if rng.random() < 0.4:
            art_ = 255 * disturb.table(rng, 64)
        shape = np.ones(art_.shape[:2], np.float32)
        at = FIELD / 2 + PX * rng.uniform(0.4, 1.1) * np.array([np.cos(a := rng.uniform(0, 2 * np.pi)), np.sin(a)])
    else:
        side = PX * rng.uniform(0.12, 0.45)
        art_ = np.empty((48, 48, 3), np.float32)
        art_[:] = rng.choice([[200, 150, 60], [190, 190, 195], [170, 95, 60], rng.uniform(20, 240, 3)])
        yy, xx = np.mgrid[:48, :48] / 23.5 - 1
        rho = np.hypot(xx, yy)
        art_ *= (1 + rng.uniform(-0.3, 0.3) * (np.abs(rho - 0.8) < 0.08) + 0.15 * rng.standard_normal(rho.shape) * (rho < 0.7))[..., None]
        shape = (rho < 1).astype(np.float32)
        at = FIELD / 2 + rng.uniform(-0.8, 0.8, 2) * PX
    m = cv2.getRotationMatrix2D(((art_.shape[1] - 1) / 2, (art_.shape[0] - 1) / 2), rng.uniform(0, 360), side / art_.shape[0])
    m[:, 2] += at - (np.array(art_.shape[1::-1]) - 1) / 2
    print_ = cv2.warpAffine(np.clip(art_, 0, 255), m, (FIELD, FIELD), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpAffine(shape, m, (FIELD, FIELD), flags=cv2.INTER_LINEAR)
    off = rng.normal(0, 3, 2)
    cast = cv2.GaussianBlur(cv2.warpAffine(mask, np.float32([[1, 0, off[0]], [0, 1, off[1]]]), (FIELD, FIELD)), (0, 0), rng.uniform(0.8, 3))
    light = np.median(plane.mean(-1)) / 0.25
    plane = plane * (1 - rng.uniform(0.1, 0.7) * cast[..., None])
    over = ch._LINEAR[np.clip(print_, 0, 255).astype(np.uint8)] * np.clip(light, 0.4, 1.2)
    return plane * (1 - mask[..., None]) + over * mask[..., None], np.maximum(covered, mask)


def sample(rng, tiles, crowd=None):
    """A patch: its channels [11, 96, 96], the lean [2], heat [3, 24, 24], mask [24, 24],
    weight [24, 24] (0 where the truth is undecided)."""
    view = _View(rng)
    wall = _Wall(rng, view) if has("wall") and rng.random() < 0.4 else None
    field = 255 * disturb.table(rng, FIELD)
    table_colour = np.median(field.reshape(-1, 3), 0)
    expected = np.zeros((FIELD, FIELD, 3), np.uint8)
    expected[:] = 0
    known = np.zeros((FIELD, FIELD), bool)
    table = np.zeros((FIELD, FIELD), bool)
    references = []
    crowd = rng.random() if crowd is None else crowd
    order = [(i, j) for j in (-1, 0, 1) for i in (-1, 0, 1)]
    rng.shuffle(order)
    for place in order:
        place = tuple(int(v) for v in place)
        centre = place == (0, 0)
        kind = "tile" if centre or rng.random() < 0.25 + 0.75 * crowd else rng.choice(["table", "unknown"], p=[0.7, 0.3])
        if wall and wall.is_beyond(place):
            continue
        left, top = _EDGE + MARGIN + place[0] * PX, _EDGE + MARGIN + place[1] * PX
        a, b, c, d = max(left, 0), max(top, 0), min(left + PX, FIELD), min(top + PX, FIELD)
        if kind == "table":
            known[b:d, a:c] = table[b:d, a:c] = True
        elif kind == "unknown" and rng.random() < 0.6:
            field[b:d, a:c] = 255 * disturb.table(rng, PX)[: d - b, : c - a]
        elif kind == "tile":
            tile = np.rot90(tiles[rng.integers(len(tiles))], int(rng.integers(4))).copy()
            told = centre or rng.random() < 0.92
            _laid(field, expected, known, table, rng, tile, place, _mip(tile) if told else None)
            references.append((a, b, c, d))
    colours = _players(rng, tiles)
    light = np.exp(rng.normal(0, 0.12, 3)) * np.exp(rng.normal(-0.25, 0.35))
    if has("exposure") and rng.random() < 0.15:
        # Pale paint and pale prints burn out together.
        light = light * rng.uniform(1.2, 2.2)
    dim = has("dimness") and rng.random() < 0.15
    if dim:
        light = light * rng.uniform(0.15, 0.7)
    # Linear light of plane and pieces.
    plane = ch._LINEAR[np.clip(field, 0, 255).astype(np.uint8)]
    count = int(rng.choice([0, 1, 2, 3, 4], p=[0.28, 0.4, 0.2, 0.08, 0.04]))
    size = rng.uniform(0.26, 0.5)
    keep_size = min(size * rng.uniform(1.0, 1.7) + 0.08, 0.72)
    make = str(rng.choice(pieces.MAKES)) if has("makes") else "cut"
    gloss, sharp = (rng.uniform(0, 0.5) if has("gloss") else 0.0), rng.uniform(8, 60)
    # How near two feet may be, of what the pieces reach: nearer than they can stand in rare ones,
    # where solids that reach far in one direction stand side by side.
    apart = rng.uniform(0.5, 0.8) if has("closeness") and rng.random() < 0.3 else 0.8
    things = []
    for _ in range(count):
        piece, kind = _what(rng, size, keep_size, make)
        for _ in range(8):
            foot = rng.uniform(-0.55, 1.55, 2) if rng.random() < 0.4 else rng.uniform(0.03, 0.97, 2)
            if all(np.hypot(*(foot - t[2])) > apart * (piece.reach + t[0].reach) for t in things):
                owner = things[-1][6] if apart < 0.8 and things and rng.random() < 0.5 else int(rng.integers(len(colours)))
                stray = rng.random() < 0.06
                paint = colours[owner]
                if stray:
                    paint = _paint(rng)
                    looks = ch.lab(ch.linear(np.vstack([colours, paint[None]]) / 255))
                    stray = all(ch._distance(looks[-1], o) > 45 for o in looks[:-1])
                    paint = paint if stray else colours[owner]
                things.append((piece, kind, foot, rng.uniform(0, 2 * np.pi), paint, stray, owner))
                break
    raised = []
    for _ in range(int(rng.choice([0, 1, 2, 3, 4], p=[0.2, 0.3, 0.25, 0.15, 0.1])) if wall else 0):
        other = rng.random() < 0.3
        piece, kind = _what(rng, size, keep_size, str(rng.choice(pieces.MAKES)) if other else make)
        foot, paint = wall.place(rng, piece.reach), colours[int(rng.integers(len(colours)))]
        if all(np.hypot(*(foot - t[2])) > 0.8 * (piece.reach + t[0].reach) for t in raised):
            raised.append((piece, kind, foot, rng.uniform(0, 2 * np.pi), _paint(rng) if rng.random() < 0.15 else paint, True))
    lit = np.ones((FIELD, FIELD), np.float32)
    lit_top = lit.copy()

    def shaded(light, thing, shift):
        piece, _, foot, turn, *_ = thing
        if has("shadows") and (cast := _shadow(piece, turn, foot + shift, view, rng)):
            where = _pasted(light, cast[1], _to_field(cast[0]))
            if where:
                light[where[0]] = np.minimum(light[where[0]], 1 - cast[1][where[1]])

    for thing in things:
        shaded(lit, thing, 0)
    for thing in raised:
        # Of what stands on the wall, the shadow is seen on its top and on the tiles.
        shaded(lit, thing, -view.sun * wall.height)
        shaded(lit_top, thing, view.lean * wall.height)
    if wall and has("shadows"):
        low = -wall.off - float(view.sun @ wall.inward) * wall.height
        lit *= 1 / (1 + np.exp(np.clip((low - wall.within()) / (0.006 + 0.3 * view.soft * wall.height), -30, 30)))
    if rng.random() < 0.3 and has("shadows"):
        # The shadow of something that is not in the picture.
        u = rng.uniform(0, 2 * np.pi)
        yy, xx = np.mgrid[:FIELD, :FIELD].astype(np.float32) / PX - 1
        edge = xx * np.cos(u) + yy * np.sin(u) + rng.uniform(-0.6, 0.6)
        lit *= 1 - rng.uniform(0.2, 0.9) / (1 + np.exp(-edge / rng.uniform(0.01, 0.1)))
    bright = view.ambient + (1 - view.ambient) * lit
    plane = plane * bright[..., None]
    heat = np.zeros((3, GRID, GRID), np.float32)
    weight = np.ones((GRID, GRID), np.float32)
    alive = np.zeros((FIELD, FIELD), np.float32)
    sun = np.array([*view.sun, 1.0])
    sun /= np.linalg.norm(sun)
    eye = np.array([*-view.lean, 1.0])
    eye /= np.linalg.norm(eye)
    half = (sun + eye) / np.linalg.norm(sun + eye)
    seen_of = []

    def put(plane, thing, up):
        """Draws a thing whose foot is `up` above the tiles."""
        piece, kind, foot, turn, paint, stray, *_ = thing
        corner, hit, normal, z = _render(piece, turn, foot + view.lean * up, view, 1 / PX)
        shade = np.zeros((*hit.shape, 3), np.float32)
        facing = np.clip(normal @ sun, 0, None) / max(sun[2], 0.4)
        sky = 0.55 + 0.45 * normal[:, 2]
        at = np.clip(np.round(foot * PX).astype(int) + MARGIN + _EDGE, 0, FIELD - 1)
        base = view.ambient * sky + (1 - view.ambient) * np.minimum(facing, 1.6)
        base *= (0.75 + 0.25 * np.clip(z / (0.5 * piece.height), 0, 1))
        if up == 0 and rng.random() < 0.2:
            base *= 0.3 + 0.7 * lit[at[1], at[0]]
        own = ch.linear(np.clip(paint * np.exp(rng.normal(0, 0.08)) + rng.normal(0, 5, 3), 0, 255) / 255)
        spec = gloss * np.clip(normal @ half, 0, None) ** sharp
        spec += 0.3 * gloss * (1 - np.clip(normal @ eye, 0, 1)) ** 3
        grain = 1 + rng.uniform(0, 0.1) * rng.standard_normal(len(z))
        shade[hit] = own * (base * grain)[:, None] + spec[:, None] * (0.5 + 0.5 * (1 - view.ambient))
        cover = cv2.GaussianBlur(hit.astype(np.float32), (0, 0), 0.5)
        solid = shade[hit].mean(0) if hit.any() else np.zeros(3)
        shade = cv2.GaussianBlur(np.where(hit[..., None], shade, solid.astype(np.float32)), (0, 0), 0.5) * cover[..., None]
        whole = _to_field(corner)
        where = _pasted(plane, cover, whole)
        full = float(cover.sum())
        if where is None:
            return
        m = cover[where[1]][..., None]
        plane[where[0]] = plane[where[0]] * (1 - m) + shade[where[1]]
        for other in seen_of:
            other["mask"][where[0]] *= 1 - cover[where[1]]
        mask = np.zeros((FIELD, FIELD), np.float32)
        mask[where[0]] = cover[where[1]]
        seen_of.append({"mask": mask, "full": full, "kind": kind, "foot": foot, "stray": stray, "up": up})

    def farthest_first(those):
        return sorted(those, key=lambda t: -float(t[2] @ view.lean))

    def raise_wall(plane):
        plane = wall.drawn(plane, rng, tiles, lit_top, lambda lit: view.ambient + (1 - view.ambient) * lit)
        hidden = np.clip((wall.towards - wall.off - wall.within()) * PX + 0.5, 0, 1)
        for other in seen_of:
            other["mask"] *= 1 - hidden
        for thing in farthest_first(raised):
            put(plane, thing, wall.height)
        return plane

    # A wall beyond the tiles is behind what stands on them, one before them hides it.
    if wall and wall.towards < 0:
        plane = raise_wall(plane)
    for thing in farthest_first(things):
        put(plane, thing, 0)
    if wall and wall.towards >= 0:
        plane = raise_wall(plane)
    if wall:
        strip = wall.within() < max(wall.towards, 0) + 0.03 + rng.normal(0, 0.015)
        known &= ~strip
        table &= ~strip
    covered = np.zeros((FIELD, FIELD), np.float32)
    if has("clutter") and rng.random() < 0.12:
        plane, covered = _clutter(plane, covered, rng, tiles)
    if has("hands") and rng.random() < 0.12:
        picture = np.clip(ch.srgb(plane), 0, 1)
        before = picture.copy()
        picture, _ = disturb._hand(np.ascontiguousarray(cv2.resize(picture, (144, 144))), rng)
        picture = cv2.resize(picture, (FIELD, FIELD))
        hand = (np.abs(picture - before).max(-1) > 0.12).astype(np.float32)
        if hand.mean() < 0.6:
            plane = ch._LINEAR[np.clip(picture * 255, 0, 255).astype(np.uint8)]
            covered = np.maximum(covered, hand)
    if wall is None and rng.random() < 0.08:
        # The wall before some of the cells: nothing is known there.
        edge, side = int(rng.integers(4, 40)), int(rng.integers(4))
        board = ch._LINEAR[np.clip(255 * disturb.table(rng, FIELD), 0, 255).astype(np.uint8)] * rng.uniform(0.5, 1.2)
        strip = np.zeros((FIELD, FIELD), bool)
        strip[: edge + _EDGE] = True
        strip = np.rot90(strip, side)
        plane = np.where(strip[..., None], board, plane)
        known &= ~strip
        table &= ~strip
        covered = np.maximum(covered, strip)
    # Where there is no wall, the program cuts out the tiles and the table beside them.
    cut_out = wall is None and rng.random() < 0.25
    if cut_out:
        covered = np.maximum(covered, ~known)
    for thing in seen_of:
        mask = thing["mask"] * (1 - covered)
        if thing["up"] > 0:
            alive = np.maximum(alive, mask)
        if thing["stray"]:
            continue
        inner = mask[_EDGE:-_EDGE, _EDGE:-_EDGE]
        seen, full = float(mask.sum()), max(thing["full"], 1.0)
        alive = np.maximum(alive, mask)
        fx, fy = thing["foot"] * GRID * PX / PATCH + GRID * MARGIN / PATCH - 0.5
        if not (-1 < fx < GRID and -1 < fy < GRID):
            continue
        jj, ii = np.mgrid[:GRID, :GRID]
        d2 = (ii - fx) ** 2 + (jj - fy) ** 2
        if seen < 30 or seen < 0.3 * full or float(inner.sum()) < 0.5 * seen:
            weight[d2 < 9] = 0
            continue
        spread = 1.0 if thing["kind"] != pieces.KEEP else 1.3
        heat[thing["kind"]] = np.maximum(heat[thing["kind"]], np.exp(-d2 / (2 * spread**2)))
    # Light and camera.
    yy, xx = np.mgrid[:FIELD, :FIELD].astype(np.float32) / FIELD - 0.5
    a = rng.uniform(0, 2 * np.pi)
    gradient = 1 + rng.uniform(0, 0.4) * (xx * np.cos(a) + yy * np.sin(a))
    plane = plane * (light * gradient[..., None])
    if rng.random() < 0.15:
        x, y = rng.uniform(-0.5, 0.5, 2)
        spot = np.exp(-(((xx - x) / rng.uniform(0.05, 0.3)) ** 2 + ((yy - y) / rng.uniform(0.05, 0.3)) ** 2))
        plane = plane + rng.uniform(0.1, 0.7) * spot[..., None]
    if has("gleam") and rng.random() < 0.08:
        # A lamp or a window that the table mirrors: whatever lies flat is whitened alike.
        x, y = rng.uniform(-0.5, 0.5, 2)
        u, v = (xx - x) * np.cos(a) + (yy - y) * np.sin(a), (yy - y) * np.cos(a) - (xx - x) * np.sin(a)
        off = np.maximum(np.abs(u) - rng.uniform(0.05, 0.4), np.abs(v) - rng.uniform(0.05, 0.4))
        pane = 1 / (1 + np.exp(np.clip(off / rng.uniform(0.005, 0.08), -30, 30)))
        plane = plane + light * rng.uniform(0.1, 0.9) * (pane * (1 - 0.9 * cv2.GaussianBlur(alive, (0, 0), 0.7)))[..., None]
    picture = ch.srgb(plane)
    if has("blur"):
        fx, fy = rng.uniform(0.42, 1.0), rng.uniform(0.42, 1.0)
        small = (max(24, int(FIELD * fx)), max(24, int(FIELD * fy)))
        picture = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)
        if rng.random() < 0.5:
            picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.25, 1.1))
        if rng.random() < 0.15:
            n = int(rng.integers(2, 6))
            kernel = cv2.warpAffine(np.eye(n, dtype=np.float32), cv2.getRotationMatrix2D((n / 2 - 0.5, n / 2 - 0.5), rng.uniform(0, 180), 1), (n, n))
            picture = cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1e-3))
    picture = picture + rng.uniform(0, 0.06 if dim else 0.025) * rng.standard_normal(picture.shape).astype(np.float32)
    if rng.random() < 0.3:
        picture = picture + rng.uniform(0.1, 0.6) * (picture - cv2.GaussianBlur(picture, (0, 0), 1.2))
    picture = np.clip(picture * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        _, data = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 95))])
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)[..., ::-1]
    picture = cv2.resize(np.ascontiguousarray(picture), (FIELD, FIELD), interpolation=cv2.INTER_LINEAR)
    if cut_out:
        picture = picture * known[..., None].astype(np.uint8)
    seen = cv2.GaussianBlur(picture, (0, 0), 0.8)
    # References as an owner's scan shows them, then in this picture's light.
    tone = np.exp(rng.normal(0, 0.1, 3)) if has("reference") else np.ones(3)
    gamma = np.exp(rng.normal(0, 0.12)) if has("reference") else 1.0
    soft = rng.uniform(0, 1.2)
    table_seen = np.median(seen[table], 0) if table.any() else table_colour
    full = (255 * np.clip(tone * (expected / 255.0) ** gamma, 0, 1)).astype(np.uint8)
    out = np.zeros_like(seen)
    for a, b, c, d in references:
        if not known[b:d, a:c].any():
            continue
        part = np.ascontiguousarray(full[b:d, a:c])
        if soft > 0.3:
            part = cv2.GaussianBlur(part, (0, 0), soft)
        out[b:d, a:c] = ch.in_light_of(part, seen[b:d, a:c])
    out[table] = table_seen
    out[~known] = 0
    told = np.clip(colours * np.exp(rng.normal(0, 0.06, (len(colours), 3))) + rng.normal(0, 6, colours.shape), 0, 255)
    usual_light = light * np.median(bright) / np.where(tone > 0, tone, 1) ** 2.2 * np.exp(rng.normal(0, 0.12))
    cut = slice(_EDGE, -_EDGE)
    planes = ch.channels(seen[cut, cut], out[cut, cut], known[cut, cut], table[cut, cut], told, usual_light)
    mask = cv2.resize(alive[cut, cut], (GRID, GRID), interpolation=cv2.INTER_AREA)
    return planes, view.lean.astype(np.float32), heat, mask, weight
