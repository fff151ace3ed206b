"""Worker processes: one thread each, gone when the command is gone; one job needs none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.patience import HANGS, until

from torquec.cli.worker_pool import worker_pool

_SCRIPT = """
import os, sys, time
from torquec.cli.worker_pool import worker_pool
if __name__ == "__main__":
    with worker_pool(2) as pool:
        first = pool.submit(os.getpid)
        print(first.result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


def test_one_job_needs_no_process():
    with worker_pool(1) as pool:
        assert pool is None


def test_workers_compute_with_one_thread(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with worker_pool(2) as pool:
        assert pool.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
        assert pool.submit(os.getpid).result() != os.getpid()
    assert "OMP_NUM_THREADS" not in os.environ


def stop_while_working():
    with worker_pool(2) as pool:
        assert pool.submit(os.getpid).result()
        pool.submit(time.sleep, 600)
        raise KeyError


def test_an_error_does_not_wait_for_running_work():
    with pytest.raises(KeyError):
        stop_while_working()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the process in /proc")
def test_workers_end_when_the_command_is_killed(tmp_path):
    script = tmp_path / "command.py"
    script.write_text(_SCRIPT)
    command = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    worker = int(command.stdout.readline())
    assert Path(f"/proc/{worker}").exists()
    os.kill(command.pid, signal.SIGKILL)
    command.wait(timeout=HANGS)
    command.stdout.close()
    until(lambda: not Path(f"/proc/{worker}").exists(), "the worker has ended")
