"""Makes the beginning of a training from an exported network of narrower layers: what that
one computes is kept, and the new channels begin near nothing.

The exported network has its normalisation folded into the convolutions; here each
normalisation is measured on some patches, so that it changes nothing at first."""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

import data
from network import Figures

# New channels listen to old ones, and are listened to by a tenth of what chance gives.
FAINT = 0.1


def begun(former: Path, shard: dict) -> Figures:
    """A network whose layers begin with those of `former`; `shard` holds patches to measure
    the normalisations on (data.py)."""
    known = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in onnx.load(former).graph.initializer}
    net = Figures(seed=1).eval()
    modules = dict(net.named_modules())
    planes = torch.from_numpy(shard["planes"][:200]).float() / data.SCALE
    lean = torch.from_numpy(shard["lean"][:200]).float()
    with torch.no_grad():
        for name, module in modules.items():
            if f"{name}.weight" not in known:
                continue
            weight, bias, old = module.weight, module.bias, known[f"{name}.weight"]
            first, second = old.shape[:2]
            if isinstance(module, torch.nn.ConvTranspose2d):
                weight[first:, :second] *= FAINT
            elif weight.shape[1] > second:
                weight[:first, second:] *= FAINT
            weight[:first, :second] = old
            if bias is not None:
                bias.zero_()
                kept = known[f"{name}.bias"]
                bias[: len(kept)] = kept
        for name, module in modules.items():
            if not (isinstance(module, torch.nn.Sequential) and isinstance(module[1], torch.nn.BatchNorm2d)):
                continue
            seen = {}
            hook = module[0].register_forward_hook(lambda _module, _inputs, output: seen.update(output=output))
            net(planes, lean)
            hook.remove()
            norm, output = module[1], seen["output"]
            norm.running_mean.copy_(output.mean((0, 2, 3)))
            norm.running_var.copy_(output.var((0, 2, 3)).clamp_min(1e-6))
            kept = known.get(f"{name}.0.bias", torch.zeros(0))
            n = len(kept)
            norm.weight[:n] = (norm.running_var + norm.eps).sqrt()[:n]
            norm.bias[:n] = kept + norm.running_mean[:n]
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("former", type=Path, help="the .onnx file of the narrower network")
    parser.add_argument("--shard", type=Path, required=True, help="a shard of patches that data.py wrote")
    parser.add_argument("--out", type=Path, required=True, help="for train.py --weights")
    args = parser.parse_args()
    net = begun(args.former, dict(np.load(args.shard)))
    torch.save({"net": net.state_dict(), "step": 0}, args.out)


if __name__ == "__main__":
    main()
