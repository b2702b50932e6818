"""What a camera and a table do to a tile: from tile pictures to crops as the
program cuts them, and references as an owner's scan or photo shows them.

Each of AUGMENTATIONS can be left out, to measure what it is good for (ablation.py)."""

import cv2
import numpy as np

from art import PX, colour, noise
from net import CROP, MARGIN, SIDE

EMPTY, TILE, COVERED = 0, 1, 2
FIELD = 3 * PX // 2
AUGMENTATIONS = (
    "figures",
    "hands",
    "shading",
    "tint",
    "glare",
    "sharpness",
    "grain",
    "misplacement",
    "neighbours",
    "references",
)
left_out: set[str] = set()
# How large figures are, in tile sides, and how often: followers lying and
# standing, large followers and keeps, keeps seen from low.
FIGURES = ((0.1, 0.2), (0.2, 0.32), (0.32, 0.46))
OFTEN = (0.7, 0.2, 0.1)
_EDGE = PX // 4


def _has(name: str) -> bool:
    return name not in left_out


def table(rng: np.random.Generator, px: int) -> np.ndarray:
    """Wood, cloth, a plain or patterned surface: [px, px, 3] float RGB 0..1."""
    base = colour(rng, sat=(0, 0.7), value=(0.05, 1.0))
    if rng.random() < 0.4:
        base = colour(rng, hue=0.08, sat=(0.1, 0.7), value=(0.2, 0.9))
    out = np.empty((px, px, 3), np.float32)
    out[:] = base
    kind = rng.integers(5)
    if kind == 0:
        grain = cv2.resize(noise(rng, px, rng.uniform(5, 20)), (px, px * 4))[:px]
        rings = np.sin(8 * grain + np.linspace(0, rng.uniform(2, 20), px)[None])
        out *= 1 + rng.uniform(0.03, 0.2) * (rings + 0.5 * grain)[..., None]
        if rng.random() < 0.5:
            x = int(rng.integers(px))
            out[:, x : x + 2] *= 0.5
    elif kind == 1:
        yy, xx = np.mgrid[:px, :px]
        period = rng.uniform(2, 6)
        weave = np.sin(xx * 2 * np.pi / period) + np.sin(yy * 2 * np.pi / period)
        out *= 1 + rng.uniform(0.02, 0.12) * (weave + noise(rng, px, 20))[..., None]
    elif kind == 2:
        out *= 1 + rng.uniform(0.0, 0.3) * noise(rng, px, rng.uniform(8, 60))[..., None]
    elif kind == 3:
        other = colour(rng)
        where = noise(rng, px, rng.uniform(10, 50), 2)
        out += rng.uniform(0.1, 0.5) * (other - base) * (np.abs(where) < 0.15)[..., None]
    out = np.rot90(out, int(rng.integers(4))).copy()
    return np.clip(out, 0, 1)


def _blend(picture, mask, paint):
    m = mask[..., None]
    return picture * (1 - m) + paint * m


def _shadow(picture, rng, mask):
    off = rng.normal(0, 5, 2)
    cast = cv2.warpAffine(mask, np.float32([[1, 0, off[0]], [0, 1, off[1]]]), mask.shape[::-1])
    cast = cv2.GaussianBlur(cast, (0, 0), rng.uniform(1, 5))
    return picture * (1 - rng.uniform(0.1, 0.6) * cast[..., None])


def _figure(picture, rng):
    """A follower or a keep standing or lying on the field, seen from above at a slant."""
    px = picture.shape[0]
    at = px / 2 + rng.uniform(-0.5, 0.5, 2) * PX
    size = PX * rng.uniform(*FIGURES[rng.choice(len(FIGURES), p=OFTEN)])
    lean = size * rng.uniform(0, 1.2) * np.array([np.cos(a := rng.uniform(0, 2 * np.pi)), np.sin(a)])
    mask = np.zeros((px, px), np.float32)
    if rng.random() < 0.6:
        for t in (0, 0.35, 0.7, 1.0):
            p = at + lean * t
            r = size * (0.55 if t < 0.8 else 0.35)
            cv2.circle(mask, (int(p[0]), int(p[1])), max(1, int(r)), 1.0, -1, cv2.LINE_AA)
    else:
        box = cv2.boxPoints(((float(at[0]), float(at[1])), (size, size * rng.uniform(0.6, 1.6)), rng.uniform(0, 90)))
        hull = cv2.convexHull(np.vstack([box, box + lean]).astype(np.float32))
        cv2.fillConvexPoly(mask, hull.astype(np.int32), 1.0, cv2.LINE_AA)
    paint = colour(rng, sat=(0, 1), value=(0.03, 1.0))
    shade = 1 + 0.25 * noise(rng, px, 20, 1)[..., None]
    return _blend(_shadow(picture, rng, mask), mask, np.clip(paint * shade, 0, 1))


def _hand(picture, rng):
    """Fingers or an arm from one side. Returns the picture and the share hidden of the cell."""
    px = picture.shape[0]
    mask = np.zeros((px, px), np.float32)
    depth = rng.uniform(0.3, 0.95) * px
    angle = rng.normal(0, 0.4)
    if rng.random() < 0.6:
        x = rng.uniform(0.1, 0.6) * px
        for _ in range(int(rng.integers(1, 5))):
            width = int(rng.uniform(0.1, 0.2) * px)
            tip = (int(x + np.sin(angle) * depth), int(depth * rng.uniform(0.75, 1.0)))
            cv2.line(mask, (int(x), -width), tip, 1.0, width, cv2.LINE_AA)
            x += width * rng.uniform(0.8, 1.3)
    else:
        t = np.linspace(0, 1, 8)
        edge = np.stack([t * px, depth * 0.7 + np.tan(angle) * (t - 0.5) * px + rng.normal(0, 6, 8)], 1)
        cv2.fillPoly(mask, [np.vstack([edge, [[px, -5], [0, -5]]]).astype(np.int32)], 1.0, cv2.LINE_AA)
    mask = np.rot90(mask, int(rng.integers(4))).copy()
    paint = colour(rng, hue=0.06, sat=(0.15, 0.7), value=(0.15, 0.98)) if rng.random() < 0.75 else colour(rng)
    shade = 1 + 0.2 * noise(rng, px, 50, 2)[..., None]
    soft = cv2.GaussianBlur(mask, (0, 0), 1.0)
    inner = mask[_EDGE:-_EDGE, _EDGE:-_EDGE]
    return _blend(_shadow(picture, rng, mask), soft, np.clip(paint * shade, 0, 1)), float(inner.mean())


def _light(picture, rng, strength=1.0):
    """Shading, tint and glare."""
    px = picture.shape[0]
    yy, xx = np.mgrid[:px, :px].astype(np.float32) / px - 0.5
    out = picture
    if _has("shading"):
        out = _shading(out, rng, strength, xx, yy)
    if _has("tint"):
        out = _tint(out, rng, strength)
    if _has("glare"):
        out = _glare(out, rng, strength, xx, yy)
    return np.clip(out, 0, 1).astype(np.float32)


def _shading(picture, rng, strength, xx, yy):
    """A gradient and the edge of a cast shadow."""
    a = rng.uniform(0, 2 * np.pi)
    field = 1 + strength * rng.uniform(0, 0.7) * (xx * np.cos(a) + yy * np.sin(a))
    if rng.random() < 0.25 * strength:
        edge = xx * np.cos(b := rng.uniform(0, 2 * np.pi)) + yy * np.sin(b) + rng.uniform(-0.3, 0.3)
        field = field * (1 - rng.uniform(0.2, 0.65) / (1 + np.exp(-edge / rng.uniform(0.01, 0.1))))
    return picture * field[..., None]


def _tint(picture, rng, strength):
    """White balance, exposure, gamma, and now and then darkness."""
    out = picture * np.exp(strength * rng.normal(0, 0.16, 3)).astype(np.float32)
    out = np.clip(out * np.exp(strength * rng.normal(-0.05, 0.3)), 0, 1) ** np.exp(strength * rng.normal(0, 0.25))
    if rng.random() < 0.12 * strength:
        out = out * rng.uniform(0.15, 0.4)
    return out


def _glare(out, rng, strength, xx, yy):
    """Spots of light and a veil over all."""
    for _ in range(int(rng.integers(1, 3)) if rng.random() < 0.25 * strength else 0):
        x, y = rng.uniform(-0.5, 0.5, 2)
        spot = np.exp(-(((xx - x) / rng.uniform(0.04, 0.3)) ** 2 + ((yy - y) / rng.uniform(0.04, 0.3)) ** 2))
        out = out + rng.uniform(0.3, 1.3) * spot[..., None]
    if rng.random() < 0.2 * strength:
        veil = rng.uniform(0.05, 0.4)
        out = out * (1 - veil) + veil * rng.uniform(0.4, 1.0)
    return out


def _sensor(crop, rng, strength=1.0):
    """Sharpness and grain."""
    if _has("sharpness"):
        crop = _soft(crop, rng, strength)
    if _has("grain"):
        return _grainy(crop, rng, strength)
    return _bytes(crop)


def _bytes(crop):
    return np.clip(crop * 255, 0, 255).astype(np.uint8)


def _soft(crop, rng, strength):
    """Low resolution, blur, motion."""
    side = crop.shape[0]
    if rng.random() < 0.35 * strength:
        small = int(rng.uniform(0.4, 0.8) * side)
        how = cv2.INTER_AREA if rng.random() < 0.7 else cv2.INTER_LINEAR
        crop = cv2.resize(cv2.resize(crop, (small, small), interpolation=how), (side, side), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.4 * strength:
        crop = cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.3, 2.3))
    elif rng.random() < 0.2 * strength:
        n = int(rng.integers(3, 9))
        kernel = cv2.warpAffine(
            np.eye(n, dtype=np.float32), cv2.getRotationMatrix2D((n / 2 - 0.5, n / 2 - 0.5), rng.uniform(0, 180), 1), (n, n)
        )
        crop = cv2.filter2D(crop, -1, kernel / max(kernel.sum(), 1e-3))
    return crop


def _grainy(crop, rng, strength):
    """Noise, sharpening, JPEG."""
    if rng.random() < 0.6 * strength:
        grain = rng.standard_normal(crop.shape).astype(np.float32)
        if rng.random() < 0.5:
            grain = grain.mean(axis=2, keepdims=True) * 1.7
        crop = crop + rng.uniform(0, 0.06) * grain
    if rng.random() < 0.2 * strength:
        crop = crop + rng.uniform(0.2, 1.0) * (crop - cv2.GaussianBlur(crop, (0, 0), 1.2))
    crop = _bytes(crop)
    if rng.random() < 0.5 * strength:
        _, data = cv2.imencode(".jpg", crop, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 95))])
        crop = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return crop


def _cut(field, rng, amount):
    """The crop that a slightly wrong lattice cuts out of the field: off by up to 12 %."""
    amount = amount if _has("misplacement") else 0.0
    half = SIDE / 2
    corners = np.float32([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * PX / 2
    angle, scale = amount * rng.normal(0, np.radians(2.5)), 1 + amount * rng.normal(0, 0.03)
    turn = scale * np.float32([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shift = amount * (rng.uniform(-0.12, 0.12, 2) if rng.random() < 0.5 else rng.normal(0, 0.03, 2)) * PX
    corners = corners @ turn.T + shift + amount * rng.normal(0, 0.012 * PX, (4, 2))
    target = np.float32([[-half, -half], [half, -half], [half, half], [-half, half]]) + CROP / 2
    h = cv2.getPerspectiveTransform((corners + field.shape[0] / 2).astype(np.float32), target.astype(np.float32))
    soft = cv2.GaussianBlur(field, (0, 0), 0.5 * PX / SIDE * 0.8)
    return cv2.warpPerspective(soft, h, (CROP, CROP), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)


def query(rng: np.random.Generator, tiles: np.ndarray, index: int, turns: int, hardness: float = 1.0):
    """A crop [80, 80, 3] uint8 of tile `index` of a deck, `turns` clockwise quarter
    turns; an index below 0 is an empty cell. Returns the crop and its state."""
    field = table(rng, FIELD)
    crowd = rng.random() if _has("neighbours") else 0.0
    for row in range(3):
        for col in range(3):
            middle = row == 1 and col == 1
            if middle and index < 0 or not middle and rng.random() > crowd:
                continue
            which, k = (index, turns) if middle else (int(rng.integers(len(tiles))), int(rng.integers(4)))
            tile = np.rot90(tiles[which], -k).astype(np.float32) / 255
            gap = int(rng.integers(0, 3))
            y, x = _EDGE + (row - 1) * (PX + gap), _EDGE + (col - 1) * (PX + gap)
            if not middle:
                y, x = y + int(rng.integers(-3, 4)), x + int(rng.integers(-3, 4))
            y0, x0, y1, x1 = max(y, 0), max(x, 0), min(y + PX, FIELD), min(x + PX, FIELD)
            if y1 > y0 and x1 > x0:
                field[y0:y1, x0:x1] = tile[y0 - y : y1 - y, x0 - x : x1 - x]
                if rng.random() < 0.5:
                    cv2.rectangle(field, (x, y), (x + PX - 1, y + PX - 1), [rng.uniform(0, 0.6)] * 3, 1)
    state = TILE if index >= 0 else EMPTY
    often = (0.35 if index >= 0 else 0.15) * hardness if _has("figures") else 0.0
    for _ in range(int(rng.integers(1, 3)) if rng.random() < often else 0):
        field = _figure(field, rng)
    if _has("hands") and rng.random() < 0.3 * hardness:
        field, hidden = _hand(field, rng)
        if hidden > 0.12:
            state = COVERED
    field = _light(np.clip(field, 0, 1), rng, hardness)
    return _sensor(_cut(field, rng, hardness if rng.random() < 0.9 else 0.2), rng, hardness), state


def reference(rng: np.random.Generator, tile: np.ndarray) -> np.ndarray:
    """[64, 64, 3] uint8: an upright tile as an owner's scan or careful photo shows it."""
    picture = cv2.resize(tile, (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    return _sensor(_light(picture, rng, 0.35), rng, 0.3) if _has("references") else _bytes(picture)


def with_margin(picture: np.ndarray, turns: int) -> np.ndarray:
    """A reference turned clockwise, with a crop's margin by reflection."""
    turned = np.ascontiguousarray(np.rot90(picture, -turns))
    return cv2.copyMakeBorder(turned, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_REFLECT_101)
