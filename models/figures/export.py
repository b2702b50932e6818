"""Writes a trained state as model.onnx."""

import argparse
import hashlib
from pathlib import Path

import onnx
import torch

from channels import CHANNELS, MARGIN, PATCH, PX
from network import GRID, Figures, folded
from pieces import CLASSES

HERE = Path(__file__).parent


def export(net: Figures, path: Path, source: str) -> str:
    """Writes `net` to `path` with its facts as metadata; returns the file's sha256."""
    torch.onnx.export(
        folded(net),
        (torch.rand(1, CHANNELS, PATCH, PATCH), torch.rand(1, 2)),
        path,
        input_names=["patch", "lean"],
        output_names=["figures"],
        opset_version=18,
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    model = onnx.load(path)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    del model.graph.value_info[:]
    facts = {
        "patch": f"f32 [1, {CHANNELS}, {PATCH}, {PATCH}], see channels.py; the cell is the middle {PX} px, {MARGIN} px of margin all round",
        "lean": "f32 [1, 2]: how far, in tile sides, a point one tile side above the tiles appears from its foot",
        "figures": f"logits f32 [1, {len(CLASSES) + 1}, {GRID}, {GRID}], a place every 4 px: a foot of "
        + ", ".join(CLASSES)
        + "; covered by a figure",
        "weights": source,
    }
    for key, value in facts.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="a state saved by train.py")
    parser.add_argument("--out", type=Path, default=HERE / "model.onnx")
    args = parser.parse_args()
    saved = torch.load(args.weights, map_location="cpu", weights_only=True)
    net = Figures()
    net.load_state_dict(saved["net"])
    print(export(net, args.out, f"trained, {saved['step']} steps"), args.out.stat().st_size)


if __name__ == "__main__":
    main()
