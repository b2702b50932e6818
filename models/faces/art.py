"""Endless made-up decks of tile art with the truth of their faces.

Colours, surfaces, outlines and finishes vary wildly from deck to deck; what stays
is what the things are: lines are bands from the middle of a side, houses are
covered with a roof, towers are stone behind battlements, open ground has things
growing and standing on it and takes the shadows of what is built, cities are walled
and full of small houses. Independent of the program's own studio on purpose: decks
that the studio draws stay unseen.
"""

import colorsys

import cv2
import numpy as np

from layout import (CASTLE, CITY, CLASSIC, CLOISTER, FOUNTAIN, HOUSE, LINE, MARKET, MIDDLES, OPEN, PENNANT, PX,
                    SQUARE, TOWER, random_laid)

SIDE = 96
SHEET = 2 * PX
DENSE = 24


def noise(rng, px, cell, octaves=3):
    """Smooth noise [px, px] in about -1..1; `cell` is its coarsest grain in px."""
    total = np.zeros((px, px), np.float32)
    share = 1.0
    for _ in range(octaves):
        n = max(2, int(px / cell) + 1)
        total += share * cv2.resize(rng.standard_normal((n, n)).astype(np.float32), (px, px), interpolation=cv2.INTER_CUBIC)
        share *= 0.6
        cell = max(1.5, cell / 2)
    return total / 2


def _cells(rng, step):
    """Irregular stones: lightness and joints [SHEET, SHEET]."""
    n = int(SHEET / step)
    seeds = np.full((SHEET, SHEET), 255, np.uint8)
    jitter = rng.uniform(-0.4, 0.4, (n, n, 2))
    jj, ii = np.mgrid[:n, :n]
    x = np.clip((ii + 0.5 + jitter[..., 0]) * step, 0, SHEET - 1).astype(int)
    y = np.clip((jj + 0.5 + jitter[..., 1]) * step, 0, SHEET - 1).astype(int)
    seeds[y, x] = 0
    _, labels = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    one = rng.random(int(labels.max()) + 1).astype(np.float32)[labels]
    edge = (labels != np.roll(labels, 1, 0)) | (labels != np.roll(labels, 1, 1))
    return one, cv2.GaussianBlur(edge.astype(np.float32), (0, 0), max(0.5, step * 0.05)) * 1.4


def _turned(rng, angle=None):
    angle = rng.uniform(0, np.pi) if angle is None else angle
    yy, xx = np.mgrid[:SHEET, :SHEET].astype(np.float32)
    c, d = float(np.cos(angle)), float(np.sin(angle))
    return xx * c + yy * d, yy * c - xx * d


def rows(kind, u, v, pitch, strength, rng):
    """Courses of a roof or a wall as a factor of lightness: `u` along them, `v` across, px."""
    r = np.floor(v / pitch)
    f = v / pitch - r
    wide = pitch * {"tiles": 1.3, "scales": 1.2, "bricks": 2.0, "planks": 0.0, "thatch": 0.0, "slabs": 5.0}[kind]
    if kind == "planks":
        f = u / pitch - np.floor(u / pitch)
        one = np.sin(np.floor(u / pitch) * 12.9898) * 43758.5453
        return 1 - strength * (np.minimum(f, 1 - f) < 0.16) + strength * 0.6 * (one - np.floor(one) - 0.5)
    if kind == "thatch":
        one = np.sin(np.floor(u / max(1.0, pitch * 0.4)) * 12.9898 + np.floor(v / (3 * pitch)) * 4.1) * 43758.5453
        return 1 + strength * (one - np.floor(one) - 0.5)
    c = u / wide + 0.5 * (r % 2)
    g = c - np.floor(c)
    one = np.sin(np.floor(c) * 12.9898 + r * 78.233) * 43758.5453
    light = 1 + strength * 0.7 * (one - np.floor(one) - 0.5)
    if kind == "scales":
        bow = np.abs(f - 0.6 * (2 * g - 1) ** 2)
        return light - strength * (bow < 0.22)
    return light - strength * (f < 0.22) - strength * 0.6 * (np.minimum(g, 1 - g) < 0.1)


def sheet(rng, kind, step, strength):
    """A surface as a factor of lightness [SHEET, SHEET]; `step` is its grain in px."""
    if kind == "plain":
        return np.ones((SHEET, SHEET), np.float32)
    if kind == "mottled":
        return 1 + strength * noise(rng, SHEET, step * 3)
    if kind == "cells":
        one, joint = _cells(rng, step)
        return 1 + strength * (one - 0.5) - strength * float(rng.choice([-0.5, 1, 1])) * joint
    if kind in ("tiles", "scales", "bricks", "planks", "thatch", "slabs"):
        u, v = _turned(rng, float(rng.choice([0, 0, np.pi / 4, rng.uniform(0, np.pi)])))
        return rows(kind, u, v, step, strength, rng).astype(np.float32)
    if kind in ("waves", "bands"):
        u, _ = _turned(rng)
        wave = np.sin(u * 2 * np.pi / (step * (1 if kind == "waves" else 3)) + 1.5 * noise(rng, SHEET, 40))
        return 1 + 0.6 * strength * (wave if kind == "waves" else np.sign(wave))
    out = np.full((SHEET, SHEET), 128, np.uint8)
    n = int(SHEET * SHEET / step**2 * rng.uniform(0.3, 1.0))
    at = rng.uniform(0, SHEET, (n, 2))
    tone = np.clip(128 + 128 * strength * rng.choice([-1, -1, 1], n) * rng.uniform(0.5, 2, n), 0, 255)
    if kind == "dots":
        for (x, y), t in zip(at, tone):
            cv2.circle(out, (int(x * 8), int(y * 8)), int(step * 8 * 0.2), float(t), -1, cv2.LINE_AA, 3)
    else:
        lean = rng.uniform(-0.8, 0.8, n)
        for (x, y), t, a in zip(at, tone, lean):
            cv2.line(out, (int(x), int(y)), (int(x + step * np.sin(a)), int(y - step * np.cos(a))), float(t), 1, cv2.LINE_AA)
    return out.astype(np.float32) / 128


SURFACES = {
    HOUSE: ("tiles", "scales", "planks", "thatch", "slabs", "tiles", "scales", "plain", "waves", "mottled"),
    TOWER: ("bricks", "cells", "cells", "bricks", "plain", "mottled", "dots", "slabs"),
    OPEN: ("mottled", "grass", "dots", "bands", "cells", "plain", "mottled", "grass", "waves"),
    CITY: ("mottled", "cells", "plain", "dots"),
    LINE: ("plain", "mottled", "cells", "dots", "plain", "planks", "bricks"),
}


def _hsv(h, s, v):
    return np.array(colorsys.hsv_to_rgb(h % 1, min(max(s, 0), 1), min(max(v, 0), 1)), np.float32)


def palette(rng):
    """Colours of a deck: by nature, of any hue, or any at all, but told apart."""
    way = rng.random()
    natural, free = way < 0.45, way > 0.82
    bend, pale, rich = rng.normal(0, 0.04), rng.uniform(0.65, 1.15), rng.uniform(0.35, 1.35)
    wish_grey, grey = rng.random() < 0.07, 1.0

    def colour(hue, spread, s, v):
        h = hue + bend + rng.normal(0, spread) if natural else rng.random()
        if free:
            s, v = rng.uniform(0.05, 0.9), rng.uniform(0.2, 0.95)
        s = min(s * rich * rng.uniform(0.7, 1.3), 0.95) * grey
        return _hsv(h, s, min(v * pale * rng.uniform(0.75, 1.2), 0.97))

    for attempt in range(200):
        # Some decks are nearly grey, if that can be told apart.
        grey = 0.15 if wish_grey and attempt < 40 else 1.0
        house = colour(0.03, 0.05, 0.62, 0.68)
        p = {
            OPEN: colour(0.25, 0.06, 0.5, 0.62),
            HOUSE: house,
            TOWER: colour(0.6, 0.3, 0.1, 0.58),
            CITY: colour(0.08, 0.03, 0.5, 0.68),
            LINE: colour(0.11, 0.03, 0.35, 0.84) if rng.random() < 0.8 else colour(0.1, 0.1, 0.4, 0.4),
        }
        roofs = [house] + [colour(0.03, 0.05, 0.62, 0.68) for _ in range(2)]
        if rng.random() < 0.5:
            roofs = [np.clip(house * rng.uniform(0.8, 1.2), 0, 1) for _ in range(3)]
        all_kinds = [p[OPEN], p[TOWER], p[LINE]]
        apart = min(np.abs(a - b).max() for i, a in enumerate(all_kinds) for b in all_kinds[i + 1 :])
        roofs_apart = min(np.abs(a - b).max() for a in roofs for b in all_kinds)
        if apart > 0.14 and roofs_apart > 0.1 and np.abs(p[OPEN] - p[CITY]).max() > 0.14:
            break
    extra = {
        "ink": colour(0.07, 0.3, 0.4, 0.18),
        "stone": colour(0.1, 0.08, 0.13, 0.72),
        "leaf": colour(0.29, 0.06, 0.55, 0.42),
        "wood": colour(0.08, 0.03, 0.55, 0.5),
        "water": colour(0.56, 0.05, 0.45, 0.78),
        "slate": colour(0.6, 0.12, 0.25, 0.45),
        "cloth": colour(0.6, 0.3, 0.7, 0.65),
        "pale": colour(0.12, 0.05, 0.12, 0.95),
        "paper": colour(0.12, 0.04, 0.13, 0.97),
    }
    return p, roofs, extra


class Style:
    """What the tiles of a deck have in common."""

    def __init__(self, rng):
        self.kinds, self.roofs, self.extra = palette(rng)
        strength = float(rng.choice([0.0, 0.12, 0.22, 0.3, 0.4]))
        self.sheets, self.surface, self.strength = {}, {}, strength
        for kind, names in SURFACES.items():
            name = str(rng.choice(names))
            step = rng.uniform(3, 8) if kind == HOUSE else rng.uniform(5, 16) if kind != LINE else rng.uniform(4, 9)
            self.surface[kind] = (name, step)
            self.sheets[kind] = sheet(rng, name, step, strength) * (1 + rng.uniform(0, 0.15) * noise(rng, SHEET, rng.uniform(15, 60)))
        self.strong_things = rng.random()
        angle = rng.uniform(0, 2 * np.pi)
        self.light = (float(np.cos(angle)), float(np.sin(angle)))
        self.relief = float(rng.choice([0.0, 0.3, 0.6, 0.9, 1.0])) * rng.uniform(0.7, 1)
        self.roof_form = str(rng.choice(["hip", "hip", "fold", "fold", "shed", "many", "flat"]))
        self.fold = rng.uniform(0.1, 0.3) * PX
        self.course = self.surface[HOUSE][0] if self.surface[HOUSE][0] in ("tiles", "scales", "planks", "thatch", "slabs") else None
        self.follow = rng.random() < 0.6
        self.battlement = float(rng.choice([0.0, 0.03, 0.045, 0.06, 0.08], p=[0.15, 0.2, 0.25, 0.2, 0.2])) * PX
        self.merlon = rng.uniform(0.8, 1.6)
        self.rings = rng.random() < 0.2
        self.city_wall = float(rng.choice([0.0, 0.02, 0.035, 0.05])) * PX
        self.city_houses = rng.random() < 0.85
        self.crowd = rng.uniform(0.4, 3.0)
        self.ink_width = float(rng.choice([0, 0, 1, 1, 2, 3]))
        self.hedge = str(rng.choice(["hedge", "hedge", "wall", "fence", "line"]))
        self.faint = float(rng.choice([0.0, 0.2, 0.6]))
        self.line_strength = rng.uniform(0.35, 1.0)
        self.line_ink = str(rng.choice(["ink", "ink", "dark", "light"]))
        self.edge_line = str(rng.choice(["none", "ink", "kerb", "soft", "dark"]))
        self.half_width = rng.uniform(0.04, 0.11)
        self.wobble = float(rng.choice([0.0, 0.01, 0.02, 0.035]))
        self.square = str(rng.choice(["disc", "box", "round box"]))
        self.square_size = rng.uniform(0.09, 0.22)
        self.market = str(rng.choice(["awning", "tent", "stalls", "round", "cart"]))
        self.basin = int(rng.choice([4, 6, 8, 24]))
        self.jets = int(rng.choice([0, 4, 4, 8]))
        self.spokes = bool(rng.random() < 0.4)
        self.things = rng.uniform(0, 1)
        self.finish = str(rng.choice(["none", "none", "none", "engraved", "washed", "crayon", "soft", "posterised", "painted"]))
        self.finish_strength = rng.uniform(0.3, 1.0)
        self.grain = rng.uniform(0, 0.05)
        self.wear = rng.uniform(0.0, 0.4)
        self.tree = str(rng.choice(["leafy", "round", "star"]))
        # What is drawn without a meaning, anywhere.
        self.confetti = float(rng.choice([0, 0, 0.3, 1.0]))
        self.clouds = float(rng.choice([0, 0, 0.15, 0.35]))
        self.plain_square = rng.random() < 0.35
        self.plain_fountain = rng.random() < 0.3
        self.turrets = str(rng.choice(["turrets", "turrets", "rings", "none"]))
        self.ridges = str(rng.choice(["none", "none", "one", "rays"]))
        self.rim = float(rng.choice([0, 0, 0, 0.4, 0.8]))
        self.built_apart = float(rng.choice([0.0, 0.2, 0.6, 0.95]))
        # Buildings as one roof or wall seen from above, or as ground that small ones stand on.
        self.village = str(rng.choice(["", "", "above", "beside", "beside"]))
        self.fort = str(rng.choice(["", "", "above", "above", "beside", "beside"]))
        self.upright = rng.random() < 0.6
        self.gable = str(rng.choice(["gable", "gable", "hip", "hip", "dome", "shed", "long"]))
        self.eaves = rng.uniform(0.05, 0.2)
        self.taper = rng.uniform(1.0, 1.35)
        self.cap = rng.random() < 0.15
        self.garrison = rng.uniform(2, 12)
        self.height = rng.uniform(5, 11)
        self.yards = {}
        if self.village:
            self.sheets[HOUSE] = self.ground(rng)
            self.yards[HOUSE] = self.yard(rng, self.roofs[0])
        if self.fort:
            self.yards[TOWER] = self.yard(rng, self.kinds[TOWER])
            if rng.random() < 0.6:
                self.sheets[TOWER] = self.ground(rng)

    def ground(self, rng):
        """A surface as open ground may have it."""
        return sheet(rng, str(rng.choice(SURFACES[OPEN])), rng.uniform(5, 16), self.strength)

    def yard(self, rng, usual):
        """The colour of ground with small buildings, told apart from open ground: that of what is
        built, pale, or any."""
        for colour in (usual, self.extra["paper"], self.extra["pale"], *rng.random((20, 3)).astype(np.float32)):
            if np.abs(colour - self.kinds[OPEN]).max() > 0.14 and rng.random() < 0.4:
                return colour
        return usual


def _rgb(colour, by=1.0):
    return [float(v) for v in np.clip(np.asarray(colour) * by, 0, 1) * 255]


class Painter:
    """Paints one tile."""

    def __init__(self, rng, style, laid):
        self.rng, self.s, self.laid = rng, style, laid
        self.kind_map = np.array(laid.kinds, np.uint8)[laid.areas]
        self.dense = np.where(laid.line > 0, LINE, self.kind_map).astype(np.uint8)
        self.edge = self.borders_of_one_kind()
        self.taken = []

    def borders_of_one_kind(self):
        """255 where two areas of one kind touch."""
        edge = np.zeros((PX, PX), np.uint8)
        areas, kinds, free = self.laid.areas, self.kind_map, self.laid.line == 0
        for a, b in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
            edge[a][(areas[a] != areas[b]) & (kinds[a] == kinds[b]) & free[a] & free[b]] = 255
        return cv2.dilate(edge, np.ones((3, 3), np.uint8))

    def crop(self, kind):
        y, x = self.rng.integers(0, SHEET - PX, 2)
        return self.s.sheets[kind][y : y + PX, x : x + PX]

    def paint(self):
        s, laid, rng = self.s, self.laid, self.rng
        labels = laid.areas.astype(np.int32) + 1
        if rng.random() < 0.8:
            labels[laid.line > 0] = 0
        edge = np.zeros((PX, PX), bool)
        edge[1:] |= labels[1:] != labels[:-1]
        edge[:, 1:] |= labels[:, 1:] != labels[:, :-1]
        if edge.any():
            distance, nearest = cv2.distanceTransformWithLabels((~edge).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
            ys, xs = np.nonzero(edge)
            index = np.zeros((int(nearest.max()) + 1, 2), np.float32)
            index[nearest[ys, xs]] = np.stack([xs, ys], 1)
            foot = index[nearest]
        else:
            distance = np.full((PX, PX), 0.4 * PX, np.float32)
            foot = np.zeros((PX, PX, 2), np.float32)
        smooth = cv2.GaussianBlur(distance, (0, 0), 1.2)
        gx, gy = (cv2.Sobel(smooth, cv2.CV_32F, 1 - k, k, ksize=3, scale=0.125) for k in (0, 1))
        high = (self.kind_map != OPEN) & (laid.line == 0)

        out = np.zeros((PX, PX, 3), np.float32)
        for k, kind in enumerate(laid.kinds):
            here = laid.areas == k
            colour = s.yards.get(kind, s.kinds[kind])
            light = self.crop(kind)
            if kind == HOUSE:
                if not s.village:
                    colour = s.roofs[int(rng.integers(3))]
                    light = light * self.roof(distance, foot, gx, gy)
            elif kind == TOWER and not s.fort:
                light = self.stone(light, distance, foot, gx, gy)
            elif kind == CITY:
                light = light * (1 - 0.3 * s.relief * (distance < s.city_wall + 3))
            else:
                light = light * (1 - 0.12 * s.relief * (distance < 5))
            if s.clouds:
                light = light * (1 + s.clouds * noise(rng, PX, rng.uniform(30, 90)))
            part = np.clip(colour * light[here][:, None], 0, 1)
            if kind == OPEN and s.wear > 0.2:
                patch = np.clip(noise(rng, PX, 45)[here] * 2 - 0.6, 0, 1)[:, None] * 0.5
                part = part * (1 - patch) + patch * s.kinds[LINE]
            out[here] = part
        if laid.line.any():
            depth = laid.line_width - laid.line_distance
            light = self.crop(LINE)
            if s.edge_line == "soft":
                light = light * (1 - 0.25 * (depth < 2.5))
            path = np.clip(s.kinds[LINE] * light[..., None], 0, 1)
            if s.edge_line == "kerb":
                path[(depth < 2.5) & (depth >= 0)] = s.extra["stone"]
            out[laid.line > 0] = path[laid.line > 0]
        if s.relief:
            # Shadows of what is built on what lies low.
            reach = rng.uniform(0.02, 0.06) * PX
            move = np.float32([[1, 0, -reach * s.light[0]], [0, 1, -reach * s.light[1]]])
            shadow = cv2.warpAffine(high.astype(np.float32), move, (PX, PX), borderMode=cv2.BORDER_REPLICATE)
            shadow = cv2.GaussianBlur(shadow, (0, 0), 1.5) * ~high
            out *= (1 - 0.5 * s.relief * shadow)[..., None]
        if s.rim:
            # Colour that gathers at the edges of areas.
            out *= (1 - 0.5 * s.rim * np.exp(-distance / 2.0) * (0.6 + 0.4 * noise(rng, PX, 12)))[..., None]
        self.canvas = np.round(np.clip(out, 0, 1) * 255).astype(np.uint8)
        self.ridge_lines()
        self.borders(labels)
        self.marks_and_things(distance)
        return self.finish()

    def roof(self, distance, foot, gx, gy):
        s, rng = self.s, self.rng
        form = s.roof_form
        if form == "flat":
            return np.ones((PX, PX), np.float32)
        if form in ("hip", "fold"):
            span = s.fold if form == "fold" else 1e3
            fold = np.floor(distance / span)
            facing = -(gx * s.light[0] + gy * s.light[1]) * np.where(fold % 2 == 0, 1, -1)
            height = distance
            along = foot[..., 0] * 0.9 + foot[..., 1]
            ridge = np.abs(distance - np.round(distance / span) * span) if form == "fold" else 9 - 8 * (np.hypot(gx, gy) < 0.7)
            ridge = np.where(distance > 3, ridge, 9)
        else:
            angle = rng.uniform(0, np.pi)
            yy, xx = np.mgrid[:PX, :PX].astype(np.float32)
            c, d = float(np.cos(angle)), float(np.sin(angle))
            height, along = xx * c + yy * d, yy * c - xx * d
            span = s.fold if form == "many" else 2 * s.fold
            shift = np.floor(along / (1.6 * span)) * span * 0.37 if form == "many" else 0
            fold = np.floor((height + shift) / span)
            way = float(np.cos(angle) * s.light[0] + np.sin(angle) * s.light[1])
            facing = np.where(fold % 2 == 0, -way, way)
            part = (height + shift) / span - fold
            ridge = np.minimum(part, 1 - part) * span
            if form == "many":
                end = along / (1.6 * span) - np.floor(along / (1.6 * span))
                ridge = np.minimum(ridge, np.minimum(end, 1 - end) * 1.6 * span * 2)
        light = 1 + 0.4 * s.relief * facing
        light = light * (1 + np.where(ridge < 1.2, -0.25 if s.relief < 0.5 else 0.22, 0))
        if s.course and s.follow and s.strength:
            light = light * rows(s.course, along, height, s.surface[HOUSE][1], s.strength, rng)
        return (light * (1 - 0.35 * s.relief * (distance < 2.5))).astype(np.float32)

    def stone(self, light, distance, foot, gx, gy):
        s = self.s
        if s.rings and s.strength:
            f = distance / s.surface[TOWER][1] % 1
            light = 1 - s.strength * (f < 0.2)
        if s.battlement:
            width = s.battlement
            # Along a border both coordinates run, whichever way it leads.
            step = width * s.merlon
            along = np.floor((foot[..., 0] + 0.62 * foot[..., 1]) / step) % 2
            top = distance < width
            facing = gx * s.light[0] + gy * s.light[1]
            shade = np.clip(0.4 - 0.6 * facing, 0, 1) * (distance < width + 4)
            light = light * (1 - 0.4 * s.relief * shade)
            light = np.where(top, 0.85 + 0.33 * along, 0.92 * light)
            light = np.where((distance > width - 1) & (distance < width + 0.8), light * 0.72, light)
        return light.astype(np.float32)

    def ridge_lines(self):
        """Lines over roofs: one ridge through the middle, or some that meet there."""
        s, rng = self.s, self.rng
        if s.ridges == "none" or s.village:
            return
        for k, kind in enumerate(self.laid.kinds):
            here = (self.laid.areas == k) & (self.laid.line == 0)
            if kind != HOUSE or here.sum() < 200:
                continue
            ys, xs = np.nonzero(here)
            middle = np.array([xs.mean(), ys.mean()])
            drawn = self.canvas.copy()
            turn = rng.uniform(0, np.pi)
            count = 2 if s.ridges == "one" else int(rng.integers(3, 7))
            for i in range(count):
                angle = turn + 2 * np.pi * i / count
                end = middle + 200 * np.array([np.cos(angle), np.sin(angle)])
                cv2.line(drawn, *[tuple(int(8 * v) for v in p) for p in (middle, end)], _rgb(s.extra["ink"]), int(rng.integers(1, 3)), cv2.LINE_AA, 3)
            self.canvas[here] = drawn[here]

    def borders(self, labels):
        s, laid, rng = self.s, self.laid, self.rng
        ink = _rgb(s.extra["ink"])
        thin = _rgb({"ink": s.extra["ink"], "dark": s.kinds[OPEN] * 0.6, "light": s.kinds[OPEN] * 1.35}[s.line_ink])
        faint = rng.random((len(laid.kinds), len(laid.kinds))) < s.faint
        for k, kind in enumerate(laid.kinds):
            mask = (laid.areas == k).astype(np.uint8)
            if kind == OPEN and (laid.game == CLASSIC or sum(q == OPEN for q in laid.kinds) < 2):
                continue
            contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            for contour in contours:
                points = contour[:, 0, :]
                inner = (points > 1).all(1) & (points < PX - 2).all(1)
                line = laid.line[points[:, 1], points[:, 0]] > 0
                keep = inner & ~line
                near = np.full(len(points), 255, int)
                for dx, dy in ((2, 0), (-2, 0), (0, 2), (0, -2)):
                    x, y = np.clip(points[:, 0] + dx, 0, PX - 1), np.clip(points[:, 1] + dy, 0, PX - 1)
                    other = laid.areas[y, x]
                    near = np.where(other != k, other, near)
                other_kind = np.array(laid.kinds + [255] * (256 - len(laid.kinds)))[near]
                for run in _runs(keep):
                    part = points[run]
                    if len(part) < 3:
                        continue
                    against = int(np.bincount(other_kind[run]).argmax())
                    path = cv2.blur(part.astype(np.float32).reshape(1, -1, 2), (5, 1)).reshape(-1, 2) if len(part) > 6 else part
                    path = [np.round(path * 8).astype(np.int32)]
                    if kind == OPEN and against == OPEN:
                        others = near[run][other_kind[run] == OPEN]
                        pair = sorted((k, int(np.bincount(others).argmax())))
                        if s.hedge == "line" or faint[pair[0], pair[1]]:
                            drawn = cv2.polylines(self.canvas.copy(), path, False, thin, 2, cv2.LINE_AA, 3)
                            self.canvas = cv2.addWeighted(drawn, s.line_strength, self.canvas, 1 - s.line_strength, 0)
                        else:
                            colour = s.extra[{"hedge": "leaf", "wall": "stone", "fence": "wood"}[s.hedge]]
                            wide = int(rng.integers(3, 6)) if s.hedge != "fence" else 2
                            cv2.polylines(self.canvas, path, False, ink, wide + 2, cv2.LINE_AA, 3)
                            cv2.polylines(self.canvas, path, False, _rgb(colour), wide, cv2.LINE_AA, 3)
                            for i in range(0, len(part), 6):
                                cv2.circle(self.canvas, tuple(int(v) for v in part[i]), 1, _rgb(colour, 1.3), -1, cv2.LINE_AA)
                    elif kind == CITY:
                        if s.city_wall:
                            cv2.polylines(self.canvas, path, False, _rgb(s.extra["stone"]), int(2 * s.city_wall), cv2.LINE_AA, 3)
                            step = max(4, int(2.5 * s.city_wall))
                            for i in range(0, len(part), step):
                                cv2.circle(self.canvas, tuple(int(v) for v in part[i]), max(1, int(0.7 * s.city_wall)), _rgb(s.extra["stone"], 0.75), -1, cv2.LINE_AA)
                        if s.ink_width:
                            cv2.polylines(self.canvas, path, False, ink, int(s.ink_width), cv2.LINE_AA, 3)
                    elif kind != OPEN and (s.ink_width or against == kind):
                        cv2.polylines(self.canvas, path, False, ink, max(1, int(s.ink_width)), cv2.LINE_AA, 3)
        if laid.line.any() and s.edge_line in ("ink", "dark"):
            contours, _ = cv2.findContours(laid.line, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
            colour = ink if s.edge_line == "ink" else _rgb(s.kinds[LINE], 0.6)
            for contour in contours:
                points = contour[:, 0, :]
                for run in _runs((points > 0).all(1) & (points < PX - 1).all(1)):
                    if len(run) > 2:
                        cv2.polylines(self.canvas, [points[run]], False, colour, max(1, int(s.ink_width)), cv2.LINE_AA)

    # Things that stand on the tile; x and y in px.

    def poly(self, points, colour, outline=True):
        points = [np.round(np.asarray(points) * 8).astype(np.int32)]
        cv2.fillPoly(self.canvas, points, colour, cv2.LINE_AA, 3)
        if outline:
            cv2.polylines(self.canvas, points, True, _rgb(self.s.extra["ink"]), 1, cv2.LINE_AA, 3)

    def disc(self, x, y, r, colour, outline=False, width=-1):
        at, radius = (int(x * 8), int(y * 8)), max(1, int(r * 8))
        cv2.circle(self.canvas, at, radius, colour, width, cv2.LINE_AA, 3)
        if outline:
            cv2.circle(self.canvas, at, radius, _rgb(self.s.extra["ink"]), 1, cv2.LINE_AA, 3)

    def stroke(self, x, y, angle, near, far, colour):
        """A thin line that points away from (x, y)."""
        at = lambda reach: (int(8 * (x + reach * np.cos(angle))), int(8 * (y + reach * np.sin(angle))))
        cv2.line(self.canvas, at(near), at(far), colour, 1, cv2.LINE_AA, 3)

    def shadow(self, x, y, r):
        if self.s.relief:
            spot = np.zeros((PX, PX), np.uint8)
            at = (int(8 * (x + 0.4 * r * self.s.light[0])), int(8 * (y + 0.4 * r * self.s.light[1])))
            cv2.circle(spot, at, int(8 * r), 255, -1, cv2.LINE_AA, 3)
            y0, y1, x0, x1 = max(0, int(y - 2 * r)), int(y + 2 * r) + 2, max(0, int(x - 2 * r)), int(x + 2 * r) + 2
            part = self.canvas[y0:y1, x0:x1]
            dark = 1 - 0.4 * self.s.relief * spot[y0:y1, x0:x1, None].astype(np.float32) / 255
            part[:] = (part * dark).astype(np.uint8)

    def box(self, x, y, a, b, turn):
        c, s = np.cos(turn), np.sin(turn)
        return np.array([(x + c * u - s * v, y + s * u + c * v) for u, v in ((-a, -b), (a, -b), (a, b), (-a, b))])

    def marks_and_things(self, distance):
        s, laid, rng = self.s, self.laid, self.rng
        if laid.square and (laid.game == CASTLE or rng.random() < 0.4):
            self.plaza()
        for x, y, dx, dy in laid.ends:
            if rng.random() < 0.6:
                w = laid.line_width
                turn = np.arctan2(dy, dx)
                for k in range(int(rng.integers(0, 3))):
                    self.poly(self.box(x * PX - dx * 3 * (k + 1), y * PX - dy * 3 * (k + 1), 1.2, w * 0.9, turn), _rgb(s.extra["stone"]))
                self.poly(self.box(x * PX, y * PX, rng.uniform(1.5, 3), w, turn), _rgb(s.extra["wood"]))
        if laid.game == CLASSIC and (len(laid.ends) >= 2 or laid.square):
            for _ in range(int(rng.integers(2, 7))):
                self.cottage(PX / 2 + rng.normal(0, 9), PX / 2 + rng.normal(0, 9), rng.uniform(4, 7))
        for mark, x, y, _, room in laid.marks:
            r = min(max(room, 0.075), 0.15) * PX * rng.uniform(0.75, 1.0)
            if mark == PENNANT:
                r = min(r, 0.1 * PX)
            elif mark == FOUNTAIN:
                r = (max(s.half_width * 1.1, rng.uniform(0.08, 0.12)) if rng.random() < 0.6 else rng.uniform(0.04, 0.1)) * PX
            elif mark == CLOISTER:
                r = rng.uniform(0.16, 0.24) * PX
            {MARKET: self.stall, PENNANT: self.pennant, FOUNTAIN: self.fountain, CLOISTER: self.cloister}[mark](x * PX, y * PX, r)
            self.taken.append((x * PX, y * PX, r * 1.25))
            cv2.circle(self.dense, (int(x * PX), int(y * PX)), int(r), mark, -1)
        blocked = distance.copy()
        blocked[laid.line > 0] = 0
        for k, kind in enumerate(laid.kinds):
            here = (laid.areas == k) & (laid.line == 0)
            self.populate(kind, here, blocked)
        for _ in range(int(s.confetti * rng.integers(0, 9))):
            x, y = rng.uniform(0, PX, 2)
            if all((x - a) ** 2 + (y - b) ** 2 > c * c for a, b, c in self.taken):
                colour, r = _rgb(rng.random(3)), rng.uniform(1, 3.5)
                if rng.random() < 0.5:
                    self.disc(x, y, r, colour, rng.random() < 0.4)
                else:
                    self.poly(self.box(x, y, r, 0.6 * r, rng.uniform(0, np.pi)), colour, rng.random() < 0.4)

    def free(self, here, distance, r):
        ys, xs = np.nonzero(here & (distance > r))
        if not len(xs):
            return None
        for _ in range(4):
            i = int(self.rng.integers(len(xs)))
            x, y = float(xs[i]), float(ys[i])
            if all((x - a) ** 2 + (y - b) ** 2 > (r + c) ** 2 for a, b, c in self.taken):
                self.taken.append((x, y, r))
                return x, y
        return None

    def populate(self, kind, here, distance):
        s, rng = self.s, self.rng
        share = here.mean()
        few = lambda most: int(most * s.things * rng.uniform(0.4, 1.3) * min(1, 3 * share) + 0.5)
        if kind == HOUSE and s.village:
            for _ in range(int(30 * share * s.crowd) + 2):
                r = rng.uniform(4, 8)
                at = self.free(here, distance, 0.8 * r)
                if at:
                    (self.cottage if s.village == "above" else self.front)(*at, r)
        elif kind == TOWER and s.fort:
            for _ in range(int(s.garrison * share * min(s.crowd, 1.5)) + int(rng.integers(1, 3))):
                r = s.height * rng.uniform(0.8, 1.2)
                at = self.free(here, distance, 0.8 * r)
                if at:
                    (self.turret if s.fort == "above" else self.keep)(*at, r)
        elif kind == HOUSE:
            for _ in range(few(5)):
                r = rng.uniform(2, 4)
                at = self.free(here, distance, r + 1)
                if at:
                    turn = rng.choice([0, np.pi / 4, rng.uniform(0, np.pi)])
                    self.shadow(*at, r)
                    if rng.random() < 0.6:
                        self.poly(self.box(*at, r * 0.7, r * 0.6, turn), _rgb(s.extra["stone"], 0.9))
                        self.disc(*at, r * 0.3, _rgb(s.extra["ink"]))
                    else:
                        roof = s.roofs[int(rng.integers(3))]
                        box = self.box(*at, r, r * 0.8, turn)
                        self.poly(box, _rgb(roof, 1.15))
                        self.poly([box[0], box[1], (box[1] + box[2]) / 2, (box[0] + box[3]) / 2], _rgb(roof, 0.75), False)
        elif kind == TOWER:
            if s.turrets == "rings":
                for _ in range(few(8) + 1):
                    r = rng.uniform(2.5, 6)
                    at = self.free(here, distance, r)
                    if at:
                        self.disc(*at, r, _rgb(s.extra["ink"]), False, 1)
            for _ in range(1 + int(share > 0.4) if s.turrets == "turrets" else 0):
                for r in (rng.uniform(11, 17), rng.uniform(6, 10)):
                    at = self.free(here, distance, r + s.battlement) if rng.random() < 0.8 else None
                    if at:
                        self.turret(*at, r * 0.85)
                        break
            for _ in range(few(2)):
                at = self.free(here, distance, 4 + s.battlement)
                if at:
                    self.poly(self.box(*at, 3, 2.5, rng.uniform(0, np.pi)), _rgb(s.extra["wood"]))
        elif kind == CITY:
            if s.city_houses:
                for _ in range(int(24 * share * s.crowd) + 1):
                    r = rng.uniform(4, 8)
                    at = self.free(here, distance, r * 0.7 + s.city_wall)
                    if at:
                        self.cottage(*at, r)
            for _ in range(few(4)):
                at = self.free(here, distance, 4)
                if at:
                    self.plant(*at, 3)
        else:
            for _ in range(few(6)):
                r = rng.uniform(2.5, 7)
                at = self.free(here, distance, r)
                if not at:
                    continue
                what = rng.random()
                if what < 0.6:
                    self.plant(*at, r)
                elif what < 0.7:
                    self.poly(self.box(*at, 2.5, 2.5, rng.uniform(0, np.pi)), _rgb(s.extra["wood"]))
                elif what < 0.8:
                    self.disc(*at, 2.5, _rgb(s.extra["wood"]), True)
                elif what < 0.87:
                    for _ in range(5):
                        self.disc(at[0] + rng.normal(0, 2), at[1] + rng.normal(0, 2), 0.9, _rgb(rng.random(3)))
                elif what < 0.93 and self.laid.game == CLASSIC:
                    self.cottage(*at, 4)
                else:
                    cv2.ellipse(self.canvas, (int(at[0]), int(at[1])), (3, 2), rng.uniform(0, 180), 0, 360, _rgb(s.extra["pale"]), -1, cv2.LINE_AA)
                    self.disc(at[0] + 2.5, at[1], 1.2, _rgb(s.extra["ink"]))

    def plant(self, x, y, r):
        s, rng = self.s, self.rng
        leaf = s.extra["leaf"]
        self.shadow(x, y, r)
        if s.tree == "star":
            a = np.arange(12) * np.pi / 6 + rng.uniform(0, 1)
            reach = np.where(np.arange(12) % 2 == 0, r, 0.6 * r)
            self.poly(np.stack([x + reach * np.cos(a), y + reach * np.sin(a)], 1), _rgb(leaf))
        elif s.tree == "round":
            self.disc(x, y, r, _rgb(leaf), True)
            self.disc(x - 0.3 * r * s.light[0], y - 0.3 * r * s.light[1], 0.5 * r, _rgb(leaf, 1.3))
        else:
            for _ in range(6):
                px, py = x + rng.normal(0, 0.4 * r), y + rng.normal(0, 0.4 * r)
                self.disc(px, py, 0.5 * r, _rgb(leaf, rng.uniform(0.7, 1.35)))

    def cottage(self, x, y, r):
        s, rng = self.s, self.rng
        roof = s.roofs[int(rng.integers(3))]
        turn = rng.choice([0, np.pi / 2, rng.uniform(0, np.pi)])
        self.shadow(x, y, r)
        box = self.box(x, y, r, r * rng.uniform(0.6, 0.9), turn)
        self.poly(box, _rgb(roof, 1.15))
        self.poly([box[0], box[1], (box[1] + box[2]) / 2, (box[0] + box[3]) / 2], _rgb(roof, 0.75), False)

    def standing(self, x, y, r):
        """Brings corners of what is seen from beside to their places: x right, y up, -1 to 1."""
        rng, s = self.rng, self.s
        turn = rng.normal(0, 0.08) if s.upright else float(rng.choice([0, np.pi / 2, np.pi, 3 * np.pi / 2])) + rng.normal(0, 0.15)
        c, d = np.cos(turn), np.sin(turn)
        return lambda points: np.array([(x + r * (c * u + d * v), y + r * (d * u - c * v)) for u, v in points])

    def front(self, x, y, r):
        """A small house seen from beside."""
        s, rng = self.s, self.rng
        at = self.standing(x, y, r)
        wide, eaves = rng.uniform(0.55, 0.9), rng.uniform(-0.1, 0.25)
        wall, roof = _rgb(s.extra["pale"] if rng.random() < 0.6 else s.extra["stone"]), _rgb(s.roofs[1] if rng.random() < 0.8 else s.extra["wood"])
        self.poly(at([(-wide, -0.8), (wide, -0.8), (wide, eaves), (-wide, eaves)]), wall)
        over = wide + s.eaves
        if s.gable == "gable":
            self.poly(at([(-over, eaves), (over, eaves), (0, 0.95)]), roof)
        elif s.gable == "hip":
            self.poly(at([(-over, eaves), (over, eaves), (0.6 * wide, 0.85), (-0.6 * wide, 0.85)]), roof)
        elif s.gable == "dome":
            arc = np.linspace(0, np.pi, 12)
            self.poly(at(np.stack([over * np.cos(arc), eaves + (0.9 - eaves) * np.sin(arc)], 1)), roof)
        elif s.gable == "shed":
            high = float(rng.choice([-1, 1]))
            self.poly(at([(-over * high, eaves), (over * high, eaves), (over * high, 0.8)]), roof)
        else:
            # The end of a house and its long side.
            end = wide * rng.uniform(-0.4, 0.1)
            self.poly(at([(-over, eaves), (end, eaves), ((end - wide) / 2, 0.9)]), wall)
            self.poly(at([(end, eaves), (over, eaves), ((end + wide) / 2, 0.9), ((end - wide) / 2, 0.9)]), roof)
        if r > 5 and rng.random() < 0.7:
            door = rng.uniform(-0.3, 0.3)
            self.poly(at([(door - 0.14, -0.8), (door + 0.14, -0.8), (door + 0.14, -0.3), (door - 0.14, -0.3)]), _rgb(s.extra["ink"]), False)

    def keep(self, x, y, r):
        """A tower seen from beside, with its battlements."""
        s, rng = self.s, self.rng
        at = self.standing(x, y, r)
        wide, high = rng.uniform(0.4, 0.75), rng.uniform(0.45, 0.8)
        stone = _rgb(s.extra["stone"] if rng.random() < 0.5 else s.kinds[TOWER], rng.uniform(0.7, 1.3))
        foot = wide * s.taper
        if s.cap:
            self.poly(at([(-wide, high - 0.2), (-foot, -0.9), (foot, -0.9), (wide, high - 0.2)]), stone)
            roof = _rgb(s.extra["slate"] if rng.random() < 0.5 else s.extra["cloth"])
            self.poly(at([(-1.25 * wide, high - 0.25), (1.25 * wide, high - 0.25), (0, 1.15)]), roof)
            return
        brim = wide * rng.uniform(1.0, 1.3)
        teeth = []
        for k in range(3):
            left = -brim + k * 0.8 * brim
            teeth += [(left, high), (left, high + 0.25), (left + 0.4 * brim, high + 0.25), (left + 0.4 * brim, high)]
        self.poly(at([(-foot, -0.9), (-wide, high - 0.2), *teeth, (wide, high - 0.2), (foot, -0.9)]), stone)
        if rng.random() < 0.7:
            self.poly(at([(-0.15, -0.9), (0.15, -0.9), (0.15, -0.4), (-0.15, -0.4)]), _rgb(s.extra["ink"]), False)
        elif r > 6:
            self.poly(at([(-0.1, 0.0), (0.1, 0.0), (0.1, 0.3), (-0.1, 0.3)]), _rgb(s.extra["ink"]), False)

    def cart(self, x, y, r):
        """A market's cart or booth, seen from beside."""
        s, rng = self.s, self.rng
        at = self.standing(x, y, r)
        cloth, pale, stripes = _rgb(s.extra["cloth"]), _rgb(s.extra["pale"]), int(rng.integers(2, 4)) * 2
        self.poly(at([(-0.75, -0.5), (0.75, -0.5), (0.75, 0.05), (-0.75, 0.05)]), _rgb(s.extra["wood"]))
        for k in range(stripes):
            a, b = -1 + 2 * k / stripes, -1 + 2 * (k + 1) / stripes
            self.poly(at([(a, 0.1), (b, 0.1), (0.75 * b, 0.8), (0.75 * a, 0.8)]), cloth if k % 2 else pale)
        if rng.random() < 0.7:
            for u in (-0.5, 0.5):
                self.disc(*at([(u, -0.6)])[0], 0.28 * r, _rgb(s.extra["ink"] if rng.random() < 0.5 else s.extra["wood"]), True)

    def turret(self, x, y, r):
        s, rng = self.s, self.rng
        self.shadow(x, y, r)
        if rng.random() < 0.6:
            a = np.arange(13) * np.pi / 6
            for i in range(12):
                facing = np.cos(a[i] + 0.26) * s.light[0] + np.sin(a[i] + 0.26) * s.light[1]
                corners = [(x, y)] + [(x + r * np.cos(t), y + r * np.sin(t)) for t in (a[i], a[i + 1])]
                self.poly(corners, _rgb(s.extra["slate"], 1 - 0.4 * max(s.relief, 0.3) * facing), False)
            self.disc(x, y, r, _rgb(s.extra["ink"]), False, 1)
            if rng.random() < 0.6:
                away = rng.uniform(0, 2 * np.pi)
                tip = (x + 0.9 * r * np.cos(away), y + 0.9 * r * np.sin(away))
                side = (x + 0.6 * r * np.cos(away + 0.7), y + 0.6 * r * np.sin(away + 0.7))
                self.poly([(x, y), tip, side], _rgb(s.extra["cloth"]))
        else:
            self.disc(x, y, r, _rgb(s.kinds[TOWER], 1.2), True)
            for i in range(9):
                t = i * 2 * np.pi / 9
                self.disc(x + 0.85 * r * np.cos(t), y + 0.85 * r * np.sin(t), 0.14 * r, _rgb(s.kinds[TOWER], 0.65))
            inside = _rgb(s.kinds[TOWER], 0.72) if rng.random() < 0.5 else _rgb(s.extra[str(rng.choice(["slate", "cloth", "ink", "water"]))])
            self.disc(x, y, 0.62 * r, inside, True)

    def stall(self, x, y, r):
        s, rng = self.s, self.rng
        cloth, pale = _rgb(s.extra["cloth"]), _rgb(s.extra["pale"])
        turn = rng.uniform(0, 2 * np.pi)
        if s.market == "cart":
            self.cart(x, y, 1.15 * r)
            return
        self.shadow(x, y, r)
        if s.market == "awning":
            b = r * rng.uniform(0.55, 0.85)
            n = int(rng.integers(2, 4)) * 2 + 1
            for i in range(n):
                u = (2 * i + 1) / n - 1
                c, d = np.cos(turn), np.sin(turn)
                self.poly(self.box(x + c * u * r, y + d * u * r, r / n, b, turn), cloth if i % 2 else pale, False)
            box = self.box(x, y, r, b, turn)
            self.poly([box[0], box[1], box[1], box[0]], cloth)
            cv2.polylines(self.canvas, [np.round(box * 8).astype(np.int32)], True, _rgb(s.extra["ink"]), 1, cv2.LINE_AA, 3)
        elif s.market == "stalls":
            for i in range(int(rng.integers(2, 4))):
                px, py = x + rng.normal(0, 0.45 * r), y + rng.normal(0, 0.45 * r)
                self.poly(self.box(px, py, 0.5 * r, 0.35 * r, turn), cloth if i % 2 else pale)
                self.poly(self.box(px, py, 0.5 * r, 0.1 * r, turn), pale if i % 2 else cloth, False)
        else:
            n = 8 if s.market == "tent" else 12
            for i in range(n):
                a, b = turn + i * 2 * np.pi / n, turn + (i + 1) * 2 * np.pi / n
                self.poly([(x, y), (x + r * np.cos(a), y + r * np.sin(a)), (x + r * np.cos(b), y + r * np.sin(b))], cloth if i % 2 else pale, False)
            self.disc(x, y, r, _rgb(s.extra["ink"]), False, 1)
            self.disc(x, y, 0.12 * r, _rgb(s.extra["ink"]))

    def fountain(self, x, y, r):
        s = self.s
        if s.plain_fountain:
            self.disc(x, y, r, _rgb(s.extra["water"]), True)
            self.disc(x, y, 0.3 * r, _rgb(s.extra["pale"]))
            return
        turn = self.rng.uniform(0, 1)
        self.shadow(x, y, r)
        ring = lambda k: np.stack([x + k * r * np.cos(t), y + k * r * np.sin(t)], 1)
        t = turn + np.arange(s.basin) * 2 * np.pi / s.basin
        self.poly(ring(1.0), _rgb(s.extra["stone"], 1.1))
        if s.spokes:
            for a in np.arange(12) * np.pi / 6:
                self.stroke(x, y, a, 0.74 * r, 0.97 * r, _rgb(s.extra["ink"]))
        self.poly(ring(0.72), _rgb(s.extra["water"]))
        self.disc(x, y, 0.5 * r, _rgb(s.extra["water"], 1.3), False, 1)
        self.disc(x, y, 0.25 * r, _rgb(s.extra["stone"], 1.1), True)
        for k in range(s.jets):
            self.stroke(x, y, turn + k * 2 * np.pi / s.jets, 0.1 * r, 0.55 * r, (255.0, 255.0, 255.0))

    def pennant(self, x, y, r):
        s = self.s
        two = _rgb(s.extra["cloth"]), _rgb(s.extra["pale"])
        shape = np.array([[-0.8, -1], [0.8, -1], [0.8, 0.2], [0, 1], [-0.8, 0.2]])
        turn = self.rng.choice([0, np.pi / 2, np.pi, self.rng.uniform(0, 6)])
        c, d = np.cos(turn), np.sin(turn)
        spin = np.array([[c, d], [-d, c]])
        at = lambda p: np.array([x, y]) + r * np.asarray(p) @ spin
        self.poly(at(shape), two[0])
        self.poly(at([[0, -1], [0.8, -1], [0.8, 0.2], [0, 1]]), two[1], False)
        if self.rng.random() < 0.5:
            self.poly(at([[-0.8, -0.4], [0.8, -0.4], [0.8, 0.0], [-0.8, 0.0]]), two[0], False)

    def cloister(self, x, y, r):
        s, rng = self.s, self.rng
        roof = s.roofs[0]
        self.disc(x, y, r * 1.15, _rgb(s.extra["stone"], 1.1), rng.random() < 0.5)
        self.shadow(x, y, r * 0.7)
        turn = float(rng.choice([0, np.pi / 2, rng.uniform(0, 3)]))
        for k in (0, np.pi / 2):
            box = self.box(x, y, r * 0.9, r * 0.35, turn + k)
            self.poly(box, _rgb(roof, 1.15))
            self.poly([box[0], box[1], (box[1] + box[2]) / 2, (box[0] + box[3]) / 2], _rgb(roof, 0.8), False)
        if rng.random() < 0.6:
            self.disc(x, y, r * 0.25, _rgb(s.extra["slate"]), True)

    def plaza(self):
        s, rng = self.s, self.rng
        r, (u, v) = s.square_size * PX, (PX * at for at in self.laid.centre)
        base = s.extra["stone"] * 0.8 + 0.2 * s.kinds[LINE]
        yy, xx = np.mgrid[:PX, :PX].astype(np.float32)
        dx, dy = np.abs(xx - u), np.abs(yy - v)
        reach = {"disc": np.hypot(dx, dy), "box": np.maximum(dx, dy) * 1.08}.get(s.square)
        reach = 0.5 * np.hypot(dx, dy) + 0.54 * np.maximum(dx, dy) if reach is None else reach
        inside = reach < r
        self.taken.append((u, v, 1.1 * r))
        self.dense[inside] = SQUARE
        if s.plain_square:
            colour = s.extra["stone"] if s.square == "box" else s.kinds[LINE] * self.rng.uniform(0.75, 1.05)
            self.canvas[inside] = np.round(np.clip(colour, 0, 1) * 255).astype(np.uint8)
            ring = inside & (reach > r - max(1.5, s.ink_width))
            self.canvas[ring] = np.round(s.extra["ink"] * 255).astype(np.uint8)
            return
        turn = np.arctan2(yy - v, xx - u)
        light = np.ones((PX, PX), np.float32)
        if s.strength:
            light = light - s.strength * 0.8 * ((reach / (r / 5)) % 1 < 0.2)
            if rng.random() < 0.7:
                light = light - s.strength * 0.5 * ((turn * 10 / np.pi) % 1 < 0.15)
        paving = np.clip(base * light[..., None], 0, 1)
        paving[(reach > r - 2.5)] = np.clip(s.extra["stone"] * 0.75, 0, 1)
        if rng.random() < 0.7:
            rose = (reach < 0.35 * r) & ((turn * 4 / np.pi) % 1 < 0.5)
            paving[rose] = s.extra["slate"]
        self.canvas[inside] = np.round(paving[inside] * 255).astype(np.uint8)

    def finish(self):
        s, rng = self.s, self.rng
        out = self.canvas.astype(np.float32) / 255
        grey = out @ np.array([0.3, 0.59, 0.11], np.float32)
        k = s.finish_strength
        paper = s.extra["paper"]
        if s.finish == "engraved":
            yy, xx = np.mgrid[:PX, :PX]
            lines = np.sin((xx + 0.7 * yy) * 2 * np.pi / 4 + noise(rng, PX, 40)) * 0.5 + 0.5
            out = out * (1 - 0.5 * k) + 0.5 * k * np.where((lines > grey)[..., None], s.extra["ink"], paper)
        elif s.finish == "washed":
            thin = (0.4 + 0.3 * noise(rng, PX, 25))[..., None] * k
            out = out * (1 - np.clip(thin, 0, 0.7)) + np.clip(thin, 0, 0.7) * paper
        elif s.finish == "crayon":
            stroke = noise(rng, PX, 6)
            bare = (np.clip(stroke, 0, 1) * 0.7 * k)[..., None]
            out = out * (1 - bare) + bare * paper
        elif s.finish == "soft":
            out = cv2.GaussianBlur(out, (0, 0), 0.6 + 0.8 * k)
        elif s.finish == "posterised":
            n = 4 + int(6 * (1 - k))
            out = np.round(out * n) / n
        elif s.finish == "painted":
            out = cv2.medianBlur(np.round(out * 255).astype(np.uint8), 3).astype(np.float32) / 255
            out *= 1 + 0.12 * k * noise(rng, PX, 10)[..., None]
        out += s.grain * rng.standard_normal((PX, PX, 1)).astype(np.float32)
        return np.clip(out, 0, 1)


def _runs(keep):
    """Runs of indices in a closed ring where `keep` holds."""
    if keep.all():
        return [np.append(np.arange(len(keep)), 0)]
    start = int(np.argmin(keep))
    order = np.roll(np.arange(len(keep)), -start)
    held = keep[order]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], held.view(np.int8), [0]])))
    return [order[a:b] for a, b in zip(edges[::2], edges[1::2])]


def _photographed(rng, picture, dense, edge, camera):
    """As an owner's photo or scan shows the tile, SIDE px, with the dense truth alongside."""
    gain, gamma, soft, worn, askew = camera
    turn, grow = askew * rng.normal(0, 0.7), 1 + askew * rng.normal(0, 0.012)
    move = cv2.getRotationMatrix2D((PX / 2, PX / 2), turn, SIDE / PX * grow)
    move[:, 2] += SIDE / 2 - PX / 2 + askew * rng.normal(0, 0.9, 2)
    small = cv2.warpAffine(cv2.GaussianBlur(picture, (0, 0), 0.5), move, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    truth = cv2.warpAffine(dense, move, (SIDE, SIDE), flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    edge = cv2.warpAffine(edge, move, (SIDE, SIDE), flags=cv2.INTER_NEAREST)
    if soft > 0.3:
        small = cv2.GaussianBlur(small, (0, 0), soft)
    yy, xx = np.mgrid[:SIDE, :SIDE].astype(np.float32) / SIDE - 0.5
    slope = rng.normal(0, 0.1, 2)
    small = np.clip(small, 0, 1) ** gamma * gain * (1 + slope[0] * xx + slope[1] * yy)[..., None]
    small += worn * rng.standard_normal(small.shape).astype(np.float32)
    pixels = np.round(np.clip(small, 0, 1) * 255).astype(np.uint8)
    if worn > 0.01:
        ok, jpeg = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(50, 95))])
        pixels = cv2.imdecode(jpeg, cv2.IMREAD_COLOR) if ok else pixels
    step = SIDE // DENSE
    edge = edge.reshape(DENSE, step, DENSE, step).max((1, 3)) > 0
    return pixels, truth[step // 2 :: step, step // 2 :: step], edge.astype(np.uint8)


def random_deck(rng, tiles, game):
    """A deck of made-up tiles. Returns pictures [T, SIDE, SIDE, 3] uint8 RGB, dense
    classes [T, DENSE, DENSE] uint8, borders between segments of one kind [T, DENSE,
    DENSE] uint8 0 or 1, port kinds [T, 12] int8 (-1 none), segment of each
    port [T, 12] int8 (-1 none), marks [T, 5, 12] uint8: on which ports' segments a
    market, a fountain, a square or a pennant is; the fifth row is 1 for a cloister."""
    style = Style(rng)
    if game == CLASSIC:
        style.half_width *= 0.7
    camera = (
        rng.uniform(0.8, 1.1) * rng.uniform(0.92, 1.08, 3), rng.uniform(0.8, 1.25), rng.uniform(0, 1.3), rng.uniform(0, 0.04), rng.uniform(0.3, 1.8)
    )  # fmt: skip
    pictures, classes, edges, kinds, blocks, marks = [], [], [], [], [], []
    for _ in range(tiles):
        laid = random_laid(rng, game, style.half_width, style.wobble, 0.8 * style.square_size, style.built_apart)
        painter = Painter(rng, style, laid)
        pixels, dense, edge = _photographed(rng, painter.paint().astype(np.float32), painter.dense, painter.edge, camera)
        pictures.append(pixels)
        classes.append(dense)
        edges.append(edge)
        kinds.append(laid.port_kinds)
        blocks.append(laid.blocks)
        mark = np.zeros((5, 12), np.uint8)
        for which, _, _, ports, _ in laid.marks:
            row = {MARKET: 0, FOUNTAIN: 1, PENNANT: 3, CLOISTER: 4}[which]
            mark[row, ports if ports else slice(None)] = 1
        if laid.square and game == CASTLE:
            mark[2, [p for p in MIDDLES if laid.port_kinds[p] >= 0]] = 1
        marks.append(mark)
    return (np.stack(pictures), np.stack(classes), np.stack(edges), np.array(kinds, np.int8), np.array(blocks, np.int8), np.stack(marks))
