"""Paints the tiles of a deck: one painter a seed, with a school, inks and habits of its own.

A painter lays a tile out by `faces.py`, bends that a little, fills the areas with patterns,
draws small things on them (houses, turrets, trees, people, carts, basins) and finishes the sheet
as its school does: cut in lino, in gouache, as a coarse print in dots, or in watered colours.
"""

import numpy as np
from PIL import Image, ImageDraw

import faces

#: Pixels a side of a painted tile.
PX = 256
#: Small things are drawn so many times larger.
FINE = 3
FAR = faces.FAR
SCHOOLS = ["lino", "gouache", "dots", "water"]

#: Inks by what they are for: court, its plants, houses' yard, roofs, walls of houses, towers,
#: path, its edge, lines, paper, and two that catch the eye.
INKS = [
    dict(
        court="#7f9a5a",
        plant="#3f5f3a",
        yard="#d8b98c",
        roofs=("#b4472f", "#8f3a2c"),
        walls="#efe0c2",
        tower="#8b8a93",
        path="#e9d7a8",
        edge="#7a5c3a",
        line="#2b2320",
        paper="#f3ead6",
        catch=("#c2392b", "#2f5f8f"),
    ),
    dict(
        court="#e3cf9a",
        plant="#7d8b3f",
        yard="#c98a5e",
        roofs=("#3c5a6e", "#5b7f93"),
        walls="#f6ecd8",
        tower="#5e4a43",
        path="#fbf3dd",
        edge="#a8743f",
        line="#1d1a26",
        paper="#fbf5e6",
        catch=("#d5a021", "#7a2e4d"),
    ),
    dict(
        court="#4d7d77",
        plant="#22423f",
        yard="#b7a8c9",
        roofs=("#d9803f", "#e6a55b"),
        walls="#f2e6ef",
        tower="#3a4763",
        path="#c9b48c",
        edge="#2c2a33",
        line="#14141c",
        paper="#e8e4dc",
        catch=("#e4c23f", "#b23a55"),
    ),
    dict(
        court="#b9c4a0",
        plant="#6c7f58",
        yard="#e8c7b0",
        roofs=("#7b4b6e", "#99698a"),
        walls="#fff4e4",
        tower="#a9a39a",
        path="#8f7357",
        edge="#5c4633",
        line="#3a2f3a",
        paper="#f7f3ea",
        catch=("#d05f3c", "#3f7f9f"),
    ),
    dict(
        court="#c98f5f",
        plant="#5d6b2f",
        yard="#e9dcb4",
        roofs=("#2f6f5f", "#4f8f77"),
        walls="#f4ead2",
        tower="#716d8c",
        path="#5b4a55",
        edge="#efe3cf",
        line="#2a1d1a",
        paper="#f0e4cf",
        catch=("#f0c84a", "#8c2f39"),
    ),
]


def rgb(text: str) -> np.ndarray:
    return np.array([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def noise(rng, size, cells: float, octaves: int = 3) -> np.ndarray:
    """Smooth noise of about -1 to 1; `cells` grains a side at first, then finer ones."""
    h, w = (size, size) if np.isscalar(size) else size
    total, weight, share = np.zeros((h, w)), 0.0, 1.0
    for _ in range(octaves):
        n = max(2, int(cells * h / max(h, w)) + 2), max(2, int(cells * w / max(h, w)) + 2)
        grid = Image.fromarray(rng.standard_normal(n).astype(np.float32))
        total += share * np.asarray(grid.resize((w, h), Image.BICUBIC))
        weight += share
        share *= 0.55
        cells *= 2
    return total / weight


def sample(field: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A field over the tile at places, linearly between its grid's."""
    n = field.shape[0]
    u, v = np.clip(x * n - 0.5, 0, n - 1.001), np.clip(y * n - 0.5, 0, n - 1.001)
    i, j = u.astype(int), v.astype(int)
    s, t = u - i, v - j
    upper = field[j, i] * (1 - s) + field[j, i + 1] * s
    return upper * (1 - t) + (field[j + 1, i] * (1 - s) + field[j + 1, i + 1] * s) * t


def step(low: float, high: float, v: np.ndarray) -> np.ndarray:
    t = np.clip((v - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def flags(rng, x, y, across: float):
    """Paving with about `across` stones a side: a tint of each place's stone, -0.5 to 0.5, and
    how far its joint is."""
    n = int(np.ceil(across * max(1.0, float(x.max() - x.min()), float(y.max() - y.min())))) + 4
    stones = rng.random((n, n, 2))
    tints = rng.random((n, n)) - 0.5
    u, v = (x - x.min()) * across + 1.5, (y - y.min()) * across + 1.5
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    near, next_near = np.full(x.shape, FAR), np.full(x.shape, FAR)
    tint = np.zeros(x.shape)
    for dj in (-1, 0, 1):
        for di in (-1, 0, 1):
            stone = stones[j + dj, i + di]
            d = np.hypot(i + di + stone[..., 0] - u, j + dj + stone[..., 1] - v)
            first = d < near
            next_near = np.where(first, near, np.minimum(next_near, d))
            tint = np.where(first, tints[j + dj, i + di], tint)
            near = np.where(first, d, near)
    return tint, (next_near - near) / 2 / across


def distance(from_here: np.ndarray, reach: int) -> np.ndarray:
    """How far places are from marked ones, px, up to `reach`."""
    d = np.where(np.pad(from_here, 1, constant_values=False), 0.0, float(reach))
    inner = d[1:-1, 1:-1]
    h, w = inner.shape
    for _ in range(reach):
        best = inner.copy()
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dx or dy:
                    np.minimum(best, d[1 + dy : h + 1 + dy, 1 + dx : w + 1 + dx] + np.hypot(dx, dy), out=best)
        if np.array_equal(best, inner):
            break
        inner[:] = best
    return inner


class Pen:
    """Draws over a sheet, in units of a tile's side."""

    def __init__(self, shape, unit: float, origin: float, line, width: float):
        """A sheet of so many px (rows, columns), `unit` px a tile side, its origin at pixel
        (`origin`, `origin`); lines are `line` and `width` wide where nothing else is said."""
        h, w = shape
        self.sheet = Image.new("RGBA", (w * FINE, h * FINE), (0, 0, 0, 0))
        self.draw = ImageDraw.Draw(self.sheet)
        self.unit, self.origin = unit * FINE, origin * FINE
        self.line, self.width = line, width
        self.home()

    def place(self, x: float, y: float, size: float, turn: float = 0.0):
        """From here on points are about this place, in this size and turn."""
        self.at, self.size, self.turn = (x, y), size, turn
        return self

    def home(self):
        """From here on points are places of the sheet."""
        return self.place(0.0, 0.0, 1.0)

    def _px(self, points):
        s, c = self.size * np.sin(self.turn), self.size * np.cos(self.turn)
        return [
            (
                float((self.at[0] + c * x - s * y) * self.unit + self.origin),
                float((self.at[1] + s * x + c * y) * self.unit + self.origin),
            )
            for x, y in points
        ]

    @staticmethod
    def _ink(colour):
        return tuple(int(round(255 * float(np.clip(v, 0, 1)))) for v in colour) + (255,)

    def _wide(self, times: float) -> int:
        return max(1, int(round(self.width * times * self.unit)))

    def shape(self, points, fill=None, line: float = 1.0):
        """A polygon, filled or not, its outline so many times as wide as usual."""
        px = self._px(points)
        if fill is not None:
            self.draw.polygon(px, fill=self._ink(fill))
        if line > 0:
            self.draw.line(px + px[:2], fill=self._ink(self.line), width=self._wide(line), joint="curve")

    def round(self, x, y, r, fill=None, line: float = 1.0):
        """A circle."""
        angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        self.shape([(x + r * np.cos(a), y + r * np.sin(a)) for a in angles], fill, line)

    def stroke(self, points, colour=None, times: float = 1.0):
        """A line, so many times as wide as usual."""
        ink = self._ink(self.line if colour is None else colour)
        self.draw.line(self._px(points), fill=ink, width=self._wide(times), joint="curve")

    def over(self, picture: np.ndarray) -> np.ndarray:
        """The picture with what was drawn over it."""
        h, w = picture.shape[:2]
        sheet = np.asarray(self.sheet.resize((w, h), Image.BOX), float) / 255
        alpha = sheet[..., 3:]
        return picture * (1 - alpha) + np.minimum(sheet[..., :3] * alpha, alpha)


class Painter:
    """A painter: its school, inks and habits follow from a seed."""

    def __init__(self, seed: int):
        self.seed = seed
        rng = np.random.default_rng([seed, 1])
        self.school = SCHOOLS[rng.integers(len(SCHOOLS))]
        inks = INKS[rng.integers(len(INKS))]
        shift = rng.normal(0, 0.035, 3)
        stir = lambda c: np.clip(rgb(c) + shift + rng.normal(0, 0.03, 3), 0, 1)
        self.ink = {
            name: tuple(map(stir, c)) if isinstance(c, tuple) else stir(c) for name, c in inks.items()
        }
        self.path_width = rng.uniform(0.05, 0.085)
        self.line_width = {"lino": 0.016, "gouache": 0.008, "dots": 0.011, "water": 0.007}[self.school]
        self.bend = rng.uniform(0.012, 0.028)
        self.court = rng.choice(["blades", "flags", "checks", "plain"])
        self.tower = rng.choice(["bricks", "hatch", "flags"])
        self.path = rng.choice(["plain", "cobbles", "planks"])
        self.turrets = rng.choice(["plan", "elevation"])
        self.gables = rng.choice(["gable", "hip", "round"])
        self.plants = rng.choice(["round", "pointed", "flowers"])
        self.upright = rng.random() < 0.5
        self.edge = rng.uniform(0.0, 0.014)

    # Layout

    def lay_out(self, face, rng):
        """The bent places, each place's area, how far its border is, and the paths' distance."""
        at = (np.arange(PX) + 0.5) / PX
        x, y = np.meshgrid(at, at)
        rim = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
        held = step(0.0, 0.16, rim)
        wx = x + self.bend * held * noise(rng, PX, 3, 2)
        wy = y + self.bend * held * noise(rng, PX, 3, 2)
        fields = faces.area_distances(face)
        number = np.full((PX, PX), -1)
        border = np.full((PX, PX), FAR)
        if fields:
            keys = list(fields)
            rough = [0.012 * held * noise(rng, PX, 9, 2) for _ in keys]
            d = np.stack([sample(fields[i], wx, wy) + r for i, r in zip(keys, rough)])
            number = np.array(keys)[np.argmin(d, axis=0)]
            seam = np.zeros((PX, PX), bool)
            seam[:, 1:] |= number[:, 1:] != number[:, :-1]
            seam[1:] |= number[1:] != number[:-1]
            if seam.any():
                border = distance(seam, PX // 5) / PX
        path = np.full((PX, PX), FAR)
        for segment in face:
            if segment.is_path:
                path = np.minimum(path, faces.path_distance(segment, wx, wy))
        return x, y, rim, number, border, path

    # Fills

    def fill(self, kind: str, x, y, rng):
        """The ground of an area."""
        ink = self.ink
        if kind == "court":
            base = np.broadcast_to(ink["court"], x.shape + (3,)).copy()
            if self.court == "blades":
                blades = noise(rng, PX, 40, 1) * noise(rng, PX, 7, 2)
                base += (ink["plant"] - base) * (0.7 * step(0.25, 0.5, blades))[..., None]
            elif self.court == "flags":
                tint, joint = flags(rng, x, y, 6.5)
                base += tint[..., None] * 0.14
                base += (ink["plant"] - base) * (0.5 * (1 - step(0.003, 0.009, joint)))[..., None]
            elif self.court == "checks":
                n = 9
                odd = (np.floor(x * n) + np.floor(y * n)) % 2
                base += (ink["paper"] - base) * (0.28 * odd)[..., None]
            return base * (1 + 0.07 * noise(rng, PX, 5))[..., None]
        if kind == "house":
            base = np.broadcast_to(ink["yard"], x.shape + (3,)).copy()
            return base * (1 + 0.08 * noise(rng, PX, 12))[..., None]
        base = np.broadcast_to(ink["tower"], x.shape + (3,)).copy()
        if self.tower == "bricks":
            rows = y * 13
            across = x * 7 + 0.5 * (np.floor(rows) % 2)
            joint = np.minimum(
                np.minimum(rows % 1, 1 - rows % 1) / 13, np.minimum(across % 1, 1 - across % 1) / 7
            )
            one = np.sin(12.9 * np.floor(rows) + 78.2 * np.floor(across) + rng.random() * 9) * 0.06
            base += one[..., None]
            base += (ink["line"] - base) * (0.5 * (1 - step(0.003, 0.01, joint)))[..., None]
        elif self.tower == "hatch":
            lines = np.abs(((x + y) * 17 + 0.15 * noise(rng, PX, 6)) % 1 - 0.5)
            base += (ink["line"] - base) * (0.55 * (1 - step(0.08, 0.16, lines)))[..., None]
        else:
            tint, joint = flags(rng, x, y, 8)
            base += tint[..., None] * 0.2
            base += (ink["line"] - base) * (0.6 * (1 - step(0.002, 0.008, joint)))[..., None]
        return base

    def fill_path(self, x, y, path, rng):
        base = np.broadcast_to(self.ink["path"], x.shape + (3,)).copy()
        if self.path == "cobbles":
            tint, joint = flags(rng, x, y, 12)
            base += tint[..., None] * 0.12
            base += (self.ink["edge"] - base) * (0.55 * (1 - step(0.002, 0.006, joint)))[..., None]
        elif self.path == "planks":
            base += (self.ink["edge"] - base) * (
                0.5 * (1 - step(0.008, 0.016, np.abs(path - 0.45 * self.path_width)))
            )[..., None]
        return base * (1 + 0.05 * noise(rng, PX, 14))[..., None]

    # Small things

    def spots(self, room, apart: float, most: int, rng, taken=()):
        """Places with so much room about them, and so far from one another."""
        found = []
        candidates = np.argwhere(room > 0)
        rng.shuffle(candidates)
        for row, col in candidates[:600]:
            p = ((col + 0.5) / PX, (row + 0.5) / PX)
            if all(np.hypot(p[0] - q[0], p[1] - q[1]) >= apart for q in [*found, *taken]):
                found.append(p)
                if len(found) >= most:
                    break
        return found

    def leaning(self, rng) -> float:
        return rng.normal(0, 0.08) if self.upright else rng.uniform(0, 2 * np.pi)

    def house(self, pen, x, y, size, rng):
        pen.place(x, y, size, self.leaning(rng))
        roof, shade = self.ink["roofs"] if rng.random() < 0.6 else self.ink["roofs"][::-1]
        w, top = rng.uniform(0.55, 0.85), rng.uniform(0.5, 0.75)
        pen.shape([(-w, 0.0), (w, 0.0), (w, 0.75), (-w, 0.75)], self.ink["walls"])
        over = w + 0.15
        if self.gables == "gable":
            pen.shape([(-over, 0.05), (0, -top), (over, 0.05)], roof)
            pen.shape([(0, -top), (over, 0.05), (0.35 * over, 0.05)], shade, 0)
        elif self.gables == "hip":
            pen.shape([(-over, 0.05), (-0.45 * w, -top), (0.45 * w, -top), (over, 0.05)], roof)
            pen.stroke([(-0.3 * w, -0.3 * top), (0.3 * w, -0.3 * top)], shade, 1.5)
        else:
            arc = [(over * np.cos(a), 0.05 - top * np.sin(a)) for a in np.linspace(0, np.pi, 16)]
            pen.shape(arc, roof)
        pen.shape([(-0.15, 0.75), (-0.15, 0.35), (0.15, 0.35), (0.15, 0.75)], self.ink["line"], 0)

    def turret(self, pen, x, y, size, rng):
        pen.place(x, y, size, self.leaning(rng))
        stone = np.clip(self.ink["tower"] * 1.25 + 0.05, 0, 1)
        if self.turrets == "plan":
            pen.round(0, 0, 1.0, stone)
            for a in np.linspace(0, 2 * np.pi, 10, endpoint=False):
                pen.stroke([(0.72 * np.cos(a), 0.72 * np.sin(a)), (np.cos(a), np.sin(a))])
            pen.round(0, 0, 0.68, self.ink["catch"][rng.integers(2)])
            pen.shape([(0, 0), (0.68, -0.1), (0.4, -0.55)], self.ink["paper"], 0)
        else:
            pen.shape([(-0.6, 1.0), (-0.5, -0.4), (0.5, -0.4), (0.6, 1.0)], stone)
            teeth = [
                (-0.7, -0.4),
                (-0.7, -0.95),
                (-0.35, -0.95),
                (-0.35, -0.7),
                (-0.15, -0.7),
                (-0.15, -0.95),
                (0.15, -0.95),
                (0.15, -0.7),
                (0.35, -0.7),
                (0.35, -0.95),
                (0.7, -0.95),
                (0.7, -0.4),
            ]
            pen.shape(teeth, stone)
            pen.shape([(-0.1, 0.0), (0.1, 0.0), (0.1, 0.5), (-0.1, 0.5)], self.ink["line"], 0)

    def plant(self, pen, x, y, size, rng):
        pen.place(x, y, size, self.leaning(rng))
        green = np.clip(self.ink["plant"] + rng.normal(0, 0.03, 3), 0, 1)
        if self.plants == "round":
            pen.stroke([(0, 0.3), (0, 1.0)], times=2.0)
            pen.round(0, -0.2, 0.75, green)
            pen.round(-0.2, -0.4, 0.2, np.clip(green * 1.4, 0, 1), 0)
        elif self.plants == "pointed":
            pen.shape([(-0.55, 0.8), (0, -1.0), (0.55, 0.8)], green)
            pen.stroke([(-0.3, 0.3), (0.3, 0.3)])
        else:
            pen.round(0, 0, 0.3, self.ink["catch"][rng.integers(2)], 0)
            for a in np.linspace(0, 2 * np.pi, 5, endpoint=False):
                pen.round(0.5 * np.cos(a), 0.5 * np.sin(a), 0.26, self.ink["paper"], 0)

    def person(self, pen, x, y, size, rng):
        pen.place(x, y, size, self.leaning(rng))
        pen.shape([(-0.5, 1.0), (0, -0.4), (0.5, 1.0)], self.ink["catch"][rng.integers(2)])
        pen.round(0, -0.55, 0.3, (0.93, 0.78, 0.64))

    def cart(self, pen, x, y, size, rng):
        """A market: a cart under a striped canopy."""
        pen.place(x, y, size, rng.normal(0, 0.15) if self.upright else self.leaning(rng))
        a, b = self.ink["catch"][0], self.ink["paper"]
        pen.shape([(-0.9, 0.1), (0.9, 0.1), (0.7, 0.6), (-0.7, 0.6)], self.ink["edge"])
        pen.round(-0.45, 0.7, 0.3, self.ink["walls"])
        pen.round(0.45, 0.7, 0.3, self.ink["walls"])
        parts = np.linspace(-1, 1, 7)
        for k, (p, q) in enumerate(zip(parts, parts[1:])):
            pen.shape([(p, -0.1), (0.75 * p, -0.8), (0.75 * q, -0.8), (q, -0.1)], a if k % 2 else b, 0)
        pen.shape([(-1, -0.1), (-0.75, -0.8), (0.75, -0.8), (1, -0.1)])
        pen.stroke([(-0.85, -0.1), (-0.85, 0.1)])
        pen.stroke([(0.85, -0.1), (0.85, 0.1)])

    def basin(self, pen, x, y, size):
        """A fountain."""
        pen.place(x, y, size)
        water = np.array([0.36, 0.63, 0.78])
        pen.round(0, 0, 1.0, self.ink["walls"])
        pen.round(0, 0, 0.75, water)
        pen.round(0, 0, 0.3, self.ink["paper"])
        for a in np.linspace(0.4, 0.4 + 2 * np.pi, 6, endpoint=False):
            pen.round(0.5 * np.cos(a), 0.5 * np.sin(a), 0.1, self.ink["paper"], 0)

    def plaza(self, pen, size):
        """The square at which paths end."""
        pen.place(0.5, 0.5, size)
        pen.round(0, 0, 1.0, self.ink["path"])
        pen.round(0, 0, 0.62, np.clip(self.ink["path"] * 0.85, 0, 1))
        points = []
        for k, a in enumerate(np.linspace(0, 2 * np.pi, 16, endpoint=False)):
            r = 0.55 if k % 2 == 0 else 0.22
            points.append((r * np.cos(a), r * np.sin(a)))
        pen.shape(points, self.ink["catch"][1])

    def path_middle(self, segment):
        """A place in the middle of a path."""
        sides = segment.sides
        if len(sides) == 2:
            (ax, ay), (bx, by) = faces.MIDDLES[sides[0]], faces.MIDDLES[sides[1]]
            if (ax + bx, ay + by) == (1.0, 1.0):
                return 0.5, 0.5
            cx, cy = ax + bx - 0.5, ay + by - 0.5
            d = np.hypot(0.5 - cx, 0.5 - cy)
            return cx + (0.5 - cx) / d * 0.5, cy + (0.5 - cy) / d * 0.5
        if len(sides) == 1:
            (mx, my) = faces.MIDDLES[sides[0]]
            return 0.5 + 0.25 * (mx - 0.5), 0.5 + 0.25 * (my - 0.5)
        return 0.5, 0.5

    def things(self, face, number, border, path, rim, rng, bare: bool):
        """Draws what stands on the areas and paths."""
        pen = Pen((PX, PX), PX, 0, self.ink["line"], self.line_width * 0.8)
        room = np.minimum(np.minimum(border, path - self.path_width), rim)
        taken = []
        for i, segment in enumerate(face):
            own = np.where(number == i, room, -1)
            if segment.kind == "court":
                for _ in range(segment.marks.count("market")):
                    size = min(0.12, max(0.055, 0.7 * own.max()))
                    spots = self.spots(own - 1.1 * size, 2.1 * size, 1, rng, taken)
                    if not spots:
                        r, c = np.unravel_index(np.argmax(own), own.shape)
                        spots = [((c + 0.5) / PX + rng.normal(0, 0.03), (r + 0.5) / PX + rng.normal(0, 0.03))]
                    self.cart(pen, *spots[0], size, rng)
                    taken += spots
                if bare:
                    continue
                for p in self.spots(own - 0.04, 0.16, rng.integers(2, 7), rng, taken):
                    (self.person if rng.random() < 0.18 else self.plant)(
                        pen, *p, rng.uniform(0.028, 0.045), rng
                    )
            elif segment.kind == "house" and not bare:
                size = rng.uniform(0.055, 0.075)
                spots = self.spots(own - 0.05, 2.0 * size, 14, rng)
                for p in sorted(spots, key=lambda p: p[1]):
                    self.house(pen, *p, size, rng)
            elif segment.kind == "tower" and not bare:
                for p in self.spots(own - 0.09, 0.34, 3, rng):
                    self.turret(pen, *p, rng.uniform(0.07, 0.1), rng)
        if any("square" in s.marks for s in face):
            self.plaza(pen, 0.16)
        for segment in face:
            if "fountain" in segment.marks:
                self.basin(pen, *self.path_middle(segment), 0.075)
        return pen

    # The sheet

    def tile(self, text: str, number: int, bare: bool = False) -> np.ndarray:
        """The upright picture of a face as [PX, PX, 3] bytes; `bare` leaves out what only
        adorns."""
        rng = np.random.default_rng([self.seed, 2, number])
        face = faces.parse(text)
        x, y, rim, area, border, path = self.lay_out(face, rng)
        sheet = np.broadcast_to(self.ink["court"], (PX, PX, 3)).copy()
        kinds = np.array([s.kind for s in face] + ["none"])[area]
        for kind in ("court", "house", "tower"):
            where = kinds == kind
            if where.any():
                sheet[where] = self.fill(kind, x, y, rng)[where]
        border_ink = self.ink["line"]
        wide = self.line_width * (1 + 0.35 * noise(rng, PX, 12))
        if self.school == "water":
            edge = np.exp(-((border / 0.025) ** 2))
            sheet *= (1 - 0.22 * edge)[..., None]
        # A hedge or a low wall parts areas; the two sides of a path need none.
        sheet += (border_ink - sheet) * (1 - step(wide * 0.5, wide * 0.5 + 0.006, border))[..., None]
        half = self.path_width * (1 + 0.06 * noise(rng, PX, 6))
        lane = path < half
        sheet[lane] = self.fill_path(x, y, path, rng)[lane]
        rand = np.abs(path - half)
        sheet += (self.ink["edge"] - sheet) * (1 - step(wide * 0.5, wide * 0.5 + 0.006, rand))[..., None]
        pen = self.things(face, area, border, path, rim, rng, bare)
        return self.finish(sheet, pen, border, path, rim, rng)

    def finish(self, sheet, pen, border, path, rim, rng) -> np.ndarray:
        paper = self.ink["paper"]
        if self.school == "lino":
            # Colour and lines are printed from two blocks, not quite over one another.
            off = rng.integers(-2, 3, 2)
            sheet = np.roll(sheet, off, (0, 1))
            sheet = pen.over(sheet)
            cut = noise(rng, (PX, PX), 60, 1) * noise(rng, (PX, PX), 9, 1)
            sheet += (paper - sheet) * (0.55 * step(0.55, 0.8, cut))[..., None]
            sheet = np.round(sheet * 9) / 9
        elif self.school == "gouache":
            sheet = pen.over(sheet)
            streak = np.asarray(
                Image.fromarray(rng.standard_normal((PX, PX // 8)).astype(np.float32)).resize(
                    (PX, PX), Image.BICUBIC
                )
            )
            sheet *= (1 + 0.05 * streak + 0.04 * noise(rng, PX, 8))[..., None]
        elif self.school == "dots":
            sheet = pen.over(sheet)
            at = np.arange(PX)
            u, v = np.meshgrid(at, at)
            for channel, angle in enumerate((0.26, 1.31, 0.0)):
                s, c = np.sin(angle), np.cos(angle)
                period = 5.2
                screen = (
                    np.cos((c * u + s * v) * 2 * np.pi / period)
                    * np.cos((c * v - s * u) * 2 * np.pi / period)
                    + 1
                ) / 2
                ink = 1 - sheet[..., channel]
                printed = step(-0.12, 0.12, ink - screen)
                sheet[..., channel] = 1 - (
                    0.45 * ink + 0.55 * (0.08 + 0.84 * printed) * np.maximum(ink, 0.35) * 1.5
                ).clip(0, 1)
        else:
            blot = noise(rng, PX, 4)
            sheet += (paper - sheet) * (0.16 + 0.16 * blot).clip(0, 1)[..., None]
            sheet = pen.over(sheet)
        sheet *= (1 + 0.02 * rng.standard_normal((PX, PX)) + 0.02 * noise(rng, PX, 50, 1))[..., None]
        rim_ink = 1 - step(self.edge, self.edge + 0.006, rim)
        if self.edge > 0.005:
            sheet += (paper - sheet) * rim_ink[..., None]
        return (255 * np.clip(sheet, 0, 1)).round().astype(np.uint8)

    def back(self) -> np.ndarray:
        """The back of tiles and wall tiles."""
        rng = np.random.default_rng([self.seed, 3])
        at = (np.arange(PX) + 0.5) / PX
        x, y = np.meshgrid(at, at)
        base = np.broadcast_to(self.ink["roofs"][0] * 0.8, (PX, PX, 3)).copy()
        lattice = np.minimum(np.abs(((x + y) * 4) % 1 - 0.5), np.abs(((x - y) * 4) % 1 - 0.5))
        base += (self.ink["path"] - base) * (0.75 * (1 - step(0.05, 0.09, lattice)))[..., None]
        base *= (1 + 0.05 * noise(rng, PX, 20))[..., None]
        pen = Pen((PX, PX), PX, 0, self.ink["line"], 0.02)
        pen.place(0.5, 0.5, 0.3)
        pen.shape(
            [
                (-1, 0.7),
                (-1, -0.7),
                (-0.5, -0.7),
                (-0.5, -0.2),
                (0.5, -0.2),
                (0.5, -0.7),
                (1, -0.7),
                (1, 0.7),
            ],
            self.ink["paper"],
        )
        return (255 * np.clip(pen.over(base), 0, 1)).astype(np.uint8)
