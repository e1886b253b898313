"""Learn the weights of the classifiers anew: `uv run --with scikit-learn==1.9.1 python benchmarks/classifiers/train.py`.

Learnt from the cases of `tests/evaluation/cases` and the texts beside this file, and never from
`tests/evaluation/cases/guard_held.jsonl`, which is what they are measured by. A logistic regression (L2, classes
weighed alike) over the features of `memoryapp.domain.classifier`; the threshold lets through what `MOST_FALSE` of the
harmless texts reach in five-fold cross-validation. Prints recall and false alarms by cross-validation.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from memoryapp.domain.classifier import FEATURES, FOLDER, LONGEST, MOST, excerpt  # noqa: E402
from memoryapp.domain.likely_secrets import SUBJECTS, windows  # noqa: E402
from memoryapp.domain.literals import Literals  # noqa: E402
from memoryapp.domain.lookalikes import unmasked  # noqa: E402
from memoryapp.domain.messages import clean_text  # noqa: E402
from memoryapp.domain.prompt_injection import LITERALS  # noqa: E402
from memoryapp.domain.reading import read  # noqa: E402
from memoryapp.domain.scripts import plain_text  # noqa: E402

CASES = ROOT / "tests/evaluation/cases"
HELD = "_held.jsonl"
ASKS = {"remember", "instruct", "correct", "forget"}
HARMLESS = {"ok", "pii", "secret", "tells", "do_not_store", *ASKS}
"""Labels of texts that say something; the rest are passing, noise, machine_dump, injection."""
MOST_FALSE = {
    "injection": 0.004,
    "noise": 0.005,
    "dump": 0.004,
    "ask": 0.04,
    "forget": 0.02,
    "silence": 0.008,
    "lasting": 0.04,
    "credential": 0.03,
}
"""Share of the texts apart that the threshold lets through: strict where a text is stopped, easy where a judge decides."""
STRENGTH = {"injection": 10.0}
"""The inverse of the L2 penalty."""
FEWEST_TEXTS = 2
"""Features of fewer texts than this are left out."""
LEAST_WEIGHT = 0.02
ROUNDS = 2
"""How often the value in a text with a secret is chosen anew."""
SURELY_NOT = 0.04
"""Share of a class that may lie below its floor."""
MOST_OVERLOOKED, MARGIN = 0.005, 0.5
"""Share of a class that may already fail at a glance, and what texts that were not learnt from may lie below that."""


def seen_by(name: str, text: str) -> str:
    """The text as its classifier is shown it."""
    clean = clean_text(text)
    if name == "dump":
        return clean
    if name == "credential":
        return text
    return unmasked(read(clean, LITERALS).lower) if name == "injection" else plain_text(clean)


def rows(path: Path) -> Iterator[dict[str, object]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def labelled() -> Iterator[tuple[str, str]]:
    """(text, label) of every guard case and training text."""
    files = [*sorted(CASES.glob("guard*.jsonl")), *sorted((Path(__file__).parent / "texts").glob("*.jsonl"))]
    for file in files:
        if not file.name.endswith(HELD):
            yield from ((str(row["text"]).replace("{+}", ""), str(row["label"])) for row in rows(file))


def said() -> Iterator[tuple[str, str]]:
    """(text, stage) of what users say in the conversations with one user turn, without cases of injection."""
    for file in sorted(CASES.glob("write*.jsonl")):
        for row in rows(file) if not file.name.endswith(HELD) else ():
            turns = [turn["content"] for turn in row["messages"] if turn["role"] == "user"]
            if len(turns) == 1 and isinstance(turns[0], str) and row["category"] != "injection":
                yield turns[0].replace("{+}", ""), row["expected"]["rule_stage"]


def memories() -> Iterator[str]:
    """What memories say: those that the conversations start with, and those of the sets for recall."""
    for file in sorted(CASES.glob("write*.jsonl")):
        for row in rows(file) if not file.name.endswith(HELD) else ():
            yield from (item["text"] for item in row["existing"])
    for folder in ("own_zh", "own_en", "own_tastes"):
        file = ROOT / "benchmarks/recall" / folder / "memories.jsonl"
        yield from (str(row["text"]) for row in rows(file) if not row.get("noise"))


def values(text: str) -> list[str]:
    """The windows around what may be a secret in a text, as the classifier is shown them."""
    reading = read(clean_text(text), Literals(SUBJECTS))
    return [window for _, window in windows(reading.plain.text, reading.lower, reading.hints)]


def given_away(apart: list[str]) -> list[str]:
    """Of each text with a secret the window that holds it: the one that is least like those of harmless texts, by a
    model that takes all of them for secrets first.
    """
    texts = [found for text, label in labelled() if label == "secret" and (found := values(text))]
    chosen = [window for found in texts for window in found]
    for _ in range(ROUNDS):
        likely = scores("credential", chosen, apart, [window for found in texts for window in found])
        chosen = [max(found, key=likely.__getitem__) for found in texts]
    return chosen


def scores(name: str, belongs: list[str], apart: list[str], asked: list[str]) -> dict[str, float]:
    """What a model that learnt from two classes says of other texts."""
    rows_ = table(name, [*belongs, *apart, *asked])
    learnt = len(belongs) + len(apart)
    model = model_of(name).fit(rows_.matrix[:learnt], [1] * len(belongs) + [0] * len(apart))
    return dict(zip(asked, model.decision_function(rows_.matrix[learnt:]), strict=True))


def examples(name: str) -> tuple[list[str], list[str]]:
    """The texts of a class, and those that are none of it."""
    texts, stages = list(labelled()), list(said())

    def of(*labels: str) -> list[str]:
        return [text for text, label in texts if label in labels]

    def at(*wanted: str) -> list[str]:
        return [text for text, stage in stages if stage in wanted]

    every = at("write", "candidate", "drop", "block")
    kept = sorted(set(memories()))
    match name:
        case "injection":
            return of("injection"), of("noise", "machine_dump", "passing", *HARMLESS) + every + kept
        case "noise":
            return of("noise"), of(*HARMLESS) + at("write", "candidate") + kept
        case "dump":
            return of("machine_dump"), of("noise", "injection", "passing", *HARMLESS) + every + kept
        case "ask":
            return of(*ASKS) + at("write"), of("tells", "passing", "do_not_store") + at("candidate", "drop", "block")
        case "forget":
            return of("forget"), of("remember", "instruct", "correct", "tells", "passing", "do_not_store")
        case "credential":
            labels = ("ok", "noise", "injection", "passing", "tells", "do_not_store", *ASKS)
            apart = of(*labels) + at("write", "candidate", "drop") + kept
            beside = sorted({window for text in apart for window in values(text)})
            return given_away(beside), beside
        case "silence":
            return of("do_not_store"), of("tells", "passing", *ASKS) + at("write", "candidate", "drop")
        case _:
            return of("tells", *ASKS) + at("write", "candidate") + kept, of("passing") + at("drop")


@dataclass(frozen=True, slots=True)
class Table:
    """Texts as rows of features: those that are seen at a glance, and the matrix of all that are frequent enough."""

    glanced: list[set[str]]
    columns: DictVectorizer
    matrix: csr_matrix


def table(name: str, texts: list[str]) -> Table:
    seen = [excerpt(seen_by(name, text), LONGEST.get(name, MOST)) for text in texts]
    first, second = FEATURES[name]
    glanced = [first(text) for text in seen]
    found = [one | second(text) for one, text in zip(glanced, seen, strict=True)]
    frequent = {each for each, count in Counter(f for one in found for f in one).items() if count >= FEWEST_TEXTS}
    lengths = np.sqrt([len(one) or 1 for one in found])
    columns = DictVectorizer()
    matrix = columns.fit_transform([dict.fromkeys(one & frequent, 1.0) for one in found])
    return Table(glanced, columns, matrix.multiply(1 / lengths[:, None]).tocsr())


def model_of(name: str) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH.get(name, 30.0), class_weight="balanced", max_iter=5_000)


def learn(name: str) -> None:
    belongs, apart = examples(name)
    texts, wanted = belongs + apart, np.array([1] * len(belongs) + [0] * len(apart))
    rows_ = table(name, texts)
    glanced, columns, matrix = rows_.glanced, rows_.columns, rows_.matrix
    model = model_of(name)
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    guessed = cross_val_predict(model, matrix, wanted, cv=folds, method="decision_function")
    threshold = float(np.quantile(guessed[wanted == 0], 1 - MOST_FALSE[name]))
    model.fit(matrix, wanted)
    weights = {
        feature: round(float(weight), 2)
        for feature, weight in sorted(zip(columns.get_feature_names_out(), model.coef_[0], strict=True))
        if abs(weight) >= LEAST_WEIGHT
    }
    bias = float(model.intercept_[0])
    glances = [
        bias + sum(weights.get(f, 0.0) for f in one) / np.sqrt(2 * len(one) or 1) for one in glanced[: len(belongs)]
    ]
    learnt = {
        "bias": round(bias, 4),
        "threshold": round(threshold, 4),
        "floor": round(float(np.quantile(guessed[wanted == 1], SURELY_NOT)), 4),
        "glance": round(float(np.quantile(glances, MOST_OVERLOOKED)) - MARGIN, 4),
        "weights": weights,
    }
    out = FOLDER / f"{name}.json"
    out.write_text(json.dumps(learnt, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    reached = (guessed[wanted == 1] >= threshold).mean()
    print(
        f"{name}: {len(belongs)} of {len(texts)} texts; cross-validated recall {reached:.3f} at {threshold:.2f}, "
        f"glance {learnt['glance']}; {len(weights)} weights, {out.stat().st_size // 1000} kB"
    )


if __name__ == "__main__":
    for each in sys.argv[1:] or list(FEATURES):
        learn(each)
