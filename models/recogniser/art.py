"""Endless made-up decks of tile art, drawn with numpy and OpenCV.

It is independent of the program's own studio on purpose: decks that the studio
renders stay unseen. A deck has one style (palette, textures, outlines, finish);
a tile is a list of operations, so a near-twin is the same list with one small
thing added, taken away or moved.
"""

import colorsys
from dataclasses import dataclass, field

import cv2
import numpy as np

PX = 96


def noise(rng: np.random.Generator, px: int, cell: float, octaves: int = 3) -> np.ndarray:
    """Smooth noise [px, px] in about -1..1; `cell` is its coarsest grain in px."""
    total = np.zeros((px, px), np.float32)
    share, weight = 1.0, 0.0
    for _ in range(octaves):
        n = max(2, int(px / cell) + 1)
        grid = rng.standard_normal((n, n)).astype(np.float32)
        total += share * cv2.resize(grid, (px, px), interpolation=cv2.INTER_CUBIC)
        weight += share
        share *= 0.6
        cell = max(1.5, cell / 2)
    return total / weight


def colour(rng: np.random.Generator, hue=None, sat=(0.1, 0.9), value=(0.2, 0.95)) -> np.ndarray:
    h = rng.random() if hue is None else (hue + rng.normal(0, 0.04)) % 1
    return np.array(colorsys.hsv_to_rgb(h, rng.uniform(*sat), rng.uniform(*value)), np.float32)


@dataclass
class Style:
    """What the tiles of a deck have in common."""

    grounds: list = field(default_factory=list)
    textures: list = field(default_factory=list)
    road: np.ndarray = None
    road_edge: np.ndarray = None
    road_width: float = 0.08
    outline: float = 0.0
    ink: np.ndarray = None
    wall: bool = False
    icons: list = field(default_factory=list)
    finish: str = "flat"
    grain: float = 0.02
    scatter: int = 6
    same_layouts: bool = False


TEXTURES = ("plain", "mottled", "roofs", "bricks", "hatch", "dots", "furrows", "scribble", "cells", "grass")
ICONS = ("shield", "disc", "tree", "house", "star", "cross", "rune", "ring", "diamond", "pond", "figure", "bars")
FINISHES = ("flat", "flat", "painterly", "engraved", "soft", "grainy", "faded")


def random_style(rng: np.random.Generator) -> Style:
    hues = rng.random(4)
    if rng.random() < 0.5:
        hues[0] = rng.uniform(0.2, 0.4)
    if rng.random() < 0.2:
        hues[:] = hues[0] + rng.normal(0, 0.02, 4)
    low = rng.random() < 0.25
    sat = (0.0, 0.35) if low else (0.15, 0.9)
    style = Style(
        grounds=[colour(rng, h, sat) for h in hues],
        textures=[str(rng.choice(TEXTURES)) for _ in range(4)],
        road=colour(rng, sat=(0, 0.4), value=(0.55, 1.0) if rng.random() < 0.7 else (0.1, 0.5)),
        road_edge=colour(rng, sat=(0, 0.5), value=(0.05, 0.5)),
        road_width=rng.uniform(0.035, 0.13),
        outline=rng.choice([0.0, 1.0, 1.5, 2.5]),
        ink=colour(rng, sat=(0, 0.6), value=(0.0, 0.3)),
        wall=rng.random() < 0.4,
        icons=[(str(rng.choice(ICONS)), colour(rng), colour(rng)) for _ in range(5)],
        finish=str(rng.choice(FINISHES)),
        grain=rng.uniform(0, 0.05),
        scatter=int(rng.integers(0, 16)),
        same_layouts=rng.random() < 0.5,
    )
    return style


def random_tile(rng: np.random.Generator, style: Style, layouts: list) -> list:
    """A list of operations (name, seed, numbers). `layouts` are region lists of
    the deck so far: in many decks tiles share a layout and differ in detail."""
    if style.same_layouts and layouts and rng.random() < 0.5:
        regions = layouts[rng.integers(len(layouts))]
    else:
        regions = []
        for _ in range(int(rng.choice([0, 1, 1, 2, 2, 3]))):
            regions.append(("region", int(rng.integers(1 << 30)), int(rng.integers(1, 4)), str(rng.choice(["side", "side", "half", "blob", "band", "corner"]))))
        for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3]))):
            regions.append(("road", int(rng.integers(1 << 30))))
        layouts.append(regions)
    tile = [("ground", int(rng.integers(1 << 30)))] + list(regions)
    for _ in range(int(rng.integers(0, style.scatter + 1))):
        tile.append(("tuft", int(rng.integers(1 << 30))))
    for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3]))):
        tile.append(icon(rng, style))
    return tile


def icon(rng: np.random.Generator, style: Style) -> tuple:
    x, y = rng.uniform(0.15, 0.85, 2)
    return ("icon", int(rng.integers(1 << 30)), int(rng.integers(len(style.icons))), float(x), float(y), float(rng.uniform(0.07, 0.17)))


def twin(rng: np.random.Generator, style: Style, tile: list) -> list:
    """The same tile with one small thing other."""
    tile = list(tile)
    icons = [i for i, op in enumerate(tile) if op[0] == "icon"]
    way = rng.random()
    if icons and way < 0.35:
        del tile[int(rng.choice(icons))]
    elif icons and way < 0.5:
        tile[int(rng.choice(icons))] = icon(rng, style)
    elif way < 0.6:
        tile[0] = ("ground", int(rng.integers(1 << 30)))
        tile = [(op[0], int(rng.integers(1 << 30))) if op[0] == "tuft" else op for op in tile] + [("tuft", 7)]
    else:
        tile.append(icon(rng, style))
    return tile


def _texture(rng, kind: str, base: np.ndarray, px: int) -> np.ndarray:
    out = np.empty((px, px, 3), np.float32)
    out[:] = base
    strength = rng.uniform(0.06, 0.25)
    if kind in ("mottled", "grass", "furrows", "scribble"):
        out *= 1 + strength * noise(rng, px, rng.uniform(6, 40))[..., None]
    if kind == "grass":
        n = int(rng.integers(60, 200))
        for x, y, a in zip(rng.uniform(0, px, n), rng.uniform(0, px, n), rng.uniform(-0.6, 0.6, n)):
            l = rng.uniform(2, 6)
            c = np.clip(base * (1 + rng.normal(0, 0.35)), 0, 1)
            cv2.line(out, (int(x), int(y)), (int(x + l * np.sin(a)), int(y - l * np.cos(a))), c.tolist(), 1, cv2.LINE_AA)
    elif kind in ("roofs", "bricks", "cells"):
        step = rng.uniform(5, 14)
        angle = rng.uniform(0, 90) if kind != "bricks" else 0
        for y in np.arange(-px * 0.3, px * 1.3, step):
            for x in np.arange(-px * 0.3, px * 1.3, step * (1.6 if kind == "bricks" else 1.1)):
                p = np.array([x, y]) + rng.normal(0, step * 0.2, 2)
                size = step * rng.uniform(0.6, 1.4)
                box = cv2.boxPoints(((float(p[0]), float(p[1])), (size * 1.3, size * 0.8), angle + rng.normal(0, 20 if kind == "roofs" else 4)))
                c = np.clip(base * (1 + rng.normal(0, 0.25)) + rng.normal(0, 0.03, 3), 0, 1)
                cv2.fillConvexPoly(out, box.astype(np.int32), c.tolist(), cv2.LINE_AA)
                if rng.random() < 0.5:
                    cv2.polylines(out, [box.astype(np.int32)], True, np.clip(c * 0.6, 0, 1).tolist(), 1, cv2.LINE_AA)
    elif kind in ("hatch", "furrows"):
        yy, xx = np.mgrid[:px, :px]
        a, period = rng.uniform(0, np.pi), rng.uniform(3, 9)
        wave = np.sin((xx * np.cos(a) + yy * np.sin(a)) * 2 * np.pi / period + 2 * noise(rng, px, 30))
        out *= (1 + rng.uniform(0.08, 0.3) * (wave if kind == "furrows" else np.sign(wave)))[..., None]
    elif kind == "dots":
        n = int(rng.integers(20, 120))
        for x, y in rng.uniform(0, px, (n, 2)):
            c = np.clip(base + rng.normal(0, 0.15, 3), 0, 1)
            cv2.circle(out, (int(x), int(y)), int(rng.integers(1, 4)), c.tolist(), -1, cv2.LINE_AA)
    elif kind == "scribble":
        for _ in range(int(rng.integers(5, 25))):
            p = np.cumsum(rng.normal(0, 6, (6, 2)), 0) + rng.uniform(0, px, 2)
            cv2.polylines(out, [p.astype(np.int32)], False, np.clip(base * rng.uniform(0.5, 1.4), 0, 1).tolist(), 1, cv2.LINE_AA)
    return out


def _region_mask(rng, shape: str, px: int) -> np.ndarray:
    mask = np.zeros((px, px), np.uint8)
    t = np.linspace(0, 1, 14)
    depth = rng.uniform(0.12, 0.5) * px
    wobble = np.interp(t, np.linspace(0, 1, 6), rng.normal(0, 0.05 * px, 6))
    if shape in ("side", "half"):
        start, end = (0.0, 1.0) if shape == "side" else sorted(rng.uniform(0, 1, 2))
        bow = np.sin(np.pi * t) ** rng.uniform(0.3, 1.2)
        pts = np.stack([(start + (end - start) * t) * px, depth * bow + wobble * bow], 1)
        pts = np.vstack([pts, [[end * px, -5], [start * px, -5]]])
    elif shape == "corner":
        a = np.linspace(0, np.pi / 2, 14)
        r = rng.uniform(0.4, 1.0) * px + wobble
        pts = np.vstack([np.stack([r * np.cos(a), r * np.sin(a)], 1), [[-5, -5]]])
    elif shape == "band":
        mid = rng.uniform(0.3, 0.7) * px
        half = rng.uniform(0.1, 0.3) * px
        upper = np.stack([t * px, mid - half + wobble], 1)
        lower = np.stack([t[::-1] * px, mid + half + wobble[::-1] * rng.uniform(-1, 1)], 1)
        pts = np.vstack([upper, lower])
    else:
        a = np.linspace(0, 2 * np.pi, 14, endpoint=False)
        r = rng.uniform(0.1, 0.3) * px + wobble
        pts = np.stack([r * np.cos(a), r * np.sin(a)], 1) + rng.uniform(0.3, 0.7, 2) * px
    cv2.fillPoly(mask, [np.round(pts * 8).astype(np.int32)], 255, cv2.LINE_AA, 3)
    return np.rot90(mask, int(rng.integers(4))).copy()


def _bezier(a, b, c, d, n=16):
    t = np.linspace(0, 1, n)[:, None]
    return (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d


def _draw_icon(out, rng, kind, c1, c2, x, y, size, style):
    px = out.shape[0]
    p = np.array([x, y]) * px
    r = size * px
    k1, k2, ink = c1.tolist(), c2.tolist(), style.ink.tolist()
    at = (int(p[0]), int(p[1]))
    if kind == "shield":
        pts = p + r * np.array([[-0.8, -1], [0.8, -1], [0.8, 0.2], [0, 1], [-0.8, 0.2]])
        cv2.fillPoly(out, [pts.astype(np.int32)], k1, cv2.LINE_AA)
        half = p + r * np.array([[0, -1], [0.8, -1], [0.8, 0.2], [0, 1]])
        cv2.fillPoly(out, [half.astype(np.int32)], k2, cv2.LINE_AA)
        cv2.polylines(out, [pts.astype(np.int32)], True, ink, 1, cv2.LINE_AA)
    elif kind in ("disc", "pond", "ring"):
        axes = (int(r), int(r * (rng.uniform(0.5, 1) if kind == "pond" else 1)))
        cv2.ellipse(out, at, axes, rng.uniform(0, 180), 0, 360, k1, -1 if kind != "ring" else max(1, int(r / 3)), cv2.LINE_AA)
        if kind == "disc":
            cv2.circle(out, at, int(r * 0.55), k2, -1, cv2.LINE_AA)
    elif kind == "tree":
        for _ in range(5):
            q = p + rng.normal(0, r * 0.4, 2)
            cv2.circle(out, (int(q[0]), int(q[1])), max(1, int(r * 0.5)), np.clip(c1 * rng.uniform(0.6, 1.3), 0, 1).tolist(), -1, cv2.LINE_AA)
    elif kind == "house":
        body = p + r * np.array([[-0.8, 0], [0.8, 0], [0.8, 0.9], [-0.8, 0.9]])
        roof = p + r * np.array([[-1, 0], [1, 0], [0.3, -0.9], [-0.3, -0.9]])
        cv2.fillPoly(out, [body.astype(np.int32)], k2, cv2.LINE_AA)
        cv2.fillPoly(out, [roof.astype(np.int32)], k1, cv2.LINE_AA)
        cv2.rectangle(out, (int(p[0] - 1), int(p[1] + r * 0.4)), (int(p[0] + 1), int(p[1] + r * 0.9)), ink, -1)
    elif kind in ("star", "diamond"):
        n = 10 if kind == "star" else 4
        a = np.arange(n) * 2 * np.pi / n
        rr = np.where(np.arange(n) % 2 == 0, r, r * 0.45) if kind == "star" else np.full(n, r)
        pts = p + np.stack([rr * np.cos(a), rr * np.sin(a)], 1)
        cv2.fillPoly(out, [pts.astype(np.int32)], k1, cv2.LINE_AA)
        cv2.polylines(out, [pts.astype(np.int32)], True, k2, 1, cv2.LINE_AA)
    elif kind == "cross":
        w = max(1, int(r / 2.5))
        cv2.line(out, (at[0] - int(r), at[1]), (at[0] + int(r), at[1]), k1, w, cv2.LINE_AA)
        cv2.line(out, (at[0], at[1] - int(r)), (at[0], at[1] + int(r)), k1, w, cv2.LINE_AA)
    elif kind == "rune":
        strokes = p + r * rng.choice([-0.9, 0.0, 0.9], (5, 2))
        cv2.polylines(out, [strokes.astype(np.int32)], False, k1, max(1, int(r / 4)), cv2.LINE_AA)
    elif kind == "figure":
        cv2.circle(out, (at[0], int(p[1] - r * 0.6)), max(1, int(r * 0.35)), k1, -1, cv2.LINE_AA)
        cv2.ellipse(out, (at[0], int(p[1] + r * 0.4)), (max(1, int(r * 0.6)), max(1, int(r * 0.7))), 0, 0, 360, k2, -1, cv2.LINE_AA)
    else:
        for i in range(3):
            yy = int(p[1] + (i - 1) * r * 0.6)
            cv2.line(out, (int(p[0] - r), yy), (int(p[0] + r), yy), k1 if i % 2 else k2, max(1, int(r / 4)), cv2.LINE_AA)


def draw(tile: list, style: Style, px: int = PX) -> np.ndarray:
    """A tile upright, [px, px, 3] uint8 RGB."""
    out = None
    for op in tile:
        rng = np.random.default_rng(op[1])
        if op[0] == "ground":
            out = _texture(rng, style.textures[0], style.grounds[0], px)
        elif op[0] == "region":
            mask = _region_mask(rng, op[3], px)
            fill = _texture(rng, style.textures[op[2]], style.grounds[op[2]], px)
            m = mask[..., None].astype(np.float32) / 255
            out = out * (1 - m) + fill * m
            edges, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            if style.wall:
                cv2.drawContours(out, edges, -1, style.road.tolist(), 4, cv2.LINE_AA)
            if style.outline:
                cv2.drawContours(out, edges, -1, style.ink.tolist(), max(1, int(style.outline)), cv2.LINE_AA)
        elif op[0] == "road":
            sides = np.array([[0.5, -0.05], [1.05, 0.5], [0.5, 1.05], [-0.05, 0.5]])
            i, j = rng.choice(4, 2, replace=False)
            a, d = sides[i] * px, sides[j] * px
            if rng.random() < 0.35:
                d = rng.uniform(0.35, 0.65, 2) * px
            b = a + (np.array([0.5, 0.5]) * px - a) * 0.7 + rng.normal(0, 0.12 * px, 2)
            c = d + (np.array([0.5, 0.5]) * px - d) * 0.7 + rng.normal(0, 0.12 * px, 2)
            pts = np.round(_bezier(a, b, c, d) * 8).astype(np.int32)
            w = max(2, int(style.road_width * px))
            cv2.polylines(out, [pts], False, style.road_edge.tolist(), w + 2, cv2.LINE_AA, 3)
            cv2.polylines(out, [pts], False, style.road.tolist(), w, cv2.LINE_AA, 3)
        elif op[0] == "tuft":
            x, y = rng.uniform(0.05, 0.95, 2) * px
            c = np.clip(style.grounds[0] * rng.uniform(0.5, 1.5) + rng.normal(0, 0.05, 3), 0, 1)
            cv2.ellipse(out, (int(x), int(y)), (int(rng.integers(1, 6)), int(rng.integers(1, 4))), rng.uniform(0, 180), 0, 360, c.tolist(), -1, cv2.LINE_AA)
        else:
            _, _, which, x, y, size = op
            kind, c1, c2 = style.icons[which]
            _draw_icon(out, rng, kind, c1, c2, x, y, size, style)
    rng = np.random.default_rng(tile[0][1])
    if style.finish == "painterly":
        out = cv2.medianBlur(np.clip(out * 255, 0, 255).astype(np.uint8), 3).astype(np.float32) / 255
        out *= 1 + 0.12 * noise(rng, px, 10)[..., None]
    elif style.finish == "engraved":
        grey = out @ np.array([0.3, 0.59, 0.11], np.float32)
        yy, xx = np.mgrid[:px, :px]
        lines = np.sin((xx + yy) * 2 * np.pi / 5 + noise(rng, px, 40)) * 0.5 + 0.5
        out = out * 0.6 + 0.4 * np.where(lines > grey, 0.2, 0.95)[..., None]
    elif style.finish == "soft":
        out = cv2.GaussianBlur(out, (0, 0), 1.2)
    elif style.finish == "faded":
        out = 0.35 + 0.5 * out
    out = out + style.grain * rng.standard_normal((px, px, 1))
    return np.clip(out * 255, 0, 255).astype(np.uint8)


def random_deck(rng: np.random.Generator, tiles: int, twins: float = 0.45) -> np.ndarray:
    """[tiles, PX, PX, 3] uint8: pictures of one style, of which such a share are near-twins."""
    style = random_style(rng)
    specs, layouts = [], []
    while len(specs) < tiles:
        if specs and rng.random() < twins:
            specs.append(twin(rng, style, specs[rng.integers(len(specs))]))
        else:
            specs.append(random_tile(rng, style, layouts))
    return np.stack([draw(s, style) for s in specs])
