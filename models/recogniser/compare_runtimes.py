"""Compares how long the program and onnxruntime take for the crops of a whole board.

76 crops, one thread each, the same model and crops, round by round in turn, so that
other load on the machine falls on both alike. onnxruntime gets the batch size at
which it is fastest.

    cargo build --release --example board_time
    python compare_runtimes.py ../../target/release/examples/board_time
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

CELLS = 76
SIDE = 80
BATCHES = (1, 2, 4, 19, 76)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the example board_time, built in the release profile")
    parser.add_argument("--model", type=Path, default=Path(__file__).parent / "model.onnx")
    parser.add_argument("--rounds", type=int, default=30)
    args = parser.parse_args()

    crops = np.random.default_rng(1).integers(0, 256, (CELLS, SIDE, SIDE, 3), np.uint8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(args.model, options, providers=["CPUExecutionProvider"])
    planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), dtype=np.float32) / 255

    def by_onnxruntime(batch: int) -> float:
        began = time.perf_counter()
        for first in range(0, CELLS, batch):
            session.run(None, {"crop": planes[first : first + batch]})
        return 1000 * (time.perf_counter() - began)

    fastest = min(BATCHES, key=lambda batch: min(by_onnxruntime(batch) for _ in range(5)))
    theirs, ours = [], []
    with tempfile.NamedTemporaryFile(suffix=".rgb") as file:
        file.write(crops.tobytes())
        file.flush()
        command = [args.program, str(args.model), file.name]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            for _ in range(args.rounds):
                theirs.append(by_onnxruntime(fastest))
                program.stdin.write("\n")
                program.stdin.flush()
                ours.append([float(v) for v in program.stdout.readline().split()[:3]])
            program.stdin.close()

    ours = np.array(ours)
    network, matched, settled = ours.T
    print(f"{CELLS} crops, one thread, {args.rounds} rounds in turn, milliseconds: least, median")
    for name, values in (
        (f"onnxruntime {onnxruntime.__version__}, batches of {fastest}", np.array(theirs)),
        ("tract, the network", network),
        ("tract, network and matching against 60 tiles", matched),
        ("network, matching and settling", matched + settled),
    ):
        print(f"  {name:46} {values.min():7.1f} {np.median(values):7.1f}")
    ratios = network / np.array(theirs)
    print(f"the network, tract to onnxruntime: {network.min() / min(theirs):.2f} (least), {np.median(ratios):.2f} (median)")


if __name__ == "__main__":
    main()
