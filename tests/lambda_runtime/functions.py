"""Start execution environments for functions as Lambda does: one for each tenant and each simultaneous invocation."""

import threading
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from local.emulator.runners.context import Handler, InvocationError, LambdaContext
from tests.lambda_runtime.environment import Code, Environment
from tests.lambda_runtime.runtime_api import FunctionError, invocation


class LambdaFunctions:
    """Context manager that ends all environments. ``codes`` has the code of each function by its name."""

    def __init__(self, codes: Mapping[str, Code], log_dir: Path) -> None:
        self.started: list[str] = []
        self._codes = codes
        self._log_dir = log_dir
        self._idle: dict[tuple[str, str | None], list[Environment]] = defaultdict(list)
        self._environments: list[Environment] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        with self._lock:
            for environment in self._environments:
                environment.close()

    def handler(self, name: str) -> Handler:
        """Return a handler that forwards invocations to an environment of the function."""

        def handle(event: object, context: LambdaContext) -> object:
            key = (name, context.tenant_id)
            environment = self._take(key)
            seconds = context.get_remaining_time_in_millis() / 1000
            arn = context.invoked_function_arn
            try:
                result = environment.invoke(invocation(event, arn=arn, seconds=seconds, tenant_id=context.tenant_id))
            except FunctionError as error:
                raise InvocationError("FunctionError", f"{name}: {error}") from error
            with self._lock:
                self._idle[key].append(environment)
            return result

        return handle

    def _take(self, key: tuple[str, str | None]) -> Environment:
        name, _ = key
        with self._lock:
            if idle := self._idle[key]:
                return idle.pop()
            self.started.append(name)
            log = self._log_dir / f"{name}-{len(self.started)}"
            self._environments.append(Environment(self._codes[name], log))
            return self._environments[-1]
