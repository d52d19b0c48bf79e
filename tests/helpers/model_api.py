"""A scripted stand-in for the Messages API on loopback. It keeps every request that the client sends, byte for byte.

A *script* is a function from a `Request` to the blocks of the reply. It decides by what a request holds, never by the
order in which requests come: subagents run at the same time.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    Block = dict[str, Any]
    Script = Callable[["Request"], list[Block]]

MAIN_MARK = "You are an interactive agent that helps users"
SUBAGENT_MARK = "cc_is_subagent=true"
_SECRET_HEADERS = {"authorization", "x-api-key"}


def text(words: str) -> Block:
    """A block of the reply that says something."""
    return {"type": "text", "text": words}


def call(name: str, **arguments: object) -> Block:
    """A block of the reply that calls a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


def failure(status: int, kind: str, message: str) -> Block:
    """The whole reply is an HTTP error."""
    return {"type": "failure", "status": status, "error": {"type": kind, "message": message}}


def silence() -> Block:
    """No reply at all, until the stand-in is closed."""
    return {"type": "silence"}


class Request:
    """One request for a message.

    Attributes:
        number: how many came before it.
        raw: the body's bytes as they came over the wire.
        body: the same, parsed.
        headers: the headers without the key.
    """

    def __init__(self, number: int, raw: bytes, headers: dict[str, str]) -> None:
        self.number = number
        self.raw = raw
        self.body: dict[str, Any] = json.loads(raw)
        self.headers = {name: value for name, value in headers.items() if name.lower() not in _SECRET_HEADERS}

    @property
    def system(self) -> str:
        """The system prompt, its blocks one below the other."""
        return "\n".join(block["text"] for block in _blocks(self.body.get("system")))

    @property
    def is_main(self) -> bool:
        """Whether this is the conversation that a person sees."""
        return MAIN_MARK in self.system

    @property
    def is_subagent(self) -> bool:
        """Whether the Agent tool sent it."""
        return SUBAGENT_MARK in self.system

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that the model may call, as they stand in the body."""
        return list(self.body["tools"])

    def texts(self, role: str = "user") -> list[str]:
        """Every text block of one role, in order."""
        return [block["text"] for block in self._of(role) if block.get("type") == "text"]

    def results(self) -> list[tuple[str, str, bool]]:
        """Every tool result as (id of the call, text, whether it is an error), in order."""
        found = []
        for block in self._of("user"):
            if block.get("type") == "tool_result":
                said = "".join(part.get("text", "") for part in _blocks(block.get("content")))
                found.append((block["tool_use_id"], said, bool(block.get("is_error"))))
        return found

    def _of(self, role: str) -> list[Block]:
        return [
            block
            for message in self.body["messages"]
            if message["role"] == role
            for block in _blocks(message["content"])
        ]

    def holds(self, needle: str) -> bool:
        """Whether the text occurs anywhere in the request, raw or in one of its strings."""
        return needle.encode() in self.raw or any(needle in value for value in _strings(self.body))


def _blocks(content: str | list[Block] | None) -> list[Block]:
    return [text(content)] if isinstance(content, str) else list(content or [])


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in (str(key), *_strings(item))]
    if isinstance(value, list):
        return [found for item in value for found in _strings(item)]
    return [value] if isinstance(value, str) else []


class ModelApi:
    """The server; use it in a ``with`` statement.

    Attributes:
        url: what the client is given as its base URL.
        requests: every request for a message so far.
        strangers: method and path of everything else that was asked of it.
    """

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self.strangers: list[tuple[str, str]] = []
        self._script = script
        self._lock = threading.Lock()
        self.over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def main(self) -> list[Request]:
        """The requests of the conversation."""
        return [request for request in self.requests if request.is_main]

    @property
    def subagents(self) -> list[Request]:
        """The requests of the Agent tool."""
        return [request for request in self.requests if request.is_subagent]

    def answer(self, raw: bytes, headers: dict[str, str]) -> tuple[Request, list[Block]]:
        """Keep a request and ask the script."""
        with self._lock:
            request = Request(len(self.requests), raw, headers)
            self.requests.append(request)
            blocks = self._script(request)
        if blocks[0]["type"] == "silence":
            self.over.wait()
            blocks = [failure(529, "overloaded_error", "too late")]
        return request, blocks


def _handler(api: ModelApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing: the requests are kept."""

        def do_HEAD(self) -> None:
            """The client's look whether anybody is there."""
            api.strangers.append(("HEAD", self.path))
            self._send(200, b"", "text/plain")

        def do_GET(self) -> None:
            """Nothing is asked for with GET; whoever does it shows up in `strangers`."""
            api.strangers.append(("GET", self.path))
            self._send(404, b"{}", "application/json")

        def do_POST(self) -> None:
            """A message, or something that shows up in `strangers`."""
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.path.split("?")[0] != "/v1/messages":
                api.strangers.append(("POST", self.path))
                self._send(404, b"{}", "application/json")
                return
            request, blocks = api.answer(raw, dict(self.headers))
            if blocks[0]["type"] == "failure":
                error = json.dumps({"type": "error", "error": blocks[0]["error"]}).encode()
                self._send(blocks[0]["status"], error, "application/json")
            elif request.body.get("stream"):
                self._send(200, _stream(request, blocks), "text/event-stream")
            else:
                self._send(200, json.dumps(_message(request, _named(request, blocks))).encode(), "application/json")

        def _send(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    return Handler


def _named(request: Request, blocks: list[Block]) -> list[Block]:
    return [
        {**block, "id": f"toolu_{request.number:03}_{place:02}"} if block["type"] == "tool_use" else block
        for place, block in enumerate(blocks)
    ]


def _message(request: Request, content: list[Block]) -> dict[str, Any]:
    stops = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
    return {
        "id": f"msg_{request.number:03}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", "none"),
        "content": content,
        "stop_reason": stops,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _stream(request: Request, blocks: list[Block]) -> bytes:
    content = _named(request, blocks)
    whole = _message(request, content)
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(content):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if is_text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)
