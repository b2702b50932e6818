"""Solids of triangles: boxes, cut and turned pieces. x to the right, y down, z up, tile sides."""

import numpy as np


class Solid:
    """Triangles with places of a texture, or with colours."""

    def __init__(self):
        self.points, self.triangles, self.uv, self.colours = [], [], [], []

    def add(self, points, triangles, uv=None, colour=(0.5, 0.5, 0.5)):
        base = sum(map(len, self.points))
        points = np.asarray(points, float)
        self.points.append(points)
        self.triangles.append(np.asarray(triangles, int) + base)
        self.uv.append(np.zeros((len(points), 2)) if uv is None else np.asarray(uv, float))
        self.colours.append(np.broadcast_to(colour, (len(points), 3)))
        return self

    def join(self, other: "Solid"):
        for points, triangles, uv, colours in zip(other.points, other.triangles, other.uv, other.colours):
            start = triangles.min() if len(triangles) else 0
            self.add(points, triangles - start, uv, colours)
        return self

    def arrays(self):
        """Points, triangles, texture places and colours of all, as arrays."""
        if not self.points:
            # What holds nothing is a speck below the table.
            self.add([(0, 0, -5), (0.001, 0, -5), (0, 0.001, -5)], [(0, 1, 2)])
        return tuple(np.concatenate(a) for a in (self.points, self.triangles, self.uv, self.colours))

    def bounds(self):
        points = np.concatenate(self.points)
        return points.min(axis=0), points.max(axis=0)


def slab(corners, low: float, high: float, top_uv, side_uv) -> Solid:
    """A flat thing with four corners, clockwise from its picture's upper left one."""
    solid = Solid()
    top = [(x, y, high) for x, y in corners]
    solid.add(top, [(0, 1, 2), (0, 2, 3)], top_uv)
    for k in range(4):
        (ax, ay), (bx, by) = corners[k], corners[(k + 1) % 4]
        solid.add(
            [(ax, ay, low), (bx, by, low), (bx, by, high), (ax, ay, high)],
            [(0, 1, 2), (0, 2, 3)],
            [side_uv] * 4,
        )
    return solid


def square(middle, side: float, turn: float):
    """The corners of a square that is turned by so many degrees clockwise."""
    s, c = np.sin(np.radians(turn)), np.cos(np.radians(turn))
    half = side / 2
    return [
        (middle[0] + c * u - s * v, middle[1] + s * u + c * v)
        for u, v in ((-half, -half), (half, -half), (half, half), (-half, half))
    ]


def ears(outline):
    """Triangles that fill an outline, as numbers of its points."""
    points = [np.asarray(p, float) for p in outline]
    cross = lambda a, b, c: (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    area = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(points, points[1:] + points[:1]))
    left = list(range(len(points))) if area > 0 else list(range(len(points)))[::-1]
    triangles = []
    while len(left) > 3:
        for k in range(len(left)):
            i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = points[i], points[j], points[m]
            if cross(a, b, c) <= 1e-12:
                continue
            others = (points[n] for n in left if n not in (i, j, m))
            if any(cross(a, b, p) >= 0 and cross(b, c, p) >= 0 and cross(c, a, p) >= 0 for p in others):
                continue
            triangles.append((i, j, m))
            del left[k]
            break
        else:
            break
    return [*triangles, tuple(left[:3])]


def cut(outline, depth: float) -> Solid:
    """Cut from board: an outline (x, z) so thick, standing upright with its foot at 0."""
    n, half, bevel = len(outline), depth / 2, 0.015
    middle = np.mean(outline, axis=0)
    small = [(x + (middle[0] - x) * 0.07, z + (middle[1] - z) * 0.07) for x, z in outline]
    small = [(x, max(z, 0.0)) for x, z in small]
    solid = Solid()
    rings = [(small, -half), (outline, -half + bevel), (outline, half - bevel), (small, half)]
    for (one, y0), (two, y1) in zip(rings, rings[1:]):
        for k in range(n):
            (ax, az), (bx, bz) = one[k], one[(k + 1) % n]
            (cx, cz), (dx, dz) = two[(k + 1) % n], two[k]
            solid.add([(ax, y0, az), (bx, y0, bz), (cx, y1, cz), (dx, y1, dz)], [(0, 1, 2), (0, 2, 3)])
    faces = ears(small)
    for y in (-half, half):
        solid.add([(x, y, z) for x, z in small], faces)
    return solid


def turned(profile, parts: int = 28) -> Solid:
    """Turned on a lathe: (radius, z) from the foot to the top."""
    solid = Solid()
    angles = np.linspace(0, 2 * np.pi, parts, endpoint=False)
    ring = lambda r, z: [(r * np.cos(a), r * np.sin(a), z) for a in angles]
    for (r0, z0), (r1, z1) in zip(profile, profile[1:]):
        points = ring(r0, z0) + ring(r1, z1)
        triangles = []
        for k in range(parts):
            m = (k + 1) % parts
            triangles += [(k, m, parts + m), (k, parts + m, parts + k)]
        solid.add(points, triangles)
    return solid


def moved(solid: Solid, change) -> Solid:
    """The solid with its points changed."""
    out = Solid()
    for points, triangles, uv, colours in zip(solid.points, solid.triangles, solid.uv, solid.colours):
        out.add(change(points), triangles - triangles.min(), uv, colours)
    return out
