"""Makes castle walls: reads `wall.toml`, draws the upper face, and says where its parts lie.

Lengths are tile sides, x to the right and y down from the upper left corner of cell (0, 0). The
track counts as `wall.toml` says; what a start space shows is painted by the deck's painter.
"""

import tomllib
from dataclasses import dataclass

import numpy as np

import faces
from painter import PX, Painter, Pen, flags, noise, rgb, step

#: Pixels a tile side of the wall's picture.
SCALE = 120
STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}

#: Strokes of the digits, x to the right and y down, 0 to 1; 9 is 6 turned about.
STROKES = {
    0: [[(0, 0.22), (0.3, 0), (0.7, 0), (1, 0.22), (1, 0.78), (0.7, 1), (0.3, 1), (0, 0.78), (0, 0.22)]],
    1: [[(0.2, 0.28), (0.6, 0), (0.6, 1)], [(0.25, 1), (0.95, 1)]],
    2: [[(0, 0.22), (0.28, 0), (0.74, 0), (1, 0.24), (0.9, 0.46), (0, 1), (1, 1)]],
    3: [
        [(0, 0.1), (0.3, 0), (0.78, 0), (1, 0.2), (0.8, 0.44), (0.4, 0.47)],
        [(0.4, 0.47), (0.8, 0.5), (1, 0.76), (0.74, 1), (0.26, 1), (0, 0.88)],
    ],
    4: [[(0.72, 1), (0.72, 0), (0, 0.7), (1, 0.7)]],
    5: [
        [(0.95, 0), (0.12, 0), (0.06, 0.46), (0.58, 0.4), (1, 0.58), (1, 0.8), (0.7, 1), (0.22, 1), (0, 0.88)]
    ],
    6: [
        [
            (0.86, 0.02),
            (0.36, 0.2),
            (0, 0.58),
            (0, 0.8),
            (0.3, 1),
            (0.7, 1),
            (1, 0.8),
            (1, 0.64),
            (0.7, 0.48),
            (0.3, 0.48),
            (0.02, 0.66),
        ]
    ],
    7: [[(0, 0), (1, 0), (0.42, 1)]],
    8: [
        [
            (0.5, 0.46),
            (0.1, 0.3),
            (0.1, 0.12),
            (0.36, 0),
            (0.64, 0),
            (0.9, 0.12),
            (0.9, 0.3),
            (0.5, 0.46),
            (0, 0.68),
            (0, 0.86),
            (0.3, 1),
            (0.7, 1),
            (1, 0.86),
            (1, 0.68),
            (0.5, 0.46),
        ]
    ],
}
STROKES[9] = [[(1 - x, 1 - y) for x, y in stroke] for stroke in STROKES[6]]


def rounded(points, times: int):
    """A line with its corners cut so often."""
    for _ in range(times):
        cut = [points[0]]
        for (ax, ay), (bx, by) in zip(points, points[1:]):
            cut += [
                (0.75 * ax + 0.25 * bx, 0.75 * ay + 0.25 * by),
                (0.25 * ax + 0.75 * bx, 0.25 * ay + 0.75 * by),
            ]
        points = [*cut, points[-1]]
    return points


@dataclass
class Edge:
    """A cell's side at which the wall begins: its two ends and the way out."""

    a: tuple
    b: tuple
    out: tuple

    def on(self, p):
        """How far along it and how far out of it a place lies."""
        dx, dy = self.b[0] - self.a[0], self.b[1] - self.a[1]
        u, v = p[0] - self.a[0], p[1] - self.a[1]
        return u * dx + v * dy, u * self.out[0] + v * self.out[1]


class Wall:
    """A wall's shape, as `wall.toml` has it."""

    def __init__(self, path):
        data = tomllib.loads(path.read_text())
        self.outline = data["outline"]
        self.thickness = data["thickness"]
        self.track = data["track"]
        self.towers = data["towers"]
        self.starts = data["start"]
        self.cells = {(c, r) for r, line in enumerate(self.outline) for c, t in enumerate(line) if t == "#"}
        self.columns, self.rows = max(map(len, self.outline)), len(self.outline)
        self.edges = self._edges()
        #: The wall's footprint as rectangles: left, top, right, bottom.
        self.blocks = self._blocks()
        self.squares = self._squares()
        tower_spaces = {s for pair in self.towers for s in pair}
        self.plain = [s for s in range(len(self.track)) if s not in tower_spaces]

    def _edges(self):
        ends = {
            "north": ((0, 0), (1, 0)),
            "east": ((1, 0), (1, 1)),
            "south": ((1, 1), (0, 1)),
            "west": ((0, 1), (0, 0)),
        }
        edges = []
        for c, r in sorted(self.cells):
            for side, (dx, dy) in STEPS.items():
                if (c + dx, r + dy) not in self.cells:
                    (ax, ay), (bx, by) = ends[side]
                    edges.append(Edge((c + ax, r + ay), (c + bx, r + by), (dx, dy)))
        return edges

    def _blocks(self):
        t, blocks = self.thickness, []
        for e in self.edges:
            x, y = (e.a[0], e.b[0]), (e.a[1], e.b[1])
            ox, oy = e.out[0] * t, e.out[1] * t
            blocks.append(
                (min(*x) + min(ox, 0), min(*y) + min(oy, 0), max(*x) + max(ox, 0), max(*y) + max(oy, 0))
            )
        for c, r in sorted(self.cells):
            for dx in (-1, 1):
                for dy in (-1, 1):
                    if not {(c + dx, r), (c, r + dy), (c + dx, r + dy)} & self.cells:
                        x, y = c + (dx > 0), r + (dy > 0)
                        blocks.append(
                            (min(x, x + dx * t), min(y, y + dy * t), max(x, x + dx * t), max(y, y + dy * t))
                        )
        return blocks

    def _squares(self):
        """The middles of the squares at the wall's corners."""
        squares = []
        for x in range(self.columns + 1):
            for y in range(self.rows + 1):
                quarters = {
                    (dx, dy): (x + min(dx, 0), y + min(dy, 0)) in self.cells
                    for dx in (-1, 1)
                    for dy in (-1, 1)
                }
                inside = [q for q, held in quarters.items() if held]
                if len(inside) in (1, 3):
                    dx, dy = sum(q[0] for q in inside), sum(q[1] for q in inside)
                    squares.append((x - dx * self.thickness / 2, y - dy * self.thickness / 2))
        return squares

    def edge_of(self, space: int):
        """The edge that a track space lies at, and how far along and out."""
        found = []
        for e in self.edges:
            along, depth = e.on(self.track[space])
            if -1e-6 <= along <= 1 + 1e-6 and 0 <= depth <= self.thickness:
                found.append((abs(depth - self.thickness / 2), e, along, depth))
        return min(found, key=lambda f: f[0])[1:] if found else None

    def tower_middle(self, pair):
        """The middle of the square, at a corner of the wall, that a pair of spaces lies on."""
        (ax, ay), (bx, by) = self.track[pair[0]], self.track[pair[1]]
        x, y = (ax + bx) / 2, (ay + by) / 2
        return min(self.squares, key=lambda p: np.hypot(p[0] - x, p[1] - y))


class WallMaker:
    """Draws the wall: stone, spaces, lettering and ornaments follow from a seed."""

    def __init__(self, wall: Wall, painter: Painter, seed: int):
        rng = np.random.default_rng([seed, 11])
        self.wall, self.painter, self.seed = wall, painter, seed
        self.stone = rgb(rng.choice(["#b9ae98", "#8f8a84", "#a5785c", "#6d7480", "#cbbf9f", "#7b6a57"]))
        self.stone = np.clip(self.stone + rng.normal(0, 0.03, 3), 0, 1)
        dark = self.stone.mean() < 0.5
        self.letter = rgb("#f4ead2") if dark and rng.random() < 0.7 else rgb("#1c1714")
        self.plate = rgb("#2d2a2e") if self.letter.mean() > 0.5 else rgb("#efe6d0")
        self.courses = rng.choice(["ashlar", "rubble", "planks"])
        self.space = rng.choice(["medallion", "shield", "lines", "slab"])
        self.curve = int(rng.choice([0, 2, 3]))
        self.slant = rng.uniform(-0.15, 0.25)
        self.weight = rng.uniform(0.13, 0.2)
        self.facing = rng.choice(["outwards", "inwards", "up"])
        self.figure = rng.uniform(0.15, 0.19)
        self.tints = [
            np.clip(self.plate * k + painter.ink["catch"][i] * (1 - k), 0, 1)
            for i, k in ((0, 0.55), (1, 0.55))
        ]
        self.line = painter.ink["line"]
        self.margin = wall.thickness + 0.1
        #: Where the upper left corner of cell (0, 0) lies in the picture, px.
        self.origin = round(self.margin * SCALE)
        self.size = (
            int((wall.rows + 2 * self.margin) * SCALE) + 1,
            int((wall.columns + 2 * self.margin) * SCALE) + 1,
        )

    def mask(self) -> np.ndarray:
        """Where in the picture there is wall."""
        mask = np.zeros(self.size, bool)
        px = lambda v: int(round(v * SCALE)) + self.origin
        for left, top, right, bottom in self.wall.blocks:
            mask[px(top) : px(bottom), px(left) : px(right)] = True
        for c, r in self.wall.cells:
            mask[px(r) : px(r + 1), px(c) : px(c + 1)] = False
        return mask

    def draw(self) -> np.ndarray:
        """The wall's upper face from straight above, as bytes."""
        rng = np.random.default_rng([self.seed, 12])
        h, w = self.size
        x, y = np.meshgrid((np.arange(w) - self.origin) / SCALE, (np.arange(h) - self.origin) / SCALE)
        picture = np.broadcast_to(self.stone, (h, w, 3)).copy()
        if self.courses == "rubble":
            tint, joint = flags(rng, x, y, 6)
            picture += tint[..., None] * 0.16
        elif self.courses == "ashlar":
            rows = y * 4
            across = x * 2.6 + 0.5 * (np.floor(rows) % 2)
            one = np.sin(12.9 * np.floor(rows) + 78.2 * np.floor(across))
            picture += one[..., None] * 0.05
            joint = np.minimum(
                np.minimum(rows % 1, 1 - rows % 1) / 4, np.minimum(across % 1, 1 - across % 1) / 2.6
            )
        else:
            grain = noise(rng, (h, w // 16), 60, 2)
            picture *= (1 + 0.06 * np.repeat(grain, 17, axis=1)[:, :w])[..., None]
            joint = np.minimum((y * 5) % 1, 1 - (y * 5) % 1) / 5
        picture += (self.line - picture) * (0.45 * (1 - step(0.004, 0.012, joint)))[..., None]
        picture *= (1 + 0.08 * noise(rng, (h, w), 30))[..., None]
        pen = Pen((h, w), SCALE, self.origin, self.line, 0.008)
        self.borders(pen)
        self.starts(picture, pen, rng)
        for pair in self.wall.towers:
            self.tower(pen, pair)
        for space in self.wall.plain:
            self.plain_space(pen, space, rng)
        for space in range(len(self.wall.track)):
            self.number(pen, space)
        picture = pen.over(picture)
        picture *= (1 + 0.02 * rng.standard_normal((h, w)))[..., None]
        return (255 * np.clip(picture, 0, 1)).round().astype(np.uint8)

    def borders(self, pen):
        """The wall's rims, and lines between neighbouring spaces."""
        w = self.wall
        for e in w.edges:
            pen.stroke([e.a, e.b], self.line, 4)
            out = [
                (p[0] + e.out[0] * (w.thickness - 0.03), p[1] + e.out[1] * (w.thickness - 0.03))
                for p in (e.a, e.b)
            ]
            pen.stroke(out, np.clip(self.stone * 0.6, 0, 1), 5)
        for a, b in zip(w.plain, w.plain[1:]):
            if b != a + 1:
                continue
            first, second = w.edge_of(a), w.edge_of(b)
            if first and second and first[0].out == second[0].out and abs(first[2]) < 2:
                (ax, ay), (bx, by) = w.track[a], w.track[b]
                mx, my = (ax + bx) / 2, (ay + by) / 2
                out, depth = first[0].out, first[2]
                inner, outer = -depth + 0.03, w.thickness - depth - 0.05
                pen.stroke(
                    [(mx + out[0] * inner, my + out[1] * inner), (mx + out[0] * outer, my + out[1] * outer)],
                    self.line,
                    1.6,
                )

    def tower(self, pen, pair):
        x, y = self.wall.tower_middle(pair)
        half = self.wall.thickness / 2
        pen.shape(
            [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)],
            np.clip(self.stone * 0.7, 0, 1),
            2.5,
        )
        ax, ay = np.sign(self.wall.track[pair[0]][0] - x), np.sign(self.wall.track[pair[0]][1] - y)
        k = 0.84 * half
        corners = [(x - k, y - k), (x + k, y - k), (x + k, y + k), (x - k, y + k)]
        for tint, (sx, sy) in ((self.tints[0], (ax, ay)), (self.tints[1], (-ax, -ay))):
            pen.shape([c for c in corners if (c[0] - x) * sx + (c[1] - y) * sy > -1e-6], tint, 1.6)

    def plain_space(self, pen, space: int, rng):
        x, y = self.wall.track[space]
        found = self.wall.edge_of(space)
        if not found or self.space == "lines":
            return
        out = found[0].out
        tint = np.clip(self.plate + rng.normal(0, 0.02, 3), 0, 1)
        if space % 10 == 0:
            tint = self.tints[1]
        elif space % 5 == 0:
            tint = self.tints[0]
        r = min(0.17, self.wall.thickness - found[2] - 0.03, found[2] - 0.03)
        if self.space == "medallion":
            circle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
            pen.shape([(x + r * np.cos(a), y + r * np.sin(a)) for a in circle], tint, 1.4)
            return
        shield = [(-0.19, 0.8), (0.19, 0.8), (0.19, -0.3), (0, -1.0), (-0.19, -0.3)]
        slab = [(-0.2, 0.9), (0.2, 0.9), (0.2, -0.9), (-0.2, -0.9)]
        across = (-out[1], out[0])
        points = shield if self.space == "shield" else slab
        pen.shape(
            [(x + u * across[0] + v * r * out[0], y + u * across[1] + v * r * out[1]) for u, v in points],
            tint,
            1.4,
        )

    def number(self, pen, space: int):
        """A number, its foot where this wall's lettering has it."""
        x, y = self.wall.track[space]
        found = self.wall.edge_of(space)
        up = (0.0, -1.0)
        if found and self.facing != "up" and space in self.wall.plain:
            k = 1 if self.facing == "outwards" else -1
            up = (k * found[0].out[0], k * found[0].out[1])
        right = (-up[1], up[0])
        height = self.figure * (1.0 if space in self.wall.plain else 0.72)
        wide = 0.55 * height
        text = str(space)
        step_on = wide * 1.45
        for k, digit in enumerate(text):
            at = (k - (len(text) - 1) / 2) * step_on
            for stroke in STROKES[int(digit)]:
                points = []
                for px, py in rounded(stroke, self.curve):
                    u = at + (px - 0.5 + self.slant * (0.5 - py)) * wide
                    v = (0.5 - py) * height
                    points.append((x + u * right[0] + v * up[0], y + u * right[1] + v * up[1]))
                pen.stroke(points, self.letter, self.weight * height / pen.width)

    def starts(self, picture, pen, rng):
        """The start spaces: a strip of the tile that would lie there."""
        w = self.wall
        # The strip ends where the numbers beside it begin.
        depths = [f[2] for f in map(w.edge_of, w.plain) if f]
        depth = float(np.clip(min(depths) - 0.62 * self.figure, 0.1, 0.24))
        for n, start in enumerate(w.starts):
            (dx, dy), (c, r) = STEPS[start["side"]], start["cell"]
            tile = self.painter.tile(start["face"], 1000 + n, bare=True).astype(float) / 255
            left, top = c + dx, r + dy
            x0, x1, y0, y1 = left, left + 1, top, top + 1
            if dx:
                x0, x1 = (left, left + depth) if dx > 0 else (left + 1 - depth, left + 1)
            else:
                y0, y1 = (top, top + depth) if dy > 0 else (top + 1 - depth, top + 1)
            px = lambda v: int(round(v * SCALE)) + self.origin
            rows, cols = np.arange(px(y0), px(y1)), np.arange(px(x0), px(x1))
            v = ((rows - self.origin + 0.5) / SCALE - top) * PX
            u = ((cols - self.origin + 0.5) / SCALE - left) * PX
            strip = tile[np.clip(v, 0, PX - 1).astype(int)][:, np.clip(u, 0, PX - 1).astype(int)]
            picture[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1] = strip
            pen.shape([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], None, 2.6)
            self.start_things(pen, start, (left, top), (dx, dy), depth, rng)
            pen.home()

    def start_things(self, pen, start, corner, out, depth, rng):
        """Small things that say what a start space shows."""
        for segment in faces.parse(start["face"]):
            if segment.is_path:
                continue
            along = np.mean([0.25 if (p[1] == "l") == (p[0] in "ne") else 0.75 for p in segment.ports])
            marks = segment.marks.count("market")
            spread = 0.22
            for k, at in enumerate(np.linspace(along - spread / 2, along + spread / 2, 2)):
                if out[0]:
                    x = corner[0] + (depth / 2 if out[0] > 0 else 1 - depth / 2)
                    y = corner[1] + at
                else:
                    x = corner[0] + at
                    y = corner[1] + (depth / 2 if out[1] > 0 else 1 - depth / 2)
                if segment.kind == "court":
                    draw = self.painter.cart if k < marks else self.painter.plant
                else:
                    draw = self.painter.house if segment.kind == "house" else self.painter.turret
                draw(pen, x, y, 0.36 * depth, rng)
