"""The pins: what `.ci/lock --check` accepts and what it refuses."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HASH = "a" * 64

LOCK = f"""alpha==1.0 ; python_full_version < '3.12' \\
    --hash=sha256:{HASH}
alpha==2.0 ; python_full_version >= '3.12' \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{HASH}
beta==3.1 \\
    --hash=sha256:{HASH}
"""
PROJECT = """[tool.uv]
constraint-dependencies = [
    "alpha==1.0 ; python_full_version < '3.12'",
    "alpha==2.0 ; python_full_version >= '3.12'",
    "beta==3.1",
]
"""

Problems = Callable[[Path, set[str]], list[str]]


@pytest.fixture(scope="module")
def problems() -> Problems:
    loader = SourceFileLoader("lock_script", str(ROOT / ".ci" / "lock"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    found: Problems = module.problems
    return found


def _write(folder: Path, project: str = PROJECT, lock: str = LOCK) -> Path:
    (folder / "pyproject.toml").write_text(project)
    (folder / "requirements.lock").write_text(lock)
    return folder


def test_pins_that_agree_with_their_markers_and_the_installation_pass(problems: Problems, tmp_path: Path) -> None:
    assert problems(_write(tmp_path), {"alpha==1.0", "beta==3.1"}) == []


@pytest.mark.parametrize(
    ("project", "lock", "installed", "told"),
    [
        (PROJECT.replace("3.1", "3.2"), LOCK, set(), "different versions"),
        (PROJECT.replace(" ; python_full_version < '3.12'", ""), LOCK, set(), "different versions"),
        (PROJECT, LOCK + "gamma==1.0\n", set(), "without a hash"),
        (PROJECT, "--index-url https:" + "//mirror.example\n" + LOCK, set(), "requirements.lock names"),
        (PROJECT + "[[tool.uv.index]]\n", LOCK, set(), "pyproject.toml names"),
        (PROJECT, LOCK, {"beta==3.0"}, "beta==3.0"),
    ],
    ids=["version", "marker", "hash", "host in lock", "host in project", "installed"],
)
def test_a_disagreement_is_named(
    problems: Problems, tmp_path: Path, project: str, lock: str, installed: set[str], told: str
) -> None:
    found = problems(_write(tmp_path, project, lock), installed)
    assert len(found) == 1
    assert told in found[0]


def test_the_pins_of_this_project_agree(problems: Problems, tmp_path: Path) -> None:
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    assert problems(tmp_path, set()) == []
