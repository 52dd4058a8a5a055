#!/usr/bin/env python3
"""Denies commands that lose work: a forced push, a hard reset, a forced clean or branch
deletion, the recursive removal of anything outside the project, and writes to devices.

It reads commands with a shell parser (shfmt), so that a mention in a message, a comment or
a file is no command, and quotes, variables and other programs in between hide none. A command
whose program is known only when it runs is denied. It denies as well if it cannot decide:
without shfmt, for input that is not JSON, and for commands that do not parse."""
import json
import os
import re
import subprocess
import sys

SHELLS = {"sh", "bash", "dash", "zsh", "ksh"}
# Programs that start others, with their options that take a value.
STARTERS = {
    "sudo": "ughpCDRT", "doas": "uC", "env": "uCS", "command": "", "builtin": "", "exec": "a", "time": "fo", "nohup": "", "nice": "n", "timeout": "ks",
    "setsid": "", "stdbuf": "ioe", "xargs": "IEnLPsda", "ionice": "cnp", "chroot": "", "watch": "n", "unbuffer": "",
}
UNKNOWN = None  # a word that is known only when it is executed


class Denied(Exception):
    pass


def parse(text):
    run = subprocess.run(["shfmt", "--to-json"], input=text, capture_output=True, text=True, timeout=10)
    if run.returncode != 0:
        raise Denied("the command does not parse: " + run.stderr.strip())
    return json.loads(run.stdout)


def escapes(text):
    """The value of $'...'."""
    plain = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "e": "\x1b"}

    def one(m):
        s = m.group(1)
        if s[0] == "x" or s[0] in "uU":
            return chr(int(s[1:], 16))
        return chr(int(s, 8)) if s[0] in "01234567" else plain.get(s, "\\" + s)

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)", one, text, flags=re.S)


class Guard:
    def __init__(self, cwd, variables=None):
        self.dirs, self.project = {cwd}, cwd
        self.variables = variables or {"IFS": [" "], "HOME": [os.path.expanduser("~")], "PWD": [cwd], "@": [""]}

    def check(self, text):
        if "\x00" in text:
            raise Denied("the command has a NUL")
        self.visit(parse(text))

    def visit(self, node):
        """Visits every command in a tree, in the order of the text."""
        if isinstance(node, list):
            for item in node:
                self.visit(item)
        elif isinstance(node, dict):
            if node.get("Type") in ("CallExpr", "DeclClause"):
                self.assign(node)
            redirects = node.get("Redirs") or []
            for r in redirects:
                target = self.words([r.get("Word") or {"Parts": []}])
                if any(w and re.match(r"/dev/(sd|nvme|disk|hd|vd)", w) for w in target):
                    raise Denied("it writes to a device")
            inner = node.get("Cmd")
            if isinstance(inner, dict) and inner.get("Type") == "CallExpr" and inner.get("Args"):
                self.call(self.words(inner["Args"]), redirects)
            for value in node.values():
                self.visit(value)

    def assign(self, node):
        for a in (node.get("Assigns") or []) + (node.get("Args") or [] if node["Type"] == "DeclClause" else []):
            if not a.get("Name"):
                continue
            words = [e["Value"] for e in a["Array"].get("Elems") or []] if a.get("Array") else [a["Value"]] if a.get("Value") else []
            values = self.words(words, split=False)
            self.variables[a["Name"]["Value"]] = values or [""]

    def words(self, words, split=True):
        """The values of words; what an unquoted variable contains is split as the shell does."""
        out = []
        for w in words:
            texts = [""]
            for part in w.get("Parts") or []:
                more = self.part(part, split)
                if more is UNKNOWN or texts[-1] is UNKNOWN:
                    texts[-1] = UNKNOWN
                else:
                    texts = texts[:-1] + [texts[-1] + more[0]] + more[1:]
            if texts[0] and texts[0].startswith("~") and (w["Parts"][0].get("Type") == "Lit"):
                texts[0] = os.path.expanduser("~") + texts[0][1:] if texts[0][1:2] in ("", "/") else UNKNOWN
            out += texts
        return out

    def part(self, part, split):
        kind = part.get("Type")
        if kind == "Lit":
            text = part.get("Value", "")
            if re.search(r"\{[^}]*(,|\.\.)[^}]*\}", text) and split:
                return UNKNOWN
            return [re.sub(r"\\(.)", r"\1", text.replace("\\\n", ""), flags=re.S)]
        if kind == "SglQuoted":
            return [escapes(part.get("Value", "")) if part.get("Dollar") else part.get("Value", "")]
        if kind == "DblQuoted":
            text = ""
            for p in part.get("Parts") or []:
                value = self.part(p, False)
                if value is UNKNOWN:
                    return UNKNOWN
                if p.get("Type") == "ParamExp" and p.get("Index") and len(part["Parts"]) == 1:
                    return value  # "${x[@]}"
                text += " ".join(value)
            return [text]
        if kind == "ParamExp":
            values = self.variables.get(part["Param"]["Value"])
            other = part.get("Exp")
            if values is None and other and other.get("Word"):
                values = self.words([other["Word"]], False)
            elif other or part.get("Repl") or part.get("Slice") or part.get("Excl") or part.get("Length"):
                return UNKNOWN
            if values is None or UNKNOWN in values:
                return UNKNOWN
            if not split:
                return values
            fields = re.split(r"\s+", " ".join(values))
            return fields
        return UNKNOWN  # a substitution

    def call(self, words, redirects=()):
        """Judges one call. A word that is known only when it is executed is None."""
        words = words[next((i for i, w in enumerate(words) if w != ""), 0):]
        if not words:
            return
        if words[0] is UNKNOWN or re.search(r"[*?\[]", words[0]) and words[0] != "[":
            raise Denied("its program is known only when it runs")
        name, args = os.path.basename(words[0]), words[1:]
        if name in STARTERS:
            self.started(name, args)
        elif name in SHELLS or name in ("source", "."):
            self.shell(name, args, redirects)
        elif name == "eval":
            self.again(args)
        elif name == "trap" and args:
            self.again(args[:1])
        elif name == "alias":
            for a in args:
                self.again([a if a is UNKNOWN else a.partition("=")[2]])
        elif name == "find":
            for i, a in enumerate(args):
                if a in ("-exec", "-execdir", "-ok", "-okdir"):
                    self.call([w for w in args[i + 1:] if w not in (";", "+")])
        elif name in ("cd", "pushd"):
            self.dirs |= {UNKNOWN if d is UNKNOWN or not args or args[-1] is UNKNOWN else os.path.normpath(os.path.join(d, args[-1])) for d in self.dirs}
        elif name == "git":
            self.git(args)
        elif name in ("rm", "rmdir"):
            self.rm(args)
        elif name.startswith("mkfs") or name == "dd" and any(a is UNKNOWN or a.startswith("of=/dev/") and a != "of=/dev/null" for a in args):
            raise Denied(name + " writes to a device")

    def again(self, words):
        if UNKNOWN in words:
            raise Denied("a part of it is known only when it runs")
        inner = Guard(self.project, self.variables)
        inner.dirs = self.dirs
        inner.check(" ".join(words))

    def started(self, name, args):
        i = 0
        while i < len(args):
            a = args[i]
            if a is UNKNOWN:
                break
            if name == "env" and a in ("-S", "--split-string"):
                return self.again(args[i + 1:])
            if name == "env" and a.startswith("-S"):
                return self.again([a[2:]] + args[i + 1:])
            if a == "--":
                i += 1
                break
            if a.startswith("-") and len(a) > 1:
                if a[1] != "-" and a[-1] in STARTERS[name]:
                    i += 1
            elif not (re.match(r"\w+=", a) or name == "timeout" and re.match(r"[\d.]+[smhd]?$", a)):
                break
            i += 1
        self.call(args[i:] + ([UNKNOWN] if name == "xargs" and i < len(args) else []))

    def shell(self, name, args, redirects):
        for i, a in enumerate(args):
            if a is UNKNOWN:
                raise Denied("what a shell executes is known only when it runs")
            if name in SHELLS and re.match(r"-\w*c$", a):
                return self.again(args[i + 1:i + 2])
            if not a.startswith("-"):
                if a.startswith("/dev/") or not os.path.exists(os.path.join(self.project, a)):
                    break
                return
        if args[:1] in (["--version"], ["--help"]):
            return
        for r in redirects:
            word = r.get("Hdoc") or r.get("Word")
            if word and word.get("Parts") and (r.get("Hdoc") or len(redirects) == 1):
                return self.again(self.words([word], split=False))
        raise Denied("a shell executes what another program prints or writes")

    def git(self, args):
        while args and args[0] is not UNKNOWN and args[0].startswith("-"):
            value = args[0] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
            if args[0] in ("-c", "--config-env") and (len(args) < 2 or args[1] is UNKNOWN or args[1].lower().startswith("alias.")):
                raise Denied("it defines an alias of git")
            args = args[2 if value else 1:]
        if not args:
            return
        sub, args = args[0], args[1:]
        if sub is UNKNOWN:
            raise Denied("the command of git is known only when it runs")
        long = [a for a in args if a and a.startswith("--")]
        short = "".join(a[1:] for a in args if a and re.match(r"-\w", a))
        has = lambda letter, name: letter in short or any(name.startswith(a) and len(a) > 4 for a in long)
        unknown = UNKNOWN in args
        if sub == "push" and (unknown or has("f", "--force") or "--mirror" in long or any(a and a.startswith("+") for a in args)):
            raise Denied("a forced push rewrites what others have: use --force-with-lease")
        if sub == "reset" and (unknown or any("--hard".startswith(a) and len(a) > 2 for a in long)):
            raise Denied("git reset --hard loses changes: git stash keeps them")
        if sub == "clean" and (unknown or has("f", "--force")):
            raise Denied("git clean -f deletes files for good: git clean -n lists them")
        if sub == "branch" and (unknown or "D" in short or has("d", "--delete") and has("f", "--force")):
            raise Denied("git branch -D forgets commits: git branch -d does not")

    def rm(self, args):
        end = args.index("--") if "--" in args else len(args)
        options = [a for a in args[:end] if a and a.startswith("-")]
        if UNKNOWN not in args and not any(a.startswith("--") and "--recursive".startswith(a) or a[1:2] != "-" and set(a) & {"r", "R"} for a in options):
            return
        for a in args[:end] + args[end + 1:]:
            if a in options:
                continue
            for d in self.dirs:
                at = UNKNOWN if a is UNKNOWN or d is UNKNOWN else os.path.normpath(os.path.join(d, a))
                inside = at is not UNKNOWN and any(at.startswith(p + "/") and not re.match(re.escape(p) + r"/[*.]*$", at) for p in (self.project, "/tmp"))
                if not inside:
                    raise Denied("rm -r of something outside the project")


def main():
    try:
        payload = json.load(sys.stdin)
        tool = payload["tool_input"]
        Guard(os.path.normpath(payload.get("cwd") or os.getcwd())).check(tool["command"])
    except Denied as e:
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": str(e)}}))
    except FileNotFoundError:
        sys.exit("guard_commands.py needs shfmt (apt install shfmt, brew install shfmt)")


if __name__ == "__main__":
    try:
        main()
    except BaseException as e:  # whatever fails denies: exit code 2
        if not (isinstance(e, SystemExit) and e.code in (0, None)):
            print(f"guard_commands.py could not decide: {e}", file=sys.stderr)
            sys.exit(2)
