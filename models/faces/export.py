"""Writes a trained state as model.onnx, its weights in half precision."""

import argparse
import hashlib
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from net import CLASSES, SIDE, FaceNet

HERE = Path(__file__).parent


def halved(model: onnx.ModelProto) -> None:
    """Stores large weights in half precision, with a cast to single in the graph."""
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32 and array.size > 256:
            graph.initializer.remove(tensor)
            stored = numpy_helper.from_array(array.astype(np.float16), f"{tensor.name}_half")
            graph.initializer.append(stored)
            casts.append(helper.make_node("Cast", [stored.name], [tensor.name], to=TensorProto.FLOAT))
    nodes = casts + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)


def export(net: FaceNet, path: Path, source: str) -> str:
    """Writes `net` to `path` with its facts as metadata; returns the file's sha256."""
    net.eval()
    torch.onnx.export(
        net,
        (torch.rand(3, 3, SIDE, SIDE), torch.ones(1, CLASSES)),
        path,
        input_names=["tiles", "allowed"],
        output_names=["first", "places", "edges", "kinds", "lines", "joins", "marks"],
        opset_version=18,
        dynamo=True,
        external_data=False,
        dynamic_shapes=[{0: torch.export.Dim("N")}, None],
        verbose=False,
    )
    model = onnx.load(path)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    del model.graph.value_info[:]
    halved(model)
    facts = {
        "tiles": f"f32 [N, 3, {SIDE}, {SIDE}], RGB, 0..1, sRGB as it is; upright tiles of one deck, cut to their edges",
        "allowed": "f32 [1, 10], 1 for classes of places that the game has: open, house, tower, city, line, market, "
        "fountain, square, pennant, cloister",
        "places": "logits of the classes [N, 10, 24, 24]",
        "edges": "logits [N, 1, 24, 24]: a border between two segments of one kind",
        "kinds": "logits of open, house, tower, city by port [N, 12, 4]; only halves count",
        "lines": "logits [N, 4]: a path or road leaves by this side",
        "joins": "logits [N, 12, 12]: two ports are of one segment",
        "marks": "logits [N, 5, 12] by port: market, fountain, square, pennant; cloister (all ports equal)",
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
    parser.add_argument("--weights", type=Path, default=HERE / "work" / "trained.pt", help="a state saved by train.py")
    parser.add_argument("--out", type=Path, default=HERE / "model.onnx")
    args = parser.parse_args()
    net = FaceNet()
    saved = torch.load(args.weights, map_location="cpu", weights_only=True)
    net.load_state_dict(saved["net"])
    print(export(net, args.out, f"trained, {saved['step']} steps"), args.out.stat().st_size)


if __name__ == "__main__":
    main()
