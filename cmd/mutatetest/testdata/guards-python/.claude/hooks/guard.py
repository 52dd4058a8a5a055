#!/usr/bin/env python3
"""Deny commands and paths that a project does not want an agent to touch."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))

from report import answer, note  # noqa: E402
from words import Command, commands, unquote  # noqa: E402

RULES = Path(__file__).resolve().parent.parent / "rules" / "guard.json"

DANGEROUS = [
    (re.compile(r"^(mkfs(\.\w+)?|fdisk|parted)$"), "it formats a disk"),
    (re.compile(r"^(shutdown|reboot|halt|poweroff)$"), "it stops the machine"),
    (re.compile(r"^(useradd|userdel|passwd)$"), "it changes accounts"),
]

DOWNLOADERS = {"curl", "wget", "fetch"}
SHELLS = frozenset(["sh", "bash", "zsh", "dash"])
WRAPPERS = ("sudo", "nohup", "time", "env")
FORCE = re.compile(r"^(-f|--force|--force-with-lease(=.*)?)$")
RECURSIVE = re.compile(r"^-[a-zA-Z]*[rR][a-zA-Z]*$")
ASSIGNMENT = re.compile(r"^\w+=")
LONGEST = 20 * 1000

MANAGERS = {
    "npm": "pnpm",
    "yarn": "pnpm",
    "pip": "uv pip",
    "pip3": "uv pip",
    "poetry": "uv",
}

READERS = ["cat", "less", "head", "tail", "grep"]


class Failed(Exception):
    """An input that the hook cannot judge."""


@dataclass
class Rules:
    branches: list[str] = field(default_factory=lambda: ["main"])
    protected: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=lambda: [".env"])
    ports: list[int] = field(default_factory=list)

    @classmethod
    def load(cls) -> Rules:
        try:
            data = json.loads(RULES.read_text())
        except (OSError, ValueError) as error:
            note(f"rules cannot be read: {type(error).__name__}")
            return cls()
        return cls(**{k: v for k, v in data.items() if k in cls.__dataclass_fields__})

    def secret(self, path: str) -> bool:
        name = os.path.basename(path)
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.secrets)


@dataclass(frozen=True)
class Verdict:
    decision: str = "allow"
    why: str = ""

    ORDER = ("allow", "ask", "deny")

    def __or__(self, other: Verdict) -> Verdict:
        if self.ORDER.index(other.decision) > self.ORDER.index(self.decision):
            return other
        return self

    @property
    def silent(self) -> bool:
        return self.decision == "allow" and not self.why


def allow() -> Verdict:
    return Verdict()


def ask(why: str) -> Verdict:
    return Verdict("ask", why)


def deny(why: str) -> Verdict:
    return Verdict("deny", why)


def unwrap(words: list[str]) -> list[str]:
    """Drop programs that only run another one, with their options and assignments."""
    rest = list(words)
    while len(rest) > 1:
        first = os.path.basename(rest[0])
        if ASSIGNMENT.match(first):
            rest.pop(0)
        elif first in WRAPPERS:
            rest.pop(0)
            while rest and rest[0].startswith("-"):
                rest.pop(0)
        else:
            break
    return rest


def check_remove(args: list[str]) -> Verdict:
    targets = [unquote(a) for a in args if not a.startswith("-")]
    if not any(RECURSIVE.match(a) or a == "--recursive" for a in args):
        return allow()
    for target in targets:
        if target in ("/", "~", "$HOME", "*"):
            return deny(f"rm -r of {target}")
        if os.path.normpath(target).startswith(".."):
            return ask(f"rm -r outside the project: {target}")
    return allow()


def check_push(rest: list[str], rules: Rules) -> Verdict:
    names = [a for a in rest if not a.startswith("-")]
    branch = names[1] if len(names) > 1 else None
    if not any(FORCE.match(a) for a in rest):
        return allow()
    if branch is None or branch in rules.branches:
        return deny(f"a forced push to {branch or 'the default branch'}")
    return ask(f"a forced push to {branch}")


def check_git(args: list[str], rules: Rules) -> Verdict:
    args = [a for a in args if a != "--no-pager"]
    sub, rest = (args[0], args[1:]) if args else ("", [])
    if sub == "push":
        return check_push(rest, rules)
    elif sub == "reset":
        if "--hard" in rest:
            return ask("git reset --hard loses changes")
    elif sub == "clean":
        if any(re.match(r"^-[a-z]*f", a) for a in rest):
            return ask("git clean deletes files")
    elif sub == "commit":
        if "--no-verify" in rest or "-n" in rest:
            return deny("a commit without its hooks")
    return allow()


def numbers(args: list[str]) -> Iterator[int]:
    for arg in args:
        for digits in re.findall(r"\d+", arg):
            yield int(digits)


def check_ports(args: list[str], rules: Rules) -> Verdict:
    hit = next((n for n in numbers(args) if n in rules.ports), None)
    return ask(f"port {hit} belongs to a service") if hit else allow()


def check_pipe(parts: list[Command]) -> Verdict:
    for before, after in zip(parts, parts[1:]):
        if not after.piped:
            continue
        source, sink = unwrap(before.words)[0], unwrap(after.words)[0]
        if os.path.basename(source) in DOWNLOADERS and os.path.basename(sink) in SHELLS:
            return deny(f"{source} is piped into {sink}")
    return allow()


@lru_cache(maxsize=None)
def danger(program: str) -> Optional[str]:
    for pattern, why in DANGEROUS:
        if pattern.match(program):
            return why
    return None


def check_words(words: list[str], rules: Rules) -> Verdict:
    name, *args = unwrap(words)
    program = os.path.basename(name)
    why = danger(program)
    if why:
        return deny(f"{program}: {why}")
    if program in MANAGERS:
        return deny(f"use {MANAGERS[program]} instead of {program}")
    if program == "rm":
        return check_remove(args)
    if program == "git":
        return check_git(args, rules)
    if program in ("nc", "ncat"):
        return check_ports(args, rules)
    if program == "chmod" and any(re.match(r"^0?777$", a) for a in args):
        return ask("chmod 777 opens files to everyone")
    if program in READERS:
        for arg in args:
            if rules.secret(unquote(arg)):
                return deny(f"{arg} holds secrets")
    return allow()


def check_command(text: str, rules: Rules) -> Verdict:
    if len(text) > LONGEST:
        raise Failed("the command is too long")
    parts = list(commands(text))
    verdict = check_pipe(parts)
    for part in parts:
        verdict |= check_words(part.words, rules)
    return verdict


def check_path(path: str, tool: str, rules: Rules) -> Verdict:
    if not path:
        raise Failed("no path")
    root = os.environ.get("CLAUDE_PROJECT_DIR", os.getcwd())
    inside = os.path.relpath(path, root) if os.path.isabs(path) else path
    if rules.secret(path):
        return deny(f"{os.path.basename(path)} holds secrets")
    if tool == "Read":
        return allow()
    for pattern in rules.protected:
        if fnmatch.fnmatch(inside, pattern) or fnmatch.fnmatch(os.path.basename(path), pattern):
            return ask(f"{pattern} is protected")
    return allow()


def judge(event: dict[str, Any]) -> Verdict:
    rules = Rules.load()
    tool = event.get("tool_name", "")
    given = event.get("tool_input") or {}
    if tool == "Bash":
        return check_command(given.get("command", ""), rules)
    try:
        return check_path(given["file_path"], tool, rules)
    except KeyError:
        raise Failed(f"{tool} without a path") from None


def main() -> int:
    try:
        event = json.load(sys.stdin)
        verdict = judge(event)
    except Failed as error:
        note(str(error))
        return 1
    except ValueError:
        note("the input is no JSON")
        return 1
    finally:
        sys.stderr.flush()
    if verdict.silent:
        return 0
    if verdict.decision == "deny":
        note(verdict.why)
        return 2
    answer("PreToolUse", permissionDecision=verdict.decision, permissionDecisionReason=verdict.why)
    return 0


if __name__ == "__main__":
    sys.exit(main())
