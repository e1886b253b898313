"""Every accepted message ends in one finished run, whatever is killed, emptied, silent or restarted meanwhile."""

from __future__ import annotations

import re
import signal
from typing import Any

import psutil
import pytest

from tests.instance import wait_for
from tests.llm_stub import Hang
from tests.processes.agent import Gate, Instance, judge
from tests.processes.secrets import attempts, secrets


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
    wait_for(lambda: gate.waiting >= 2)
    gate.open()
    ended = instance.finished(*events)
    assert [e["status"] for e in ended] == ["succeeded"] * 2
    assert instance.memories("both") == ["41号储物柜归阿达", "locker 40 belongs to Ada"]
    asked = instance.llm.prompts()[before:]
    assert len(asked) == 3
    assert "[0] (note)" in asked[2] and "[0] (note)" not in asked[0] + asked[1]


def test_a_silent_judge_is_asked_again_and_the_run_ends_visibly(instance: Instance) -> None:
    instance.llm.answer(*[Hang(30)] * 6)
    chat = instance.say("waiting", "I mostly work from the library these days, it is quieter.")
    cue = instance.say("silent", "记住：9号储物柜归阿哲")
    chatted, told = instance.finished(chat, cue)
    assert (chatted["status"], chatted["attempt"]) == ("failed", 3)
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
    wait_for(lambda: gate.waiting >= 1)
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
    wait_for(lambda: gate.waiting >= 2)
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
    wait_for(lambda: gate.waiting >= 2)
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


def test_fifty_secrets_at_every_door_are_in_no_answer_prompt_file_log_or_queue(instance: Instance) -> None:
    instance.llm.default = []
    made = instance.client.post("memories", json={"user_id": "vault", "content": "The wren-canary clock is slow"})
    item = made.json()["results"][0]["id"]
    told: list[str] = []
    for name, secret, send in attempts():
        answer = send(instance.client, secret.text, item)
        assert answer.status_code < 500, (name, instance.log())
        if secret.value in answer.text + str(answer.headers):
            told.append(f"{name}: {secret.text.replace(secret.value, '…')}")
    assert told == []
    wait_for(lambda: not unfinished(instance))
    values = {secret.value for secret in secrets()}
    assert [v for v in values if any(v in prompt for prompt in instance.llm.prompts())] == []
    assert places_of(instance, values) == set(), [
        n for n in instance.log(9999).splitlines() if any(v in n for v in values)
    ]
    assert "base" in places_of(instance, {"wren-canary"}), "a text that may be kept is seen by this search"


def unfinished(instance: Instance) -> bool:
    with instance.superuser() as server:
        left = server.execute("SELECT count(*) FROM memoryapp_run WHERE state IN ('pending', 'running')").fetchone()
    return left != (0,)


def places_of(instance: Instance, values: set[str]) -> set[str]:
    """Where any of the values is: kinds of files of the data folder, WAL and logs included, and Valkey."""
    with instance.superuser() as server:
        server.execute("CHECKPOINT")
        server.execute("SELECT pg_switch_wal()")
    needles = re.compile("|".join(map(re.escape, values)).encode())
    folder = instance.folder
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_socket()]
    found = {
        path.relative_to(folder).parts[1] if "postgres" in path.parts else path.name
        for path in files
        if needles.search(path.read_bytes())
    }
    return found | ({"valkey"} if needles.search(queued(instance)) else set())


def queued(instance: Instance) -> bytes:
    """Everything that the broker and the cache hold."""
    held = b""
    with instance.valkey() as cache:
        for database in (0, 1):
            cache.select(database)
            held += b"".join(key + (cache.dump(key) or b"") for key in cache.scan_iter())
    return held


def test_everything_is_quiet_in_the_end(instance: Instance) -> None:
    """No run is left over, and every judged run was closed by one attempt's fence: one event of its end."""
    wait_for(lambda: not unfinished(instance))
    with instance.superuser() as server:
        twice = server.execute(
            "SELECT count(*) FROM (SELECT FROM memoryapp_auditevent WHERE action = 'run.finished'"
            " GROUP BY target_ids HAVING count(*) > 1) t"
        ).fetchone()
    assert twice == (0,)
