"""A real HTTP server that stands in for a language model and an embedder.

    with LLMStub() as stub:
        stub.answer([{"action": "ADD", "content": "…"}])     # operations, answered as JSON content
        stub.answer("```json\\n{…}\\n```", Failure(429, retry_after=2), Hang(3), HalfJSON(), lambda body: […])
        … configure stub.base_url …; stub.requests holds the bodies that arrived

Answers are used up in order; after the last one every call gets `{"operations": []}`. By hand:
`python tests/llm_stub.py --port 42000 --script answers.json`, where the file holds a list of answers: a list of
operations, a string, {"status": 500}, {"status": 429, "retry_after": 2}, {"hang": 3}, {"half": true} or
{"body": {…}} for the literal response.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Failure:
    """An HTTP error; `message` stands in its body, `retry_after` in its header."""

    status: int
    message: str = "scripted failure"
    retry_after: float | None = None


@dataclass(frozen=True)
class Hang:
    """Wait before answering `then` (default: nothing to remember)."""

    seconds: float
    then: Any = None


@dataclass(frozen=True)
class Trickle:
    """Send the answer one byte every `pause` seconds, headers included."""

    pause: float
    headers_too: bool = False


@dataclass(frozen=True)
class HalfJSON:
    """The connection ends in the middle of the response body."""


@dataclass(frozen=True)
class Literal:
    """A response body as it is, JSON or (as str) not."""

    body: Any


@dataclass(frozen=True)
class Reply:
    """A completion with control over the rest of the message."""

    content: Any = None
    finish_reason: str = "stop"
    refusal: str | None = None
    arguments: str | None = None
    usage: Any = None


Scripted = list[Any] | str | int | Failure | Hang | Trickle | HalfJSON | Literal | Reply | Callable[[Any], Any]


class LLMStub:
    """Serves `/v1/chat/completions`, `/v1/embeddings` and `/v1/models` on loopback until closed.

    `accepts` names the answer forms it knows (`json_schema`, `tools`, `json_object`); others get a 400 like those of
    real servers. `dimensions` is the length of embeddings; a call with a text that contains one of `failing_texts`
    gets status 500, and `embedding_failures` is used up before that.
    """

    def __init__(self, port: int = 0, *, dimensions: int = 8) -> None:
        self.requests: list[dict[str, Any]] = []
        self.embedding_requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.ports: set[int] = set()
        self.accepts: set[str] = {"json_schema", "tools", "json_object"}
        self.dimensions = dimensions
        self.accepts_dimensions = True
        self.failing_texts: set[str] = set()
        self.embedding_failures: deque[Any] = deque()
        self.default: Any = []
        self._script: deque[Any] = deque()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = StubServer(port, self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def answer(self, *answers: Scripted) -> LLMStub:
        """Queue answers for the next chat calls; an int is an HTTP status, a callable gets the request's body."""
        with self._lock:
            self._script.extend(answers)
        return self

    def forget_script(self) -> None:
        with self._lock:
            self._script.clear()

    def prompts(self) -> list[str]:
        """All message contents of each chat call, joined."""
        return ["\n".join(str(m["content"]) for m in body["messages"]) for body in self.requests]

    def close(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> LLMStub:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def next_answer(self, body: dict[str, Any], headers: dict[str, str]) -> Any:
        """Note the call and take its answer. Refusals of a form use up nothing."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            refused = self._refused_form(body)
            if refused:
                return Failure(400, f"{refused} is not supported by this model")
            return self._script.popleft() if self._script else self.default

    def next_embedding(self, body: dict[str, Any]) -> Any:
        with self._lock:
            self.embedding_requests.append(body)
            if "dimensions" in body and not self.accepts_dimensions:
                return Failure(400, "model does not support matryoshka: dimensions")
            if self.embedding_failures:
                return self.embedding_failures.popleft()
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        if any(bad in text for bad in self.failing_texts for text in texts):
            return Failure(500)
        length = body.get("dimensions") or self.dimensions
        rows = [{"object": "embedding", "index": i, "embedding": vector(t, length)} for i, t in enumerate(texts)]
        return Literal({"object": "list", "data": rows, "model": body.get("model"), "usage": {"prompt_tokens": 1}})

    def sleep(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def _refused_form(self, body: dict[str, Any]) -> str:
        form = (body.get("response_format") or {}).get("type", "")
        if form in ("json_schema", "json_object") and form not in self.accepts:
            return f"response_format.type {form}"
        return "tools" if "tools" in body and "tools" not in self.accepts else ""


def vector(text: str, dimensions: int) -> list[float]:
    """A unit vector that depends on the text alone."""
    numbers: list[float] = []
    counter = 0
    while len(numbers) < dimensions:
        digest = hashlib.sha256(f"{counter}:{text}".encode("utf-8", "replace")).digest()
        numbers += [byte / 127.5 - 1 for byte in digest]
        counter += 1
    norm = math.hypot(*numbers[:dimensions]) or 1.0
    return [number / norm for number in numbers[:dimensions]]


def completion(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    arguments = reply.arguments
    if arguments is None and "tools" in body and isinstance(reply.content, str):
        arguments, message["content"] = reply.content, None
    if arguments is not None:
        function = {"name": "record_memory_operations", "arguments": arguments}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    usage = reply.usage if reply.usage is not None else {"prompt_tokens": 11, "completion_tokens": 7}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    return {"id": "c1", "object": "chat.completion", "model": body.get("model"), "choices": [choice], "usage": usage}


class StubServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, stub: LLMStub) -> None:
        self.stub = stub
        super().__init__(("127.0.0.1", port), Request)


class Request(BaseHTTPRequestHandler):
    """One connection; `server.stub` knows the answers."""

    server: StubServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "stub-model", "object": "model"}]})

    def do_POST(self) -> None:
        self.server.stub.ports.add(int(self.client_address[1]))
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        if self.path.endswith("/embeddings"):
            self._give(self.server.stub.next_embedding(body), body)
        elif self.path.endswith("/chat/completions"):
            self._give(self.server.stub.next_answer(body, dict(self.headers)), body)
        else:
            self._send(404, {"error": {"message": "no such path"}})

    def _give(self, answer: Any, body: dict[str, Any]) -> None:
        if isinstance(answer, Hang):
            self.server.stub.sleep(answer.seconds)
            answer = [] if answer.then is None else answer.then
        if callable(answer):
            answer = answer(body)
        if isinstance(answer, int):
            answer = Failure(answer)
        if isinstance(answer, Failure):
            self._fail(answer)
        elif isinstance(answer, HalfJSON):
            self._half(body)
        elif isinstance(answer, Trickle):
            self._trickle(answer, body)
        elif isinstance(answer, Literal):
            self._send(200, answer.body)
        else:
            self._send(200, completion(_as_reply(answer), body))

    def _fail(self, failure: Failure) -> None:
        extra = {} if failure.retry_after is None else {"Retry-After": f"{failure.retry_after:g}"}
        self._send(failure.status, {"error": {"message": failure.message, "type": "error"}}, extra)

    def _half(self, body: dict[str, Any]) -> None:
        whole = json.dumps(completion(Reply('{"operations": []}'), body)).encode()
        self._head(200, len(whole), {})
        self.wfile.write(whole[: len(whole) // 2])
        self.close_connection = True

    def _trickle(self, trickle: Trickle, body: dict[str, Any]) -> None:
        self.close_connection = True
        whole = json.dumps(completion(Reply('{"operations": []}'), body)).encode()
        if trickle.headers_too:
            whole = f"HTTP/1.1 200 OK\r\nContent-Length: {len(whole)}\r\n\r\n".encode() + whole
        else:
            self._head(200, len(whole), {})
        for byte in whole:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            self.server.stub.sleep(trickle.pause)

    def _send(self, status: int, body: Any, extra: dict[str, str] | None = None) -> None:
        sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self._head(status, len(sent), extra or {})
        self.wfile.write(sent)

    def _head(self, status: int, length: int, extra: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(length), **extra}.items():
            self.send_header(name, value)
        self.end_headers()

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what arrives here is what people said."""


def _as_reply(answer: Any) -> Reply:
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, str):
        return Reply(answer)
    if isinstance(answer, list):
        return Reply(json.dumps({"operations": answer}, ensure_ascii=False))
    return Reply(json.dumps(answer, ensure_ascii=False))


def _from_file(entry: Any) -> Any:
    if isinstance(entry, dict) and "status" in entry:
        return Failure(int(entry["status"]), retry_after=entry.get("retry_after"))
    if isinstance(entry, dict) and "hang" in entry:
        return Hang(float(entry["hang"]))
    if isinstance(entry, dict) and "half" in entry:
        return HalfJSON()
    if isinstance(entry, dict) and "body" in entry:
        return Literal(entry["body"])
    return entry


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve scripted LLM answers and deterministic embeddings.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, help="JSON file with a list of answers")
    parser.add_argument("--dimensions", type=int, default=384)
    options = parser.parse_args()
    with LLMStub(options.port, dimensions=options.dimensions) as stub:
        if options.script:
            stub.answer(*(_from_file(entry) for entry in json.loads(options.script.read_text(encoding="utf-8"))))
        print(f"LLM_BASE_URL={stub.base_url} EMBEDDING_BASE_URL={stub.base_url}", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
