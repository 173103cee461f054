"""The real program, started from the repository that this package is in."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[4]
PROGRAM = REPOSITORY / "infra/bin/roomwire.js"
START_SECONDS = 60


class Program:
    """On files in an empty folder, on a free port, or on the one of before."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self._output: list[str] = []
        self.start()
        self.api_key: str = json.loads((folder / "credentials.json").read_text())["apiKey"]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self._port}/ws"

    @property
    def port(self) -> int:
        return self._port

    def start(self) -> None:
        settings = {
            "ROOMWIRE_PORT": str(self._port),
            "ROOMWIRE_OPS_PORT": "0",
            "ROOMWIRE_DATA_DIR": str(self._folder),
            "ROOMWIRE_MESSAGE_RECORDING": "true",
        }
        self._process = subprocess.Popen(
            ["node", str(PROGRAM), "start"],
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        is_ready = threading.Event()
        threading.Thread(target=self._read, args=(self._process, is_ready), daemon=True).start()
        if not is_ready.wait(START_SECONDS):
            self.stop()
            raise RuntimeError("The program did not start:\n" + "".join(self._output))

    def _read(self, process: subprocess.Popen[str], is_ready: threading.Event) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self._output.append(line)
                if ready := re.search(r"Roomwire is ready on http://127\.0\.0\.1:(\d+)", line):
                    self._port = int(ready[1])
                    is_ready.set()

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None
