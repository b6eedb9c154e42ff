import pytest
from fastmcp.exceptions import ToolError

from functions.servers.calculator.main import MAX_LENGTH, calculate, evaluate


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("234*97", 22698),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("7 // 2 - 7 % 4", 0),
        ("+1.5e3 / 2", 750.0),
        ("  3 - 4  ", -1),
        ("1 ** 999999999999", 1),
        ("(-1) ** 999999999999", -1),
        ("10 ** 900 % 7", 1),
    ],
)
def test_operators_have_the_precedence_of_python(expression: str, result: float) -> None:
    assert calculate(expression) == result


def test_result_contains_operation_and_expression() -> None:
    assert evaluate("234*97") == {"results": {"operation": "evaluate", "expression": "234*97", "result": 22698}}


@pytest.mark.parametrize("expression", ["1/0", "1 // 0", "1 % 0", "0 ** -1", "1 / (2 - 2)"])
def test_division_by_zero_raises(expression: str) -> None:
    with pytest.raises(ToolError, match="divides by zero"):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        "(-9)**9**9",
        "10**999 * 10**999",
        "9**9**9**9**9",
        "1e308 * 10",
        "1e999",
        "10**900 / 3.5",
        "10.0 ** 400",
    ],
)
def test_too_large_numbers_raise(expression: str) -> None:
    with pytest.raises(ToolError, match="too large"):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    ["__import__('os')", "x", "'a' * 9", "True + 1", "1j", "[1]", "1 < 2", "1 if 1 else 2", "~1", "1 << 9", "..."],
)
def test_anything_but_arithmetic_raises(expression: str) -> None:
    with pytest.raises(ToolError, match=r"Only numbers, parentheses and"):
        calculate(expression)


@pytest.mark.parametrize("expression", ["", "  ", "1 +", "(1", "1; 2", "x = 1", "1\0", "(" * 240 + "1" + ")" * 240])
def test_invalid_expression_raises(expression: str) -> None:
    with pytest.raises(ToolError, match="is not an arithmetic expression"):
        calculate(expression)


def test_roots_of_negative_numbers_raise() -> None:
    with pytest.raises(ToolError, match="not a real number"):
        calculate("(-8) ** 0.5")


def test_longest_and_deepest_expression_is_evaluated() -> None:
    assert calculate("-" * (MAX_LENGTH - 1) + "1") == -1


def test_longer_expression_raises() -> None:
    with pytest.raises(ToolError, match="501 characters long"):
        calculate("1" * (MAX_LENGTH + 1))
