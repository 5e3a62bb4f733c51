"""One sandbox for the run, a platform for each worker or test, and a check of all traffic against the contract."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import sandbox
from sandbox import Clock, Platform

recordings = Path(__file__).parent / "recordings"
process_key = pytest.StashKey[subprocess.Popen[str]]()
verdict_key = pytest.StashKey[str]()


@pytest.fixture(scope="session")
def worker_platform() -> Iterator[Platform]:
    platform = sandbox.make_platform(os.environ["COUNTERSIGN_URL"])
    yield platform
    end(platform, os.environ.get("PYTEST_XDIST_WORKER", "main"))


@pytest.fixture
def platform(worker_platform: Platform) -> Platform:
    """The worker's platform, reset to its initial data, clock and faults."""
    worker_platform.control("POST", "/reset")
    return worker_platform


@pytest.fixture
def own_platform() -> Iterator[Platform]:
    """A new platform, which ends with the test."""
    platform = sandbox.make_platform(os.environ["COUNTERSIGN_URL"])
    yield platform
    end(platform, platform.credentials[0])


def end(platform: Platform, name: str) -> None:
    """Saves the traffic of a platform, and deletes the platform."""
    recorded = platform.control("GET", "/journal?format=har").text
    (recordings / f"{name}.har").write_text(recorded, encoding="utf-8")
    platform.control("DELETE", "/platform")


@pytest.fixture
def clock(platform: Platform) -> Clock:
    return Clock(platform)


def leads(config: pytest.Config) -> bool:
    """Whether this process controls the run; with pytest-xdist its workers run the tests."""
    return not hasattr(config, "workerinput") and not config.getoption("collectonly")


def pytest_sessionstart(session: pytest.Session) -> None:
    if not leads(session.config):
        return
    shutil.rmtree(recordings, ignore_errors=True)
    recordings.mkdir()
    if "COUNTERSIGN_URL" in os.environ:
        return
    try:
        process, base_url = sandbox.start()
    except RuntimeError as error:
        pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
    session.config.stash[process_key] = process
    # The workers of pytest-xdist start later and inherit it.
    os.environ["COUNTERSIGN_URL"] = base_url


def pytest_sessionfinish(session: pytest.Session) -> None:
    files = sorted(str(file) for file in recordings.glob("*.har"))
    if not leads(session.config) or not files:
        return
    check = sandbox.check(files)
    session.config.stash[verdict_key] = check.stdout + check.stderr
    if check.returncode != 0 and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if verdict := config.stash.get(verdict_key, None):
        terminalreporter.section("countersign check")
        terminalreporter.write(verdict)


def pytest_unconfigure(config: pytest.Config) -> None:
    if process := config.stash.get(process_key, None):
        process.terminate()
        process.wait(timeout=15)
