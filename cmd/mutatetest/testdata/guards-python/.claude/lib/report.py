"""Print what a hook decides."""

import json
import sys

PREFIX = "[guard]"
WIDTH = 120


def note(text):
    line = f"{PREFIX} {text}"
    if len(line) > WIDTH:
        line = line[: WIDTH - 3] + "..."
    print(line, file=sys.stderr)


def answer(event, **fields):
    json.dump({"hookSpecificOutput": {"hookEventName": event, **fields}}, sys.stdout)
    sys.stdout.write("\n")


def block(reason):
    json.dump({"decision": "block", "reason": reason}, sys.stdout)
    sys.stdout.write("\n")


def debug(value):
    sys.stderr.write(repr(value))
