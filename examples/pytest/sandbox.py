"""A Countersign sandbox, started here or at `COUNTERSIGN_URL`, and a platform on it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urljoin

import requests


@dataclass(frozen=True)
class Platform:
    """A platform with its own credentials, data and clock."""

    base_url: str
    credentials: tuple[str, str]

    def control(self, method: str, path: str, body: object = None) -> requests.Response:
        """Calls the control surface: POST /clock, PUT /faults, GET /outbox and so on."""
        url = urljoin(self.base_url, f"/__sandbox{path}")
        response = requests.request(method, url, json=body, auth=self.credentials, timeout=30)
        response.raise_for_status()
        return response

    def fail_next(self, operation: str, **fault: Any) -> None:
        """Plants a fault: `platform.fail_next("createQuote", status=503)`, or `drop="after"` to break the connection."""
        self.control("PUT", "/faults", {"rules": [{"operation": operation, "times": 1, **fault}]})


@dataclass(frozen=True)
class Clock:
    platform: Platform

    def advance(self, **duration: float) -> None:
        """Moves the clock forward; the arguments are those of `timedelta`: `clock.advance(minutes=5)`."""
        seconds = int(timedelta(**duration).total_seconds())
        self.platform.control("POST", "/clock", {"advanceSeconds": seconds})


def make_platform(base_url: str) -> Platform:
    """Makes a platform with two customers. A shared sandbox needs the `CONTROL_TOKEN` that it was started with."""
    token = os.environ.get("CONTROL_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = urljoin(base_url, "/__sandbox/platforms")
    made = requests.post(url, json={"world": "ready-made"}, headers=headers, timeout=30)
    made.raise_for_status()
    return Platform(base_url, (made.json()["clientId"], made.json()["clientSecret"]))


def start() -> tuple[subprocess.Popen[str], str]:
    """Starts a sandbox with its state in memory. Returns the process and the base address."""
    command = [npx(), "countersign", "start", "--port", "0", "--data", ":memory:", "--log", "off"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    for line in process.stdout or ():
        if ready := re.search(r"ready at (http\S+)", line):
            return process, ready[1]
    raise RuntimeError("The sandbox did not start; its own words are above.")


def check(recordings: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Compares recordings with the contract."""
    command = [npx(), "countersign", "check", *recordings]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def npx() -> str:
    found = shutil.which("npx")
    if found is None:
        raise RuntimeError("npx is missing: install Node.js 24.")
    return found
