"""An executor for tests: every task and every result goes through bytes, as to another machine; it is done at once."""

from __future__ import annotations

import pickle
from concurrent.futures import Executor, Future

from torquec.errors import TorquecError


class PostedExecutor(Executor):
    """Counts its tasks by the name of their function."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def submit(self, function, /, *arguments, **options):
        future: Future = Future()
        function, arguments, options = pickle.loads(pickle.dumps((function, arguments, options)))
        self.done.append(getattr(function, "__name__", type(function).__name__))
        try:
            future.set_result(pickle.loads(pickle.dumps(function(*arguments, **options))))
        except TorquecError as error:
            future.set_exception(pickle.loads(pickle.dumps(error)))
        return future
