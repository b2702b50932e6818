"""Pieces of many makes as solids: an implicit function of a place (tile sides, z up, the
foot's middle at the origin), below zero inside.

They are independent of the program's own studio on purpose: what the studio renders
stays unseen."""

from dataclasses import dataclass
from typing import Callable

import numpy as np

STANDING, LYING, KEEP = 0, 1, 2
CLASSES = ("standing", "lying", "keep")
MAKES = ("cut", "cut", "cut", "pawn", "pin", "cube", "cone", "disc", "peg", "person", "prism", "wedge", "bust")
KEEPS = ("corner", "round", "square", "gate", "house", "steps", "spire")


@dataclass
class Piece:
    """A solid: its function, how high it is, and how far it reaches from its foot."""

    solid: Callable
    height: float
    reach: float


def _box(x, y, z, hx, hy, low, high, r=0.0):
    a, b = np.abs(x) - hx + r, np.abs(y) - hy + r
    c = np.abs(z - (low + high) / 2) - (high - low) / 2 + r
    if r == 0:
        return np.maximum(np.maximum(a, b), c)
    out = np.sqrt(np.maximum(a, 0) ** 2 + np.maximum(b, 0) ** 2 + np.maximum(c, 0) ** 2)
    return out + np.minimum(np.maximum(a, np.maximum(b, c)), 0) - r


def _blend(a, b, k):
    h = np.clip(0.5 + 0.5 * (b - a) / k, 0, 1)
    return b * (1 - h) + a * h - k * h * (1 - h)


def _cut_shape(rng):
    """A person cut from board: head, arms, robe or legs, as a plane figure of width and
    height one; gives function of (u, w)."""
    head, head_r = rng.uniform(0.74, 0.82), rng.uniform(0.14, 0.21)
    arm_z, arm_r, arm_u = rng.uniform(0.48, 0.6), rng.uniform(0.07, 0.13), rng.uniform(0.24, 0.42)
    droop = rng.uniform(-0.08, 0.1)
    foot, waist = rng.uniform(0.3, 0.47), rng.uniform(0.1, 0.26)
    waist_z = rng.uniform(0.3, 0.62)
    notch, notch_z = rng.uniform(0.0, 0.2), rng.uniform(0.05, 0.28)
    soft = rng.uniform(0.02, 0.08)

    def plane(u, w):
        u = np.abs(u)
        d = np.hypot(u, w - head) - head_r
        half = np.where(w < waist_z, foot + (waist - foot) * np.clip(w / waist_z, 0, 1) ** 0.8, waist)
        robe = np.maximum(np.maximum(u - half, -w), w - head + 0.3 * head_r)
        t = np.clip(u / arm_u, 0, 1)
        arms = np.hypot(u - arm_u * t, w - arm_z + droop * t) - arm_r
        d = _blend(_blend(d, robe, soft), arms, soft)
        if notch > 0.05:
            d = np.maximum(d, -(u * notch_z / max(notch, 1e-3) * 1.6 + w - notch_z) * 0.6)
        return d

    return plane


def _turned(profile):
    """A solid of revolution of a radius as a function of height."""
    return lambda x, y, z, top: np.maximum(np.maximum(np.hypot(x, y) - profile(z), -z), z - top)


def follower(rng, size: float, make: str | None = None) -> tuple[Piece, Piece | None]:
    """A follower of about `size` height, standing, and the same lying (where it can lie)."""
    make = make or str(rng.choice(MAKES))
    h = size
    if make == "cut":
        width, thick = h * rng.uniform(0.72, 1.15), h * rng.uniform(0.35, 0.72) / 2
        plane, r = _cut_shape(rng), rng.uniform(0.002, 0.02)

        def up(x, y, z):
            flat = plane(x / width, z / h) * min(width, h)
            a, b = flat + r, np.abs(y) - thick + r
            return np.hypot(np.maximum(a, 0), np.maximum(b, 0)) + np.minimum(np.maximum(a, b), 0) - r

        if rng.random() < 0.12:
            thick = h * rng.uniform(0.1, 0.2)
        lying = Piece(lambda x, y, z: up(x, z - thick, y + h / 2), 2 * thick, 0.75 * max(h, width))
        return Piece(up, h, 0.75 * width + 0.05), lying
    if make in ("pawn", "pin", "peg", "bust"):
        base = h * rng.uniform(0.26, 0.45)
        if make == "pawn":
            neck, ball = rng.uniform(0.35, 0.6) * base, h * rng.uniform(0.16, 0.24)
            foot = rng.uniform(0.0, 0.16) * h

            def solid(x, y, z):
                rho = np.hypot(x, y)
                cone = base + (neck - base) * np.clip((z - foot) / (h - 2 * ball), 0, 1)
                body = np.maximum(np.maximum(rho - cone, -z), z - h + ball)
                return np.minimum(body, np.sqrt(rho**2 + (z - h + ball) ** 2) - ball)
        elif make == "pin":
            wob, k = rng.uniform(0.15, 0.4), rng.uniform(4, 7)

            def solid(x, y, z):
                t = np.clip(z / h, 0, 1)
                radius = base * (0.75 + wob * np.cos(k * t)) * np.sqrt(np.clip(1.02 - t**6, 0, 1))
                return np.maximum(np.maximum(np.hypot(x, y) - radius, -z), z - h)
        elif make == "peg":
            base *= 0.75
            dome = rng.random() < 0.5

            def solid(x, y, z):
                rho = np.hypot(x, y)
                top = h - base * 0.9 if dome else h
                body = np.maximum(np.maximum(rho - base, -z), z - top)
                return np.minimum(body, np.sqrt(rho**2 + (z - top) ** 2) - base) if dome else body
        else:
            h *= 0.75
            base *= 1.1

            def solid(x, y, z):
                rho = np.hypot(x, y)
                body = np.maximum(np.maximum(rho - base * (1 - 0.25 * z / h), -z), z - 0.55 * h)
                return np.minimum(body, np.sqrt(rho**2 + (z - 0.72 * h) ** 2) - 0.28 * h)
        lying = Piece(lambda x, y, z: solid(x, z - base * 0.8, y + h / 2), 2 * base, h * 0.8)
        return Piece(solid, h + 0.01, 1.5 * base), lying
    if make == "cube":
        s, r = h * rng.uniform(0.4, 0.66) / 2, rng.uniform(0, 0.03)
        return Piece(lambda x, y, z: _box(x, y, z, s, s, 0, 2 * s, r), 2 * s, 1.5 * s), None
    if make == "cone":
        base, tip = h * rng.uniform(0.3, 0.5), rng.uniform(0, 0.3)
        solid = _turned(lambda z: base * (1 - (1 - tip) * z / h))
        return Piece(lambda x, y, z: solid(x, y, z, h), h, base + 0.02), None
    if make == "disc":
        base, top = h * rng.uniform(0.35, 0.6), h * rng.uniform(0.15, 0.4)
        solid = _turned(lambda z: base)
        return Piece(lambda x, y, z: solid(x, y, z, top), top, base + 0.02), None
    if make == "person":
        w, d, ball = h * rng.uniform(0.2, 0.32), h * rng.uniform(0.16, 0.3), h * rng.uniform(0.15, 0.22)

        def solid(x, y, z):
            body = _box(x, y, z, w * (1.15 - 0.35 * z / h), d, 0, h - 1.7 * ball, 0.02)
            return np.minimum(body, np.sqrt(x**2 + y**2 + (z - h + ball) ** 2) - ball)

        return Piece(solid, h, 1.6 * w + 0.05), Piece(lambda x, y, z: solid(x, z - d, y + h / 2), 2 * max(d, ball), 0.8 * h)
    if make == "prism":
        base = h * rng.uniform(0.24, 0.4)
        sides = int(rng.integers(3, 8))
        angles = 2 * np.pi * np.arange(sides) / sides

        def solid(x, y, z):
            flat = np.max([x * np.cos(a) + y * np.sin(a) for a in angles], 0) - base
            return np.maximum(np.maximum(flat, -z), z - h)

        return Piece(solid, h, 1.6 * base), Piece(lambda x, y, z: solid(x, z - base, y + h / 2), 2 * base, 0.8 * h)
    base, thick = h * rng.uniform(0.3, 0.5), h * rng.uniform(0.15, 0.3)

    def wedge(x, y, z):
        return np.maximum(np.maximum(np.abs(x) - base * (1 - 0.85 * z / h), np.abs(y) - thick), np.maximum(-z, z - h))

    return Piece(wedge, h, base + 0.1), Piece(lambda x, y, z: wedge(x, z - thick, y + h / 2), 2 * thick, 0.8 * h)


def keep(rng, size: float) -> Piece:
    """A keep whose foot is about `size` wide."""
    make = str(rng.choice(KEEPS))
    s, h = size / 2, size * rng.uniform(0.55, 1.25)
    tooth = rng.uniform(0.05, 0.09)
    r = rng.uniform(0.0, 0.012)

    def teeth(x, y, z, half, top):
        cross = np.minimum(np.abs(x) - 0.3 * half, np.abs(y) - 0.3 * half)
        return np.maximum(_box(x, y, z, half, half, 0, top, r), -np.maximum(cross, top - tooth - z))

    if make == "corner":
        low, part = h * rng.uniform(0.45, 0.75), rng.uniform(0.4, 0.55)
        solid = lambda x, y, z: np.minimum(teeth(x, y, z, s, low), teeth(x + s * (1 - part), y + s * (1 - part), z, s * part, h))
    elif make == "round":
        many, ring = int(rng.integers(4, 9)), rng.uniform(0.65, 0.85)

        def solid(x, y, z):
            rho = np.hypot(x, y)
            body = np.maximum(np.maximum(rho - s, -z), z - h)
            hollow = np.maximum(rho - ring * s, h - tooth - z)
            gaps = np.maximum(-np.cos(many * np.arctan2(y, x)) * s * 0.5, h - tooth - z)
            return np.maximum(np.maximum(body, -hollow), -gaps)
    elif make == "square":
        solid = lambda x, y, z: teeth(x, y, z, s, h)
    elif make == "gate":
        low, slim = h * rng.uniform(0.4, 0.7), rng.uniform(0.3, 0.4)
        solid = lambda x, y, z: np.minimum(
            np.minimum(teeth(x - s * (1 - slim), y, z, s * slim, h), teeth(x + s * (1 - slim), y, z, s * slim, h)),
            _box(x, y, z, s, s * slim * 0.8, 0, low, r),
        )
    elif make == "house":
        low = h * rng.uniform(0.4, 0.7)
        solid = lambda x, y, z: np.maximum(_box(x, y, z, s, s * 0.8, 0, h, r), (np.abs(y) / (0.8 * s) - (h - z) / (h - low)) * 0.3)
    elif make == "steps":
        solid = lambda x, y, z: np.minimum(
            np.minimum(_box(x, y, z, s, s, 0, h * 0.4, r), _box(x, y, z, s * 0.72, s * 0.72, 0, h * 0.7, r)),
            _box(x, y, z, s * 0.42, s * 0.42, 0, h, r),
        )
    else:
        low = h * rng.uniform(0.4, 0.6)

        def solid(x, y, z):
            rho = np.hypot(x, y)
            body = np.maximum(np.maximum(rho - 0.85 * s, -z), z - low)
            roof = np.maximum(rho - s * np.clip((h - z) / (h - low), 0, 1), low - z)
            return np.minimum(body, roof)

    return Piece(solid, h, 1.45 * s)
