"""What the network is shown of a patch, computed as `src/vision/figures/network.rs` does."""

import cv2
import numpy as np

PX = 64
MARGIN = 16
PATCH = PX + 2 * MARGIN
SHADES = np.array([0.12, 0.2, 0.32, 0.48, 0.68, 0.9, 1.15, 1.5], np.float32)
USUAL_SHADE = 0.6
UNUSUAL = 5.0
SHADOWS = np.array([0.3, 0.45, 0.6, 0.8, 1.0], np.float32)
FAR = 48.0
CHANNELS = 11


def linear(v):
    """Linear light of sRGB, both 0..1."""
    return np.where(v <= 0.04045, v / 12.92, ((np.maximum(v, 0) + 0.055) / 1.055) ** 2.4).astype(np.float32)


def srgb(v):
    v = np.clip(v, 0, 1)
    return np.where(v <= 0.0031308, 12.92 * v, 1.055 * v ** (1 / 2.4) - 0.055).astype(np.float32)


_LINEAR = linear(np.arange(256) / 255)
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], np.float32)
_XYZ /= np.array([[0.9505], [1.0], [1.089]], np.float32)


def lab(light):
    """CIE L*a*b* of linear light [..., 3]."""
    t = light @ _XYZ.T
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1).astype(np.float32)


def _distance(a, b):
    d = a - b
    return np.sqrt(0.6 * d[..., 0] ** 2 + d[..., 1] ** 2 + d[..., 2] ** 2)


def in_light_of(reference, seen):
    """A reference [64, 64, 3] uint8 with the gain and offset of each colour that make most of
    it equal to what is seen."""
    whole = reference.astype(np.float32)
    r, s = whole[::2, ::2], seen[::2, ::2].astype(np.float32)
    w = np.ones(r.shape[:2], np.float32)
    gain, shift = np.ones(3, np.float32), np.zeros(3, np.float32)
    for _ in range(4):
        n = w.sum() + np.float32(1e-3)
        x, y = (w[..., None] * r).sum((0, 1)), (w[..., None] * s).sum((0, 1))
        xx, xy = (w[..., None] * r * r).sum((0, 1)), (w[..., None] * r * s).sum((0, 1))
        mx, my = x / n, y / n
        prior = 60 * n
        usual = my / np.maximum(mx, 8)
        gain = np.clip((xy - n * mx * my + prior * usual) / (xx - n * mx * mx + prior), 0.1, 3.0)
        shift = my - gain * mx
        w = 1 / (1 + (np.abs(gain * r + shift - s).max(-1) / 14) ** 4)
    return np.clip(np.round(gain * whole + shift), 0, 255).astype(np.uint8)


def channels(seen, expected, known, table, colours, light):
    """[11, 96, 96] of a patch as seen and as expected (uint8), the masks of what is known to
    be there and of bare table, the players' colours (sRGB 0..255) and the light on them."""
    s, e = seen.astype(np.float32), expected.astype(np.float32)
    kernel = np.ones((5, 5), np.uint8)
    low, high = cv2.erode(expected, kernel).astype(np.float32), cv2.dilate(expected, kernel).astype(np.float32)
    off = np.maximum(low - s, s - high).max(-1)
    seen_lab = lab(_LINEAR[seen])
    base = _LINEAR[np.asarray(colours, np.uint8)] * light
    shades = lab(np.minimum(base[:, None] * SHADES[None, :, None], 1.0))
    unusual = UNUSUAL * np.abs(np.log(SHADES / USUAL_SHADE))
    near = np.full(seen.shape[:2], 1e9, np.float32)
    for player in shades:
        for shade, more in zip(player, unusual):
            near = np.minimum(near, _distance(seen_lab, shade) + more)
    ground = np.full(seen.shape[:2], 1e9, np.float32)
    print_light = _LINEAR[expected]
    for k in SHADOWS:
        ground = np.minimum(ground, _distance(seen_lab, lab(print_light * k)))
    k = known.astype(np.float32)
    planes = [
        *np.moveaxis(s / 255 - 0.5, -1, 0),
        *np.moveaxis((s - e) / 128 * k[..., None], -1, 0),
        np.clip(off, 0, 96) / 64 * k,
        1 - np.minimum(near, FAR) / FAR,
        np.minimum(ground, FAR) / FAR * k,
        k - table,
        table.astype(np.float32),
    ]
    return np.stack(planes).astype(np.float32)
