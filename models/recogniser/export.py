"""Writes a trained state (or, without one, the HOG-equal start) as model.onnx."""

import argparse
import hashlib
from pathlib import Path

import onnx
import torch

from net import CROP, DEPTH, MARGIN, SIDE, STATES, Recogniser

HERE = Path(__file__).parent


def export(net: Recogniser, path: Path, source: str) -> str:
    """Writes `net` to `path` with its facts as metadata; returns the file's sha256."""
    net.eval()
    torch.onnx.export(
        net,
        (torch.rand(2, 3, CROP, CROP),),
        path,
        input_names=["crop"],
        output_names=["descriptors", "state"],
        opset_version=18,
        dynamo=True,
        external_data=False,
        dynamic_shapes=[{0: torch.export.Dim("N")}],
        verbose=False,
    )
    model = onnx.load(path)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    del model.graph.value_info[:]
    facts = {
        "input": f"crop: f32 [N, 3, {CROP}, {CROP}], RGB, 0..1, sRGB as it is; "
        f"the cell is the middle {SIDE} px, {MARGIN} px of margin all round",
        "reference": f"a reference of {SIDE} px gets its margin by reflection (edge pixel not repeated)",
        "descriptors": f"f32 [N, {DEPTH}, {CROP // 4}, {CROP // 4}], a place every 4 px, length = evidence in nats",
        "state": "logits: " + ", ".join(STATES),
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
    parser.add_argument("--weights", type=Path, help="a state saved by train.py")
    parser.add_argument("--out", type=Path, default=HERE / "model.onnx")
    args = parser.parse_args()
    net = Recogniser()
    source = "hog-equal start, untrained"
    if args.weights:
        saved = torch.load(args.weights, map_location="cpu", weights_only=True)
        net.load_state_dict(saved["net"])
        source = f"trained, {saved['step']} steps"
    print(export(net, args.out, source), args.out.stat().st_size)


if __name__ == "__main__":
    main()
