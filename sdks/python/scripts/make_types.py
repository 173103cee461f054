"""Writes `roomwire/rest/types.py` from the description of the REST API, `/v1/openapi.json` of a server.

python scripts/make_types.py http://127.0.0.1:8080/v1/openapi.json [--check]
"""

from __future__ import annotations

import json
import keyword
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

TARGET = Path(__file__).parent.parent / "src/roomwire/rest/types.py"
WANTED = [
    *["App", "AppPage", "NewApp", "AppChanges", "AppDeleted", "Room", "RoomPage", "NewRoom", "RoomChanges"],
    *["RoomGrant", "RoomGrantPage", "NewRoomGrant", "Scope", "ScopePage", "NewScope", "ScopeChanges"],
    *["Actor", "ActorPage", "NewActor", "CreatedActor", "ActorChanges"],
    *["SigningKey", "SigningKeyPage", "NewSigningKey", "CreatedSigningKey", "SigningKeyChanges"],
    *["TokenRevocation", "TokenRevocationPage", "NewTokenRevocation", "ScheduledPublish", "ScheduledPublishPage"],
    *["NewMessage", "AcceptedMessage", "ScheduledMessage", "ProtocolError", "KeptMessage", "MessageHistory"],
    *["PresentActor", "PresencePage", "RoomOccupancy", "Occupancy", "JobGroup", "JobGroupPage", "NewJobGroup"],
    *["DeadLetter", "DeadLetterPage", "RedriveOutcome"],
]
NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
HEADER = '''"""The resources of the REST API, with the names that they have there. Made by `scripts/make_types.py`: do not edit."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired
'''


class Writer:
    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas
        self._written: dict[str, str] = {}

    def text(self) -> str:
        for name in WANTED:
            self._write(name, self._schemas[name])
        return "\n\n".join([HEADER, *self._written.values()]) + "\n"

    def _write(self, name: str, schema: dict[str, Any]) -> None:
        if name in self._written:
            return
        self._written[name] = ""
        required = schema.get("required", [])
        fields = {field: self._type_of(value, f"{name}{field[0].upper()}{field[1:]}") for field, value in schema["properties"].items()}
        typed = {field: type_ if field in required else f"NotRequired[{type_}]" for field, type_ in fields.items()}
        # What it refers to stands in front of it.
        del self._written[name]
        self._written[name] = as_call(name, typed) if any(map(keyword.iskeyword, typed)) else as_class(name, typed, schema)

    def _type_of(self, schema: dict[str, Any], name: str) -> str:
        if "$ref" in schema:
            referred = schema["$ref"].rsplit("/", 1)[1]
            self._write(referred, self._schemas[referred])
            return str(referred)
        if "const" in schema or "enum" in schema:
            values = schema.get("enum", [schema.get("const")])
            literals = ", ".join(map(repr, (value for value in values if value is not None)))
            return f"Literal[{literals}]{' | None' if None in values else ''}"
        for union in ("anyOf", "oneOf"):
            if union in schema and "properties" not in schema:
                return " | ".join(dict.fromkeys(self._type_of(one, name) for one in schema[union]))
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(self._kind(kind, schema, name) for kind in kinds) or "Any"

    def _kind(self, kind: str, schema: dict[str, Any], name: str) -> str:
        if kind == "array":
            return f"list[{self._type_of(schema['items'], name)}]"
        if kind != "object":
            return NAMES[kind]
        if "properties" in schema:
            self._write(name, schema)
            return name
        values = schema.get("additionalProperties")
        return f"dict[str, {self._type_of(values, name) if isinstance(values, dict) else 'Any'}]"


def as_class(name: str, fields: dict[str, str], schema: dict[str, Any]) -> str:
    doc = schema.get("description")
    lines = [f'    """{doc}"""', ""] if doc else []
    lines += [f"    {field}: {type_}" for field, type_ in fields.items()]
    return "\n".join([f"class {name}(TypedDict):", *(lines or ["    pass"])])


def as_call(name: str, fields: dict[str, str]) -> str:
    """For names of fields that are words of the language."""
    return "\n".join([f'{name} = TypedDict("{name}", {{', *(f'    "{field}": "{type_}",' for field, type_ in fields.items()), "})"])


def formatted(source: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "-q", "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def types_of(description: dict[str, Any]) -> str:
    return formatted(Writer(description["components"]["schemas"]).text())


def main(url: str, *options: str) -> None:
    description = json.loads(Path(url).read_text()) if not url.startswith("http") else httpx.get(url).raise_for_status().json()
    source = types_of(description)
    if "--check" in options:
        sys.exit(0 if TARGET.read_text() == source else f"{TARGET} is not what {url} says")
    TARGET.write_text(source)


if __name__ == "__main__":
    main(*sys.argv[1:])
