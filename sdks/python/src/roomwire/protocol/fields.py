"""Reads the fields of decoded maps. Raises `TypeError` for what is missing or of a wrong type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

Fields = Mapping[Any, Any]
T = TypeVar("T")


def map_of(value: object, name: str) -> Fields:
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be a map")
    return value


def list_of(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{name} must be an array")
    return value


def optional(fields: Fields, name: str, kind: type[T]) -> T | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be of type {kind.__name__}")
    return value


def text(fields: Fields, name: str) -> str:
    value = optional(fields, name, str)
    if value is None:
        raise TypeError(f"{name} is missing")
    return value


def number(fields: Fields, name: str, default: int = 0) -> int:
    """Whole, as all numbers of the protocol are; they may come as floats."""
    value = fields.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number")
    return int(value)
