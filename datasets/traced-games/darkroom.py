"""What a phone makes of the light: exposure, white balance, softness, noise, tones, JPEG."""

import numpy as np
from PIL import Image


class Darkroom:
    """A camera's habits; its exposure stays as the first picture set it."""

    def __init__(self, seed: int):
        rng = np.random.default_rng([seed, 41])
        self.seed = seed
        self.stops = rng.normal(0, 0.25)
        self.balance = np.array([1 + rng.normal(0, 0.06), 1.0, 1 + rng.normal(0, 0.08)])
        self.corrects = rng.uniform(0.15, 0.45)
        self.noise = rng.uniform(0.004, 0.014)
        self.soft = rng.uniform(0.35, 0.75)
        self.sharp = rng.uniform(0.0, 0.7)
        self.vignette = rng.uniform(0.05, 0.25)
        self.contrast = rng.uniform(0.0, 0.35)
        self.quality = int(rng.integers(80, 93))
        self.gain = None

    def expose(self, light: np.ndarray) -> np.ndarray:
        """The light as it falls on the sensor."""
        h, w = light.shape[:2]
        if self.gain is None:
            mean = light.reshape(-1, 3).mean(axis=0)
            grey = (mean.mean() / mean) ** self.corrects
            exposure = 0.2 * 2**self.stops / np.median(light.mean(axis=-1))
            self.gain = (exposure * grey * self.balance).astype(np.float32)
        y, x = np.mgrid[:h, :w].astype(np.float32)
        far = ((x / w - 0.5) ** 2 + ((y / h - 0.5) * h / w) ** 2) / 0.33
        return blurred(light * self.gain, self.soft) * (1 - self.vignette * far)[..., None]

    def develop(self, exposed: np.ndarray, number: int) -> Image.Image:
        """A picture; its noise follows from its number."""
        rng = np.random.default_rng([self.seed, 42, number])
        grain = rng.standard_normal(exposed.shape, np.float32)
        v = exposed + grain * (self.noise * np.sqrt(np.maximum(exposed, 0) + 0.02))
        v = np.clip(v, 0, None)
        v = np.where(v < 0.7, v, 0.7 + 0.3 * (1 - np.exp(-(v - 0.7) / 0.3)))
        v = np.where(v <= 0.0031308, 12.92 * v, 1.055 * np.maximum(v, 1e-6) ** np.float32(1 / 2.4) - 0.055)
        v = v + self.contrast * (v * v * (3 - 2 * v) - v)
        v = v + self.sharp * (v - blurred(v, 1.0))
        return Image.fromarray((255 * np.clip(v, 0, 1)).round().astype(np.uint8))

    def save(self, picture: Image.Image, path):
        picture.save(path, quality=self.quality, subsampling=2)


def blurred(v: np.ndarray, sigma: float) -> np.ndarray:
    """A picture made softer."""
    reach = max(1, int(np.ceil(3 * sigma)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel = (kernel / kernel.sum()).astype(v.dtype)
    for axis in (0, 1):
        padded = np.pad(v, [(reach, reach) if a == axis else (0, 0) for a in range(3)], mode="edge")
        n = v.shape[axis]
        parts = (padded[i : i + n] if axis == 0 else padded[:, i : i + n] for i in range(len(kernel)))
        v = sum(k * part for k, part in zip(kernel, parts, strict=True))
    return v
