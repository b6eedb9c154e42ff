"""An execution whose data grow too large, or whose paths lead nowhere, ends: ``States.ALL`` does not catch that.

Patches ``ErrorEqualsDecl._eval_body``. moto takes ``States.ALL`` at its word. Without it an execution that AWS ends as
FAILED goes on to its catcher, and nobody sees that it must be settled from outside.
"""

from functools import cache

from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.eval.environment import Environment

from local.aws.seams.patching import original, replace

_TERMINAL = [
    StatesErrorName(typ=StatesErrorNameType.StatesStatesDataLimitExceeded),
    StatesErrorName(typ=StatesErrorNameType.StatesRuntime),
]
_evaluate = original(ErrorEqualsDecl, "_eval_body")


@cache
def install() -> None:
    """Patch moto."""
    replace(ErrorEqualsDecl, "_eval_body", _match)


def _match(self: ErrorEqualsDecl, env: Environment) -> None:
    """Leave on the stack whether the error on it is one of these."""
    if env.stack[-1] in _TERMINAL and env.stack[-1] not in self.error_names:
        env.stack.pop()
        env.stack.append(False)
    else:
        _evaluate(self, env)
