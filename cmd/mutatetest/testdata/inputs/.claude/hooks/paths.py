"""Deny writes below directories that a JSON file lists."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KIND = "paths"

with open(os.path.join(HERE, "..", "rules", KIND + ".json"), encoding="utf-8") as f:
    RULES = json.load(f)

payload = json.load(sys.stdin)
path = payload.get("tool_input", {}).get("file_path", "")
for rule in RULES["protected"]:
    if rule["prefix"] in path:
        print(rule["reason"], file=sys.stderr)
        sys.exit(2)
if path.endswith(tuple(RULES["asked"])):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                                             "permissionDecisionReason": RULES["question"]}}))
