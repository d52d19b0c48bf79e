"""Git repositories over HTTP on loopback, as a person's git host would serve them; read only."""

from __future__ import annotations

import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self


def is_there() -> bool:
    """Whether this git can serve; some systems ship that half separately."""
    places = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    return os.access(f"{places}/git-http-backend", os.X_OK)


class GitServer:
    """The server; use it in a ``with`` statement.

    Attributes:
        url: the address below which each bare repository of the folder is found by its name.
    """

    def __init__(self, folder: Path) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(folder))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(folder: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """What there is."""
            self._serve()

        def do_POST(self) -> None:
            """The objects that are asked for."""
            self._serve()

        def _serve(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            env = {
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "REMOTE_ADDR": "127.0.0.1",
            }
            said = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False).stdout
            head, _, content = said.partition(b"\r\n\r\n")
            fields = [line.partition(": ") for line in head.decode("latin-1").split("\r\n") if line]
            status = next((value for name, _, value in fields if name == "Status"), "200 OK")
            self.send_response(int(status.split()[0]))
            for name, _, value in fields:
                if name != "Status":
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    return Handler
