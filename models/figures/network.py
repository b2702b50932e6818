"""The network that sees figures: a patch of the board, what was expected there and where
players' colours are, to a map of feet by class and a map of what figures cover.

An hourglass of narrow convolutions; the camera's slant enters as a bias of the middle
layers, since it tells where under a shape its foot is."""

import math

import torch
from torch import nn

from channels import CHANNELS, PATCH
from pieces import CLASSES

GRID = PATCH // 4
WIDTHS = (18, 32, 56, 96)


def _conv(inputs, outputs, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class _Further(nn.Module):
    """What two more convolutions add to a layer; nothing before they are trained."""

    def __init__(self, width):
        super().__init__()
        self.one = _conv(width, width)
        self.two = nn.Conv2d(width, width, 3, padding=1)
        nn.init.zeros_(self.two.weight)
        nn.init.zeros_(self.two.bias)

    def forward(self, x):
        return torch.relu(x + self.two(self.one(x)))


class Figures(nn.Module):
    """(patch [N, 11, 96, 96], lean [N, 2]) to logits [N, 4, 24, 24]: a foot of each of
    CLASSES, then what a figure covers."""

    def __init__(self, seed: int = 0):
        super().__init__()
        torch.manual_seed(seed)
        a, b, c, d = WIDTHS
        self.first = _conv(CHANNELS, a, 2)
        self.second = _conv(a, b, 2)
        self.third = nn.Sequential(_conv(b, c, 2), _conv(c, c))
        self.deep = nn.Sequential(_conv(c, d, 2), _conv(d, d))
        self.deeper = _Further(d)
        self.slant = nn.Linear(4, c)
        self.slant_deep = nn.Linear(4, d)
        self.up_deep = nn.ConvTranspose2d(d, c, 2, stride=2)
        self.mid = _conv(c, c)
        self.mid_more = _Further(c)
        self.up_mid = nn.ConvTranspose2d(c, b, 2, stride=2)
        self.last = _conv(b, b)
        self.head = nn.Conv2d(b, len(CLASSES) + 1, 1)
        nn.init.constant_(self.head.bias, -math.log(99))

    def forward(self, patch, lean):
        slant = torch.cat([lean, lean * lean], dim=1)
        x = self.second(self.first(patch))
        y = self.third(x)
        z = self.deep[0](y) + self.slant_deep(slant)[:, :, None, None]
        z = self.up_deep(self.deeper(self.deep[1](torch.relu(z))))
        y = self.mid_more(self.mid(torch.relu(z + y + self.slant(slant)[:, :, None, None])))
        x = self.last(torch.relu(self.up_mid(y) + x))
        return self.head(x)


def folded(net: Figures) -> Figures:
    """A copy with the normalisation folded into the convolutions."""
    import copy

    net = copy.deepcopy(net).eval()
    for module in net.modules():
        if isinstance(module, nn.Sequential) and len(module) == 3 and isinstance(module[1], nn.BatchNorm2d):
            module[0] = torch.nn.utils.fusion.fuse_conv_bn_eval(module[0], module[1])
            module[1] = nn.Identity()
    return net
