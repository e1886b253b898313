"""Every accepted message ends in one finished run, whatever is killed, emptied, silent or restarted meanwhile."""

from __future__ import annotations

import signal
import time
from typing import Any

import psutil
import pytest

from tests.instance import wait_for
from tests.llm_stub import Hang
from tests.processes.agent import Gate, Instance, judge


def counted(events: list[dict[str, Any]], section: str) -> int:
    return sum(len(event[section]) for event in events)


def reasons(event: dict[str, Any], section: str) -> set[str]:
    return {entry["reason"] for entry in event[section] if "reason" in entry}


@pytest.mark.parametrize("fact", ["Remember: locker 1 belongs to Mia", "记住：1号储物柜归小美"])
def test_twenty_parallel_posts_of_one_cue_become_one_memory(instance: Instance, fact: str) -> None:
    person = f"twenty {fact[0]}"
    events = instance.finished(*instance.say_together(person, [fact] * 20))
    assert instance.memories(person) == [fact.split(": ")[-1].removeprefix("记住：")]
    assert (counted(events, "added"), counted(events, "failed")) == (1, 0)


def test_ten_parallel_facts_become_ten_memories_and_ten_outcomes(instance: Instance) -> None:
    facts = [f"Remember: locker {n} belongs to Ivo" for n in range(5)] + [f"记住：{n}号储物柜归老周" for n in range(5)]
    events = instance.finished(*instance.say_together("ten", facts))
    assert len(instance.memories("ten")) == 10
    assert (counted(events, "added"), counted(events, "failed")) == (10, 0)


def test_two_workers_on_one_space_both_write_and_the_second_judges_again(instance: Instance) -> None:
    gate = Gate()
    instance.llm.default = gate
    before = len(instance.llm.requests)
    events = [
        instance.say("both", "Remember: locker 40 belongs to Ada", session="left"),
        instance.say("both", "记住：41号储物柜归阿达", session="right"),
    ]
    wait_for(lambda: gate.waiting == 2)
    gate.open()
    ended = instance.finished(*events)
    assert [e["status"] for e in ended] == ["succeeded"] * 2
    assert instance.memories("both") == ["41号储物柜归阿达", "locker 40 belongs to Ada"]
    asked = instance.llm.prompts()[before:]
    assert len(asked) == 3
    assert "[0] (note)" in asked[2] and "[0] (note)" not in asked[0] + asked[1]


def test_a_silent_judge_is_asked_again_and_the_run_ends_visibly(instance: Instance) -> None:
    instance.llm.answer(*[Hang(30)] * 4)
    chat = instance.say("waiting", "I mostly work from the library these days, it is quieter.")
    cue = instance.say("silent", "记住：9号储物柜归阿哲")
    chatted, told = instance.finished(chat, cue)
    assert (chatted["status"], chatted["attempt"]) == ("failed", 2)
    assert reasons(chatted, "failed") == {"llm_timeout"}
    assert "llm_timeout" in reasons(told, "failed")
    assert (told["status"], len(told["added"]), instance.memories("silent")) == ("succeeded", 1, ["9号储物柜归阿哲"])


@pytest.mark.parametrize("victim", ["worker", "its child"])
def test_a_worker_killed_in_the_middle_of_a_run_is_followed_by_one_that_finishes_it(
    instance: Instance, victim: str
) -> None:
    gate = Gate()
    instance.llm.default = gate
    event = instance.say(victim, "记住：7号储物柜归小林")
    wait_for(lambda: gate.waiting == 1)
    worker = instance.children()["worker"]
    pool = [child for child in worker.children() if child.pid != worker.pid]
    for one in [worker] if victim == "worker" else pool:
        one.send_signal(signal.SIGKILL)
    instance.llm.default = judge
    gate.open()
    (ended,) = instance.finished(event)
    assert (ended["status"], ended["attempt"], len(ended["added"])) == ("succeeded", 2, 1)
    assert instance.memories(victim) == ["7号储物柜归小林"]
    wait_for(instance.settled)


@pytest.mark.parametrize("loss", ["emptied", "killed"])
def test_what_valkey_forgets_is_found_again_in_the_rows(instance: Instance, loss: str) -> None:
    gate = Gate()
    instance.llm.default = gate
    events = [instance.say(f"{loss} {n}", f"Remember: locker {n} belongs to Noor") for n in range(6)]
    wait_for(lambda: gate.waiting == 2)
    if loss == "emptied":
        instance.valkey().flushall()
    else:
        instance.children()["valkey-server"].send_signal(signal.SIGKILL)
    events += [instance.say(f"{loss} {n}", f"记住：{n}号储物柜归努尔") for n in range(6, 9)]
    gate.open()
    ended = instance.finished(*events)
    assert [(e["status"], len(e["added"])) for e in ended] == [("succeeded", 1)] * 9
    assert [len(instance.memories(f"{loss} {n}")) for n in range(9)] == [1] * 9
    wait_for(instance.settled)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["stopped", "killed"])
def test_a_restart_of_postgresql_loses_no_accepted_message(instance: Instance, how: signal.Signals) -> None:
    gate = Gate()
    instance.llm.default = gate
    events = [instance.say(f"{how} {n}", f"记住：{n}号储物柜归阿木") for n in range(4)]
    wait_for(lambda: gate.waiting == 2)
    database = instance.children()["postgres"]
    database.send_signal(how)
    gate.open()
    psutil.wait_procs([database], timeout=20)
    wait_for(instance.settled)
    answers = [instance.post(f"{how} after {n}", f"Remember: locker {n} belongs to Amos") for n in range(6)]
    assert [a.status_code for a in answers] == [202] * 6, "no pooled connection of the dead server is handed out"
    ended = instance.finished(*events, *(a.json()["event_id"] for a in answers))
    assert [(e["status"], len(e["added"])) for e in ended] == [("succeeded", 1)] * 10
    assert [len(instance.memories(f"{how} {n}")) for n in range(4)] == [1] * 4


def test_everything_is_quiet_in_the_end(instance: Instance) -> None:
    """No run is left over, and every judged run was closed by one attempt's fence: one event of its end."""
    time.sleep(1)
    with instance.superuser() as server:
        left = server.execute("SELECT count(*) FROM memoryapp_run WHERE state IN ('pending', 'running')").fetchone()
        twice = server.execute(
            "SELECT count(*) FROM (SELECT FROM memoryapp_auditevent WHERE action = 'run.finished'"
            " GROUP BY target_ids HAVING count(*) > 1) t"
        ).fetchone()
    assert (left, twice) == ((0,), (0,))
