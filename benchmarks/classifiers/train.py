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
from sklearn.model_selection import StratifiedKFold

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
from memoryapp.domain.silence_words import beside_a_wish, pieces  # noqa: E402

CASES = ROOT / "tests/evaluation/cases"
HELD = "_held.jsonl"
ASKS = {"remember", "instruct", "correct", "forget"}
HARMLESS = {"ok", "pii", "secret", "tells", "do_not_store", *ASKS}
"""Labels of texts that say something; the rest are passing, noise, machine_dump, injection, and what only speaks of
storing (speaks_of_storing)."""
MOST_FALSE = {
    "injection": 0.004,
    "noise": 0.004,
    "dump": 0.004,
    "ask": 0.04,
    "forget": 0.02,
    "silence": 0.008,
    "lasting": 0.04,
    "credential": 0.03,
}
"""Share of the texts apart that the threshold lets through: strict where a text is stopped, easy where a judge decides."""
MOST_DOUBTED = {"silence": 0.06}
"""Share of the texts apart that a floor lets through; where none is given, a floor lets nearly all members through."""
BY_SENTENCE = {"silence"}
"""Classes that one sentence of a text may belong to: its score is that of the sentence that fits best."""
ROUNDS = 2
STRENGTH = {"injection": 10.0}
"""The inverse of the L2 penalty."""
FEWEST_TEXTS = 2
"""Features of fewer texts than this are left out."""
LEAST_WEIGHT = 0.02
VALUE_ROUNDS = 2
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
    for _ in range(VALUE_ROUNDS):
        likely = scores("credential", chosen, apart, [window for found in texts for window in found])
        chosen = [max(found, key=likely.__getitem__) for found in texts]
    return chosen


def scores(name: str, belongs: list[str], apart: list[str], asked: list[str]) -> dict[str, float]:
    """What a model that learnt from two classes says of other texts."""
    taken = sample(name, belongs, [*apart, *asked])
    learnt = len(belongs) + len(apart)
    model = fit(name, taken.matrix, [(row, int(row < len(belongs))) for row in range(learnt)])
    return dict(zip(asked, scores_of(model, taken.matrix)[learnt:], strict=True))


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
            apart = of("ok", "tells", "passing", "speaks_of_storing", *ASKS)
            apart += [clause for text in of("do_not_store") for clause in beside_a_wish(plain_text(text))]
            return of("do_not_store"), apart + at("write", "candidate", "drop") + kept
        case _:
            return of("tells", *ASKS) + at("write", "candidate") + kept, of("passing") + at("drop")


@dataclass(frozen=True)
class Bag:
    """One text: the rows of the matrix that stand for it as a whole and for each of its sentences, the whole first."""

    wanted: int
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Sample:
    """The texts of one classifier as bags of rows, and what each row is seen to hold at a glance and closely."""

    bags: list[Bag]
    matrix: csr_matrix
    columns: list[str]
    glanced: list[set[str]]


def sample(name: str, belongs: list[str], apart: list[str]) -> Sample:
    first, second = FEATURES[name]
    bags: list[Bag] = []
    glanced: list[set[str]] = []
    found: list[set[str]] = []
    for text, wanted in [*((text, 1) for text in belongs), *((text, 0) for text in apart)]:
        parts = pieces(clean_text(text)) if name in BY_SENTENCE else [text]
        seen = [excerpt(seen_by(name, part), LONGEST.get(name, MOST)) for part in parts]
        bags.append(Bag(wanted, tuple(range(len(found), len(found) + len(seen)))))
        glanced += [first(each) for each in seen]
        found += [first(each) | second(each) for each in seen]
    counted = Counter(feature for bag in bags for feature in found[bag.rows[0]])
    frequent = {feature for feature, count in counted.items() if count >= FEWEST_TEXTS}
    columns = DictVectorizer()
    matrix = columns.fit_transform([dict.fromkeys(one & frequent, 1.0) for one in found])
    lengths = np.sqrt([len(one) or 1 for one in found])
    matrix = matrix.multiply(1 / lengths[:, None]).tocsr()
    return Sample(bags, matrix, list(columns.get_feature_names_out()), glanced)


def fitted(name: str, bags: list[Bag], matrix: csr_matrix) -> LogisticRegression:
    """Learnt from the whole texts and, of those that are no member, from all sentences; then also from the sentence
    of each member that looks most like one, twice over.
    """
    known = [(row, bag.wanted) for bag in bags for row in (bag.rows[:1] if bag.wanted else bag.rows)]
    model = fit(name, matrix, known)
    several = [bag for bag in bags if bag.wanted and len(bag.rows) > 1]
    for _ in range(ROUNDS if several else 0):
        chosen = [(max(bag.rows[1:], key=scores_of(model, matrix).__getitem__), 1) for bag in several]
        model = fit(name, matrix, known + chosen)
    return model


def fit(name: str, matrix: csr_matrix, known: list[tuple[int, int]]) -> LogisticRegression:
    model = LogisticRegression(C=STRENGTH.get(name, 30.0), class_weight="balanced", max_iter=5_000)
    return model.fit(matrix[[row for row, _ in known]], [wanted for _, wanted in known])


def scores_of(model: LogisticRegression, matrix: csr_matrix) -> np.ndarray:
    return model.decision_function(matrix)


def reached(model: LogisticRegression, bags: list[Bag], matrix: csr_matrix) -> np.ndarray:
    """The highest score of each text's rows."""
    scores = scores_of(model, matrix)
    return np.array([max(scores[list(bag.rows)]) for bag in bags])


def guesses(name: str, taken: Sample) -> np.ndarray:
    """What each text reaches when it is not learnt from."""
    wanted = np.array([bag.wanted for bag in taken.bags])
    guessed = np.zeros(len(wanted))
    for learnt, held in StratifiedKFold(5, shuffle=True, random_state=1).split(wanted, wanted):
        model = fitted(name, [taken.bags[place] for place in learnt], taken.matrix)
        guessed[held] = reached(model, [taken.bags[place] for place in held], taken.matrix)
    return guessed


def learn(name: str) -> None:
    belongs, apart = examples(name)
    taken = sample(name, belongs, apart)
    wanted = np.array([bag.wanted for bag in taken.bags])
    guessed = guesses(name, taken)
    threshold = float(np.quantile(guessed[wanted == 0], 1 - MOST_FALSE[name]))
    doubted = MOST_DOUBTED.get(name)
    surely_not = np.quantile(guessed[wanted == 1], SURELY_NOT)
    floor = float(surely_not if doubted is None else np.quantile(guessed[wanted == 0], 1 - doubted))
    model = fitted(name, taken.bags, taken.matrix)
    pairs = sorted(zip(taken.columns, model.coef_[0], strict=True))
    weights = {feature: round(float(weight), 2) for feature, weight in pairs if abs(weight) >= LEAST_WEIGHT}
    learnt = {
        "bias": round(float(model.intercept_[0]), 4),
        "threshold": round(threshold, 4),
        "floor": round(floor, 4),
        "glance": round(least_at_a_glance(taken, float(model.intercept_[0]), weights), 4),
        "weights": weights,
    }
    out = FOLDER / f"{name}.json"
    out.write_text(json.dumps(learnt, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    members = guessed[wanted == 1]
    print(
        f"{name}: {len(members)} of {len(wanted)} texts; cross-validated recall {(members >= threshold).mean():.3f} at "
        f"{threshold:.2f}, {(members >= floor).mean():.3f} at {floor:.2f}, glance {learnt['glance']}; {len(weights)} "
        f"weights, {out.stat().st_size // 1000} kB"
    )


def least_at_a_glance(taken: Sample, bias: float, weights: dict[str, float]) -> float:
    """The score by the first features alone below which nothing else is looked at."""
    best = [
        max(bias + sum(weights.get(f, 0.0) for f in one) / np.sqrt(2 * len(one) or 1) for one in glanced)
        for glanced in ([taken.glanced[row] for row in bag.rows] for bag in taken.bags if bag.wanted)
    ]
    return float(np.quantile(best, MOST_OVERLOOKED)) - MARGIN


if __name__ == "__main__":
    for each in sys.argv[1:] or list(FEATURES):
        learn(each)
