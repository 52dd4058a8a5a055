#!/usr/bin/env python3
"""Denies commands that lose work: the removal of anything outside the project, and what makes git
overwrite or delete a branch of the remote, or forget edits, new files and commits.

It reads commands with a shell parser (shfmt), so that a mention in a message, a comment or a file
is no command, and quotes, variables, functions and other programs in between hide none. It follows
three rules:

- What a word contains is known, or the word is UNKNOWN; UNKNOWN is denied wherever it decides.
- What starts a program is followed to that program, and judged as if it had been called directly.
- The text of an interpreter is not understood. It is denied if it names a call that is denied, or
  if it names both a way to remove files and something outside the project.

It denies as well if it cannot decide: without shfmt, for input that is not JSON, and for commands
that do not parse."""
import fnmatch
import itertools
import json
import os
import re
import shlex
import subprocess
import sys

UNKNOWN = None  # a word, or what a program reads, that is known only when the command is executed

SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "source", "."}
# Programs that start another: their options that take a value, and the operands before the program.
STARTERS = {
    "sudo": ("ughpCDRT", 0), "doas": ("uC", 0), "env": ("uCS", 0), "command": ("", 0), "builtin": ("", 0), "exec": ("a", 0),
    "time": ("fo", 0), "nohup": ("", 0), "nice": ("n", 0), "ionice": ("cnp", 0), "timeout": ("ks", 1), "setsid": ("", 0),
    "stdbuf": ("ioe", 0), "flock": ("wE", 1), "chroot": ("", 1), "taskset": ("", 1), "unbuffer": ("", 0), "strace": ("eopu", 0),
    "busybox": ("", 0), "watch": ("n", 0), "xargs": ("IEnLPsda", 0), "parallel": ("jIS", 0),
}
# Programs that execute a text among their words, or from their standard input.
INTERPRETER = re.compile(r"(python|pypy|perl|node|ruby|php|lua|tclsh|osascript|[gmn]?awk|ed|ex|n?vim?|view|emacs)[\d.]*$")
WITHOUT_OPTION = re.compile(r"[gmn]?awk|ed|ex|n?vim?|view|emacs")  # the text needs none
BUILDERS = {"make", "gmake", "just", "npm", "npx", "pnpm", "yarn", "rake"}  # read files that their words do not name

# Programs that remove what they name, with the options without which they do not.
LOSERS = {
    "rm": (), "rmdir": (), "unlink": (), "shred": (), "truncate": (), "rename": (), "mv": (), "gzip": (), "bzip2": (), "xz": (),
    "zip": ("m", "--move"), "tar": ("", "--remove-files"), "rsync": ("", "--delete-after", "--remove-source-files"), "ln": ("f", "--force"),
}
KEEPING = {"gzip": "kclt", "bzip2": "kct", "xz": "kclt"}
# Words by which a text removes files.
REMOVES = re.compile(r"(?<![A-Za-z])(rm|rmtree|rmdir|removedirs|remove|unlink|delete|rename|renames|move|truncate|rimraf)(?![a-z])")
ELSEWHERE = re.compile(r"HOME|homedir|\.home\b")  # by which a text names files that it does not spell

EXECUTES = re.compile(r"(^|[;{}\s\d$/])e\s|/[gipIM\d]*e[gipIM\d]*\s*($|;)")  # a script of sed

CONDITIONAL = {"IfClause", "CaseClause", "WhileClause", "BinaryCmd", "Subshell", "CmdSubst", "ProcSubst"}  # may not be executed
BRACES = re.compile(r"([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)")

# Options with which a command of git loses something: letters, names, and what to do instead.
GIT = {
    "push": ("fd", ("--force", "--mirror", "--delete", "--prune"), "a forced push rewrites what others have: use --force-with-lease"),
    "send-pack": ("f", ("--force", "--mirror"), "a forced push rewrites what others have: use --force-with-lease"),
    "remote": ("", ("--mirror",), "a mirror overwrites every branch"),
    "reset": ("", ("--hard", "--merge"), "git reset --hard loses changes: git stash keeps them"),
    "checkout": ("fB", ("--force",), "it discards changes: git stash keeps them"),
    "switch": ("fC", ("--force", "--force-create", "--discard-changes"), "it discards changes: git stash keeps them"),
    "branch": ("DMCf", ("--force",), "git branch -D forgets commits: git branch -d does not"),
    "rm": ("f", ("--force",), "it deletes changes: git rm without -f does not"),
    "worktree": ("f", ("--force",), "it deletes changes: git worktree without -f does not"),
    "checkout-index": ("f", ("--force",), "it overwrites changes: git stash keeps them"),
    "read-tree": ("u", ("--reset",), "it overwrites changes: git stash keeps them"),
    "apply": ("R", ("--reverse",), "it takes changes back: git stash keeps them"),
    "gc": ("", ("--prune",), "it forgets commits"),
}
# Commands of git that lose something with any options, or with this operand.
PLUMBING = {
    "update-ref": None, "filter-branch": None, "filter-repo": None, "fast-import": None, "prune": None,
    "stash": {"drop", "clear"}, "reflog": {"expire", "delete"},
}
# What commands print that are usual in substitutions; {} is the directory.
PRINTS = {
    "pwd": "{}", "git rev-parse --show-toplevel": "{}", "git branch --show-current": "HEAD", "git rev-parse --abbrev-ref HEAD": "HEAD", "mktemp": "/tmp/new", "mktemp -d": "/tmp/new",
}


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


def operands(args):
    end = args.index("--") if "--" in args else len(args)
    return [a for a in args[:end] if a is UNKNOWN or a == "-" or not a.startswith("-")] + args[end + 1:]


def has(args, letters, *names):
    """Whether an option is given: a letter, alone or among others, or a long name, which may be abbreviated."""
    options = [a for a in itertools.takewhile(lambda a: a != "--", args) if a and re.match(r"-.", a)]
    short = "".join(a[1:] for a in options if a[1] != "-")
    long = [a.partition("=")[0] for a in options if a.startswith("--")]
    return bool(set(letters) & set(short)) or any(name.startswith(a) for a in long for name in names if len(a) > 2)


def is_risky_setting(key):
    """Whether a setting of git changes what its commands do, as an alias does."""
    key = key.partition("=")[0].lower()
    return key.startswith(("alias.", "include", "clean.requireforce")) or re.match(r"remote\..*\.(push|mirror)$", key)


class Guard:
    def __init__(self, cwd, project):
        home = os.path.expanduser("~")
        self.project, self.home, self.temporary = os.path.realpath(project), os.path.realpath(home), os.path.realpath("/tmp")
        self.dirs, self.former = {cwd}, set()  # where it may be; where it still is if the last cd failed
        self.variables = {"IFS": [" "], "HOME": [home], "OLDPWD": [cwd], "@": [""], "*": [""]}
        self.functions, self.aliases = {}, {}
        self.links = set()  # made by the command
        self.written = {}  # names of files that the command writes, with their text
        self.targets = set()  # files that the present call is redirected to
        self.depth = 0
        self.source = b""

    def check(self, text):
        if "\x00" in text:
            raise Denied("the command has a NUL")
        if self.depth > 20:
            raise Denied("it calls itself")
        outer, self.source, self.depth = self.source, text.encode(), self.depth + 1
        self.visit(parse(text))
        self.source, self.depth = outer, self.depth - 1

    def again(self, words, arguments=()):
        """Judges a text that a shell executes, with its own arguments."""
        if UNKNOWN in words:
            raise Denied("a part of it is known only when it runs")
        self.inside(arguments, lambda: self.check(" ".join(words)))

    def inside(self, arguments, judge):
        """Judges with $1, $2 and so on in place of those outside."""
        outer = self.variables
        self.variables = {k: v for k, v in outer.items() if not k.isdigit()} | {str(i + 1): [a] for i, a in enumerate(arguments)}
        self.variables["@"] = self.variables["*"] = list(arguments) or [""]
        judge()
        self.variables = {k: v for k, v in self.variables.items() if not k.isdigit()} | {k: v for k, v in outer.items() if k.isdigit() or k in "@*"}

    # Reading: what a command calls, in the order of the text.

    def visit(self, node, stdin="", chained=False):
        if isinstance(node, list):
            for item in node:
                self.visit(item, stdin)
        if not isinstance(node, dict):
            return
        kind, before = node.get("Type"), dict(self.variables)
        if kind == "FuncDecl":
            self.functions.setdefault(node["Name"]["Value"], []).append((node["Body"], self.source))  # it is judged where it is called
        elif kind == "BinaryCmd" and self.operator(node) in ("|", "|&"):
            self.visit(node["X"], stdin)
            self.visit(node["Y"], self.printed(node["X"]))
        elif kind == "BinaryCmd" and self.operator(node) == "&&":
            self.visit(node["X"], stdin, chained=True)
            self.visit(node["Y"], stdin, chained=True)
        elif kind == "ForClause" and node["Loop"].get("Type") == "WordIter":
            for item in self.words(node["Loop"].get("Items") or []) or [UNKNOWN]:
                self.variables[node["Loop"]["Name"]["Value"]] = [item]
                self.visit(node["Do"], stdin)
            self.visit(node["Loop"])
        else:
            inner = node.get("Cmd") or {}
            if inner.get("Type") in ("CallExpr", "DeclClause"):
                self.assign(inner)
            stdin = self.redirect(node.get("Redirs") or [], inner, stdin)
            if inner.get("Type") == "CallExpr" and inner.get("Args"):
                self.call(self.words(inner["Args"]), stdin)
            for value in node.values():
                self.visit(value, stdin, chained)
            if inner and not chained:
                self.dirs = self.dirs | self.former  # the last cd may have failed
        if kind in CONDITIONAL and not (chained and self.operator(node) == "&&") or node.get("Background"):
            self.variables |= {name: [UNKNOWN] for name, value in self.variables.items() if value != before.get(name)}

    def operator(self, node):
        """The operator of a pipe or a redirection. Its number differs between versions of shfmt."""
        at = node["OpPos"]["Offset"] if "OpPos" in node else len(self.source)
        return re.match(rb"[|&<>-]*", self.source[at:at + 3]).group().decode()

    def redirect(self, redirects, inner, stdin):
        """Judges what is written, and returns what is read."""
        self.targets = {p for r in redirects if ">" in self.operator(r) for w in self.words([r["Word"]]) for p in self.places(w)}
        for r in redirects:
            op, word = self.operator(r), r.get("Hdoc") or r.get("Word") or {"Parts": []}
            if op.startswith("<<"):
                stdin = (self.words([word], split=False) + [""])[0]
                continue
            for target in self.words([word]):
                if op == "<":
                    stdin = self.written.get(os.path.basename(target or ""), "" if self.exists(target) else UNKNOWN)
                elif ">" in op and target and not target.isdigit():
                    self.writes(target, op)
                    here = [r for r in redirects if self.operator(r).startswith("<<")]
                    self.wrote(target, self.printed({"Cmd": inner, "Redirs": here}, stdin))
        return stdin

    def wrote(self, file, text):
        name = os.path.basename(file)
        former = self.written.get(name, "")
        self.written[name] = UNKNOWN if UNKNOWN in (text, former) else former + text + "\n"

    def printed(self, node, stdin=""):
        """What a call prints, if its words tell it."""
        inner = node.get("Cmd") or {}
        if inner.get("Type") != "CallExpr" or not inner.get("Args"):
            return UNKNOWN
        words = self.words(inner["Args"])
        if UNKNOWN in words:
            return UNKNOWN
        name, args = os.path.basename(words[0]), words[1:]
        if name == "echo":
            options = list(itertools.takewhile(lambda a: re.match(r"-[neE]+$", a), args))
            text = " ".join(args[len(options):])
            return escapes(text) if any("e" in o for o in options) else text
        if name == "printf" and args and not args[0].startswith("-") and not re.search(r"%[^s%]", args[0]):
            form, rest = escapes(args[0]), args[1:] or [""]
            slots = max(len(re.findall("%s", form)), 1)
            return "".join(re.sub("%s", lambda m, v=iter(rest[i:i + slots]): next(v, ""), form) for i in range(0, len(rest), slots)).replace("%%", "%")
        if name in ("which", "realpath") or words[:2] in (["command", "-v"], ["readlink", "-f"]):
            return words[-1]
        here = [r["Hdoc"] if r.get("Hdoc") else r.get("Word") for r in node.get("Redirs") or [] if self.operator(r).startswith("<<")]
        if name == "cat" and not args:
            return self.words(here[-1:], split=False)[0] if here else stdin or UNKNOWN
        text = PRINTS.get(" ".join(words))
        return text and self.here() and text.format(self.here())

    def assign(self, node):
        for a in (node.get("Assigns") or []) + (node.get("Args") or [] if node["Type"] == "DeclClause" else []):
            if not a.get("Name"):
                continue
            words = [e["Value"] for e in a["Array"].get("Elems") or []] if a.get("Array") else [a["Value"]] if a.get("Value") else []
            name, values = a["Name"]["Value"], self.words(words, split=False) or [""]
            self.setting(name, values[0])
            if node["Type"] == "DeclClause" or not node.get("Args"):
                self.variables[name] = values
            elif name != "IFS":  # it is set for one program
                self.variables[name] = [UNKNOWN]

    def setting(self, name, value):
        if name.startswith("GIT_CONFIG") and not re.fullmatch(r"\d+|/dev/null", value or ""):
            raise Denied("it changes the configuration of git")

    def words(self, words, split=True):
        """The values of words; what an unquoted variable contains is split as the shell does."""
        out = []
        for w in words:
            texts, alternatives = [""], BRACES.fullmatch(w["Parts"][0].get("Value", "") if split and len(w.get("Parts") or []) == 1 else "")
            if alternatives:
                out += [alternatives[1] + a + alternatives[3] for a in alternatives[2].split(",")]
                continue
            for part in w.get("Parts") or []:
                more = self.part(part, split)
                if more is UNKNOWN or texts[-1] is UNKNOWN:
                    texts[-1] = UNKNOWN
                else:
                    texts = texts[:-1] + [UNKNOWN if more[0] is UNKNOWN else texts[-1] + more[0]] + more[1:]
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
                whole = len(part["Parts"]) == 1 and p.get("Type") == "ParamExp" and (p.get("Index") or p["Param"]["Value"] == "@")
                if value is UNKNOWN or whole:
                    return value  # "${x[@]}" and "$@" are several words
                if UNKNOWN in value:
                    return UNKNOWN
                text += re.sub(r"\\([\\\"$`])", r"\1", p["Value"].replace("\\\n", "")) if p.get("Type") == "Lit" else " ".join(value)
            return [text]
        if kind == "ParamExp":
            values = [self.here()] if part["Param"]["Value"] == "PWD" else self.variables.get(part["Param"]["Value"])
            other = part.get("Exp")
            if values is None and other and other.get("Word"):
                values = self.words([other["Word"]], False)
            elif other or part.get("Repl") or part.get("Slice") or part.get("Excl") or part.get("Length"):
                return UNKNOWN
            if values is None or split and self.variables["IFS"] != [" "]:
                return UNKNOWN
            return values if not split or UNKNOWN in values else re.split(r"\s+", " ".join(values))
        if kind == "CmdSubst" and len(part.get("Stmts") or []) == 1:
            text = self.printed(part["Stmts"][0])
            return text if text is UNKNOWN else re.split(r"\s+", text.rstrip("\n")) if split else [text.rstrip("\n")]
        return UNKNOWN  # another substitution

    # Judging: what a call does.

    def call(self, words, stdin=""):
        """Judges one call. A word that is known only when it is executed is None."""
        words = words[next((i for i, w in enumerate(words) if w != ""), 0):]
        if not words:
            return
        if words[0] is UNKNOWN or re.search(r"[*?\[]", words[0]) and words[0] not in ("[", "[["):
            raise Denied("its program is known only when it runs")
        name, args = os.path.basename(words[0]), words[1:]
        if name in self.functions:
            self.function(name, args)
        if name in self.aliases:
            value = self.aliases.pop(name)
            self.again([value] + [a and shlex.quote(a) for a in args])
            self.aliases[name] = value
        elif name in STARTERS:
            self.started(name, args, stdin)
        elif name in SHELLS:
            self.shell(name, args, stdin)
        elif name == "eval":
            self.again(args)
        elif name in ("script", "su", "runuser"):
            self.again([b for a, b in zip(args, args[1:]) if a and re.match(r"-\w*c$|--command$", a)])
        elif name == "trap" and args:
            self.again(args[:1])
        elif name == "alias":
            self.aliases |= {a.partition("=")[0]: a.partition("=")[2] for a in args if a}
        elif name in ("read", "mapfile", "readarray", "getopts", "unset", "let") or name == "printf" and args[:1] == ["-v"]:
            self.variables |= {a: [UNKNOWN] for a in args if a in self.variables}
        elif name == "set":
            self.variables["@"] = self.variables["*"] = [UNKNOWN]
        elif name in ("cd", "pushd"):
            self.enter(operands(args)[-1] if operands(args) else self.home)
        elif name == "find":
            self.find(args)
        elif name == "git":
            self.git(args)
        elif name in LOSERS:
            self.lose(name, args)
        elif name in ("tee", "dd", "cp", "sponge"):
            self.copies(name, args, stdin)
        elif INTERPRETER.match(name):
            self.interpreter(name, args, stdin)
        elif name == "sed" and any(EXECUTES.search(a or "") for a in args):
            self.program(" ".join(a for a in args if a).replace("\\/", "/"))
        else:
            self.script([words[0]], all_files=name in BUILDERS)
        if name in ("cp", "mv", "ln", "install"):
            self.renames(operands(args))
        if name.startswith("mkfs"):
            raise Denied(name + " writes to a device")

    def function(self, name, args):
        if self.depth > 20:
            raise Denied("it calls itself")
        for body, source in list(self.functions[name]):
            outer, self.source, self.depth = self.source, source, self.depth + 1
            self.inside(args, lambda: self.visit(body))
            self.source, self.depth = outer, self.depth - 1

    def here(self):
        return min(self.dirs) if len(self.dirs) == 1 else UNKNOWN

    def enter(self, directory):
        self.variables["OLDPWD"] = [self.here()]
        self.former |= self.dirs
        self.dirs = {UNKNOWN if UNKNOWN in (d, directory) else os.path.normpath(os.path.join(d, directory)) for d in self.dirs}

    def started(self, name, args, stdin):
        letters, before = STARTERS[name]
        i, replaced = 0, None
        while i < len(args):
            a = args[i]
            if a is UNKNOWN:
                break
            if name == "env" and re.match(r"-S|--split-string", a):
                return self.again([re.sub(r"^(-S|--split-string)=?", "", a)] + args[i + 1:])
            if a == "--":
                i += 1
                break
            if a.startswith("-") and len(a) > 1:
                takes = a[1] != "-" and a[-1] in letters
                value = args[i + 1] if takes and i + 1 < len(args) else a[2:]
                if name == "xargs" and re.match(r"-[iI]|--replace", a):
                    replaced = re.sub(r"^(-[iI]|--replace=?)", "", a) or (value if takes else "{}")
                if name in ("env", "sudo") and re.match(r"-[CD]|--chdir", a):
                    self.enter(value and value.removeprefix("chdir="))
                i += takes
            elif re.match(r"\w+=", a):
                self.setting(*a.split("=", 1))
            elif before:
                before -= 1
            else:
                break
            i += 1
        words = args[i:]
        if name == "watch" or ":::" in words:
            return self.again([w for w in words if w != ":::"])
        if name not in ("xargs", "parallel") or not words:
            return self.call(words, stdin)
        given = stdin.split() if stdin else [UNKNOWN]
        if replaced is None:
            return self.call(words + given)
        for value in given:
            self.call([value and w.replace(replaced, value) if w and replaced in w else w for w in words])

    def shell(self, name, args, stdin):
        for i, a in enumerate(args):
            if a is UNKNOWN:
                raise Denied("what a shell executes is known only when it runs")
            if name not in ("source", ".") and re.match(r"-\w*c$", a):
                return self.again(args[i + 1:i + 2], args[i + 3:])
            if not re.match(r"[-+]", a) and not a.startswith("/dev/"):
                return self.script([a], shell=True)
        if stdin is UNKNOWN and args[:1] not in (["--version"], ["--help"]):
            raise Denied("a shell executes what another program prints or writes")
        self.again([stdin or ""])

    def script(self, names, shell=False, all_files=False):
        """Judges files that are executed, as far as the command itself has written them."""
        executed = [f for f in self.written if all_files or any(n and fnmatch.fnmatch(f, os.path.basename(n)) for n in names)]
        for text in [self.written[f] for f in executed]:
            if text is UNKNOWN:
                raise Denied("it executes what another program prints or writes")
            self.again([text]) if shell else self.program(text)
        if shell and not executed and not any(self.exists(n) for n in names):
            raise Denied("a shell executes what another program prints or writes")

    def places(self, file):
        """Where a file may be, as far as it is known."""
        return {os.path.normpath(os.path.join(d, file)) for d in self.dirs if d and file}

    def exists(self, file):
        return any(os.path.exists(p) for p in self.places(file))

    def interpreter(self, name, args, stdin):
        options = list(itertools.takewhile(lambda a: a is UNKNOWN or re.match(r"-.", a), args))
        for a, text in zip(args, args[1:]):
            if text is UNKNOWN and re.match(r"-\w*[ceErp]$|--eval$|--print$", a or ""):
                raise Denied("what an interpreter executes is known only when it runs")
        if options or WITHOUT_OPTION.match(name):
            self.program(" ".join(a for a in args if a))
        code = operands(args) or [a for a in options if a and re.match(r"-\w*[ceEn].|-V|--version|--help", a)]
        if name in ("ed", "ex") or not code or "-" in args:
            if stdin is UNKNOWN:
                raise Denied("an interpreter executes what another program prints or writes")
            self.program(stdin)
        self.script(args)

    def program(self, text):
        """Judges a text that is not understood by the words in it."""
        words = [w for w in re.split(r"[\s'\"`(),;<>{}\[\]|&!=@]+", text) if w]
        for i, w in enumerate(words):
            if os.path.basename(w) in {"git", "find", *LOSERS} and words[i - 1:i] not in (["import"], ["from"]):
                self.call([UNKNOWN if re.search(r"[$%]", x) else x for x in words[i:]])
        named = [os.path.expanduser(w) for w in words if re.match(r"[~/]|\.\.", w) and re.search(r"\w|^[~.]", w)]
        if REMOVES.search(text) and (ELSEWHERE.search(text) or any(self.outside(w) for w in named + ["x"])):
            raise Denied("a program removes something outside the project")

    def find(self, args):
        starts = list(itertools.takewhile(lambda a: a is UNKNOWN or not re.match(r"[-(!]", a), [a for a in args if a not in ("-H", "-L", "-P")])) or ["."]
        tests = [(b or "", before) for before, a, b in zip(["", *args], args, args[1:]) if a and re.match(r"-(i?name|i?path|i?wholename|i?regex)$", a)]
        narrowed = any(re.search(r"\w", b) for b, _ in tests) and not any(".git" in b and before not in ("!", "-not") for b, before in tests)
        found = [s and (s.rstrip("/") + "/found" if narrowed else s) for s in starts]
        if "-delete" in args:
            self.lose("rm", found)
        for i, a in enumerate(args):
            if a in ("-exec", "-execdir", "-ok", "-okdir"):
                for f in found:
                    self.call([w and w.replace("{}", f or "") if f else UNKNOWN if w == "{}" else w for w in itertools.takewhile(lambda w: w not in (";", "+"), args[i + 1:])])

    def git(self, args):
        at = self.dirs
        while args and args[0] is not UNKNOWN and args[0].startswith("-"):
            option, _, value = args[0].partition("=")
            args = args[1:]
            if not value and option in ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"):
                value, args = args[0] if args else UNKNOWN, args[1:]
            if option in ("-c", "--config-env"):
                if value is UNKNOWN or is_risky_setting(value):
                    raise Denied("it changes what commands of git do")
                self.program(value)
            if option in ("-C", "--git-dir", "--work-tree"):
                at = {UNKNOWN if UNKNOWN in (d, value) else os.path.normpath(os.path.join(d, value)) for d in at}
        if not args:
            return
        sub, args = args[0], args[1:]
        if sub is UNKNOWN:
            raise Denied("the command of git is known only when it runs")
        given, away = operands(args), any(self.outside(d and d + "/x", repository=True) for d in at)
        if sub in ("push", "clean") and "--dry-run" in args and not any(a and a.startswith("--no-") for a in args):
            return
        if sub in GIT:
            letters, names, instead = GIT[sub]
            if UNKNOWN in args or has(args, letters, *names):
                raise Denied(instead)
        if sub in PLUMBING and (PLUMBING[sub] is None or UNKNOWN in given[:1] or PLUMBING[sub] & set(given[:1])) or sub == "symbolic-ref" and len(given) > 1:
            raise Denied(f"git {sub} forgets commits or changes")
        if sub in ("push", "send-pack") and any(a[0:1] in ("+", ":") for a in given):
            raise Denied("a forced push rewrites what others have, and one of nothing deletes a branch: use --force-with-lease")
        forced = [a for a in given[1:] if has(args, "f", "--force") or a and a.startswith("+")]
        if sub in ("fetch", "pull") and any(a is UNKNOWN or ":" in a and "/remotes/" not in a for a in forced):
            raise Denied("it overwrites a branch")
        if sub == "clean" and not has(args, "n"):
            raise Denied("git clean -f deletes files for good: git clean -n lists them")
        if sub == "checkout" and not has(args, "b", "--orphan") and ("--" in args or len(given) > 1 or given and not self.is_commit(given[0], at)):
            raise Denied("it discards changes of files: git stash keeps them, and git switch changes branches")
        if sub == "restore" and (has(args, "W", "--worktree") or not has(args, "S", "--staged")):
            raise Denied("git restore discards changes: git stash keeps them")
        if sub == "config" and any(is_risky_setting(a or "alias.") for a in given[:2]) and len(given) > 1 and not has(args, "", "--get", "--get-all", "--get-regexp"):
            raise Denied("it changes what commands of git do")
        if sub in ("show", "cat-file") and any(a and self.places(a.partition(":")[2]) & self.targets for a in given):
            raise Denied("it overwrites a file with an older one: git stash keeps the changes")
        if away and (sub in ("rm", "mv", "stash") or sub == "branch" and has(args, "m", "--move")):
            raise Denied("it changes a repository outside the project")

    def is_commit(self, name, at):
        """Whether git knows a name as a branch or another commit. What it does not know so is a file."""
        tries = [["rev-parse", "-q", "--verify", name + "^{commit}"], ["show-ref", "-q", name]]
        return name == "-" or any(d and subprocess.run(["git", "-C", d, *t], capture_output=True).returncode == 0 for d in at for t in tries)

    def lose(self, name, args):
        if LOSERS[name] and not has(args, LOSERS[name][0], *LOSERS[name][1:]) or has(args, KEEPING.get(name, "")):
            return
        if name == "rsync" and not any(a and a.startswith(("--del", "--remove")) for a in args):
            return
        lost = operands(args) + [a[2:] for a in args if name == "tar" and a and re.match("-C.", a)]
        if name == "mv" and not has(args, "t", "--target-directory"):
            lost = lost[:-1]
        if any(self.outside(a) for a in (lost[-1:] if name == "ln" else lost)):
            raise Denied(f"{name} removes something outside the project")

    def copies(self, name, args, stdin):
        """Judges what tee, dd and cp write, and notes it."""
        given = operands(args)
        targets = given[-1:] if name == "cp" else [a[3:] for a in given if a and a.startswith("of=")] if name == "dd" else given
        for target in targets:
            if target is UNKNOWN:
                continue
            self.writes(target, ">>" if has(args, "a", "--append") else ">")
            if name == "cp" and "/dev/null" in given and self.outside(target):
                raise Denied("it empties a file outside the project")
            if name != "cp":
                self.wrote(target, stdin)

    def renames(self, given):
        """Notes the other names that files and directories get."""
        for a in given[:1]:
            names = {given[-1] or "x", os.path.join(given[-1] or "x", os.path.basename(a or "")), os.path.basename(a or "x")}
            if os.path.basename(a or "") in self.written:
                self.wrote(given[-1] or "x", self.written[os.path.basename(a)])
            if self.outside(a):
                self.links |= {p for n in names for p in self.places(n)}

    def writes(self, target, op):
        """Judges a file that is written: a device, files of git, or one outside the project that is overwritten."""
        if re.match(r"/dev/(sd|nvme|disk|hd|vd)", target):
            raise Denied("it writes to a device")
        if ".git" in os.path.normpath(target).split("/"):
            raise Denied("it changes the files of git")
        if not op.endswith(">>") and self.exists(target) and not target.startswith("/dev/") and self.outside(target):
            raise Denied("it overwrites a file outside the project")

    def outside(self, path, repository=False):
        """Whether a path may be one that no command may remove: all but what is below the project and /tmp. The
        repository in .git is not, apart from its locks."""
        for d in self.dirs:
            if UNKNOWN in (path, d):
                return True
            at = os.path.normpath(os.path.join(d, path))
            if any(at == link or at.startswith(link + "/") for link in self.links):
                return True
            at = os.path.realpath(at) if path.endswith("/") else os.path.join(os.path.realpath(os.path.dirname(at)), os.path.basename(at))
            below = [p for p in (self.project, self.temporary) if at.startswith(p + "/") and not re.match(re.escape(p) + r"/[*.]*$", at)]
            above = any(p.startswith(at + "/") for p in (self.project, self.home))
            if above or not below or self.project not in below and (at + "/").startswith(self.home + "/"):
                return True
            parts = os.path.relpath(at, self.project).split("/")
            of_git = ".git" in parts or parts[0].startswith(".") and fnmatch.fnmatch(".git", parts[0])
            if of_git and not repository and self.project in below and not at.endswith(".lock"):
                return True
        return False


def main():
    try:
        payload = json.load(sys.stdin)
        tool = payload["tool_input"]
        cwd = os.path.normpath(payload.get("cwd") or os.getcwd())
        Guard(cwd, os.environ.get("CLAUDE_PROJECT_DIR") or cwd).check(tool["command"])
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
