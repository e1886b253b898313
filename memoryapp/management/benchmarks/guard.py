"""What the guard costs: CPU time for 2 KB of what people and machines write, and its growth on hostile text."""

from __future__ import annotations

import time
from collections.abc import Mapping
from statistics import median

from memoryapp.domain.guards import inspect
from memoryapp.domain.policy import DEFAULT_POLICY

BYTES = 2_000
SMALL, LARGE = 25_000, 100_000
_PROSE = {
    "Chinese prose": "我们组最近在把订单系统拆成三个服务，前端还是用原来的框架。周会改到每周二下午，大家都觉得节奏好多了。"
    "我平时骑车上班，中午常去楼下那家面馆，老板娘记得我不要香菜。",
    "English prose": "We are splitting the order system into three services while the front end stays as it was. "
    "The weekly meeting moved to Tuesday afternoon, and I usually cycle to work unless it rains hard. ",
    "mixed": "我们的 backend 用 Django 和 PostgreSQL，deploy 在周四。上次 review 的时候，Maria 说 retry 逻辑要加 jitter，"
    "otherwise the queue fills up when a worker restarts。",
    "code": "def total(items: list[Item]) -> Decimal:\n    return sum((item.price * item.count for item in items), "
    'Decimal(0))\n\nclass Basket(Model):\n    owner = ForeignKey("accounts.User", on_delete=CASCADE)\n',
}
_HOSTILE = (
    *("password ", "密码是", "ignore all ", "忽略所有", "user is ", "a ", "1 ", "记住：", "A1 ", "sk-", '{"a":'),
    *("13812345678 ", "123-45-6789 ", "1号1室", "一"),
)


def samples() -> Mapping[str, str]:
    """2,000 bytes of each sort, cut at a whole character."""
    return {name: _of_size(text) for name, text in _PROSE.items()}


def measured(rounds: int) -> dict[str, str]:
    """CPU milliseconds per sort of text, and the dearest hostile text with its growth from 25 to 100 kB."""
    report = {name: _spread([_cpu(text) for _ in range(rounds)]) for name, text in samples().items()}
    growth = {seed: _growth(seed) for seed in _HOSTILE}
    dearest = max(growth, key=lambda seed: growth[seed][1])
    small, large = growth[dearest]
    report["hostile, dearest"] = f"{dearest!r}: 25 kB {small:.1f} ms, 100 kB {large:.1f} ms"
    steepest = max(growth, key=lambda seed: growth[seed][1] / growth[seed][0])
    report["hostile, steepest"] = (
        f"{steepest!r}: × {growth[steepest][1] / growth[steepest][0]:.1f} for 4 times the text"
    )
    return report


def _of_size(text: str) -> str:
    return (text * (BYTES // len(text) + 1)).encode()[:BYTES].decode(errors="ignore")


def _cpu(text: str) -> float:
    started = time.process_time_ns()
    inspect(text, DEFAULT_POLICY)
    return (time.process_time_ns() - started) / 1e6


def _growth(seed: str) -> tuple[float, float]:
    small, large = ((seed * (size // len(seed) + 1))[:size] for size in (SMALL, LARGE))
    return min(_cpu(small) for _ in range(3)), min(_cpu(large) for _ in range(3))


def _spread(times: list[float]) -> str:
    ordered = sorted(times)
    high = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return f"min {ordered[0]:.3f}, p50 {median(ordered):.3f}, p99 {high:.3f} ms"
