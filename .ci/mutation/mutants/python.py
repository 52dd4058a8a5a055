# Prints the edits that each operator can make of a Python script, as JSON: operator -> list of
# [from, to, text, what], in bytes. Edits after which the script does not compile are left out.
import ast, io, json, random, re, sys, tokenize, warnings

warnings.simplefilter("ignore")
source = sys.stdin.buffer.read().decode()
random.seed(int(sys.argv[1]))
lines = source.split("\n")
starts = [0]
for line in lines:
    starts.append(starts[-1] + len(line) + 1)


def at(line, column):  # of ast: columns are bytes
    return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())


def span(node):
    line, column = node.lineno, node.col_offset
    for d in getattr(node, "decorator_list", []):
        if d.lineno < line:
            line, column = d.lineno, d.col_offset - 1
    return at(line, column), at(node.end_lineno, node.end_col_offset)


def short(text):
    text = " ".join(text.split())
    return text[:40] + "..." if len(text) > 40 else text


tree = ast.parse(source)
tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
edits = {}


def add(op, a, b, text, what):
    new = source[:a] + text + source[b:]
    if new == source:
        return
    try:
        compile(new, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return
    edits.setdefault(op, []).append([len(source[:a].encode()), len(source[:b].encode()), text, what])


def bodies():
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                if not (field == "orelse" and isinstance(node, ast.If) and source[span(body[0])[0] :].startswith("elif")):
                    yield node, body
        for handler in getattr(node, "handlers", []):
            yield handler, handler.body
        for case in getattr(node, "cases", []):
            yield case, case.body


def indent_of(a):
    start = source.rfind("\n", 0, a) + 1
    return source[start:a] if not source[start:a].strip() else None


error = 'print("inserted", file=__import__("sys").stderr)'
for owner, body in bodies():
    for i, st in enumerate(body):
        a, b = span(st)
        text, indent = source[a:b], indent_of(a)
        add("delete", a, b, "pass", "delete " + short(text))
        if indent is None:
            continue
        pieces = {
            "insert": [error, 'raise ValueError("inserted")'],
            "print": ['print("printed")', 'print("printed", file=__import__("sys").stderr)'],
            "lines": [
                'if 1 < 2:\n    print("added")', 'for added in [1, 2]:\n    print("added", added)',
                'def added():\n    print("added")\nadded()', "added = [\n    1,\n    2,\n]", "try:\n    added = 1\nexcept Exception:\n    pass",
            ],
            "blank": ["\n\n"],
        }
        for op, options in pieces.items():
            piece = random.choice(options).replace("\n", "\n" + indent)
            add(op, a, a, piece + "\n" + indent, "insert " + short(piece))
            if i == len(body) - 1:
                add(op, b, b, "\n" + indent + piece, "append " + short(piece))
        add("comment", a, a, "# a comment\n" + indent, "add a comment")
        if source[b : b + 1] in ("\n", ""):
            add("comment", b, b, "  # behind", "add a comment behind")
        if i > 0 and indent_of(span(body[i - 1])[0]) is not None:
            c, d = span(body[i - 1])
            add("reorder", c, b, text + "\n" + indent + source[c:d], "exchange %s and %s" % (short(source[c:d]), short(text)))
        if isinstance(st, (ast.Import, ast.ImportFrom)):
            add("global", a, b, "import os", "import os instead of " + short(text))
        if isinstance(st, (ast.FunctionDef, ast.AsyncFunctionDef)):
            at_def = source.index("def ", a)
            add("global", a, a, "@(lambda f: f)\n" + indent, "decorate " + st.name)
            add("global", a, a, "@__import__('functools').lru_cache(None)\n" + indent, "cache " + st.name)
            if st.decorator_list:
                add("global", a, source.rfind("\n", 0, at_def) + 1 + len(indent), "", "without the decorators of " + st.name)
            name = at_def + 4
            add("rename", name, name + len(st.name), st.name + "_renamed", "rename the definition of " + st.name)
            add("rename", 0, len(source), re.sub(r"\b%s\b" % st.name, st.name + "_renamed", source), "rename " + st.name)
            add("rename", b, b, "\n" + indent + "def " + st.name + "(*a, **k):\n" + indent + "    return None", "define " + st.name + " again")
            close = source.index(":", source.index(")", name))
            if st.args.args and not st.args.defaults:
                arg = st.args.args[-1]
                e = at(arg.end_lineno, arg.end_col_offset)
                add("global", e, e, "=None", "a default for " + arg.arg)
        names = sorted({n.id for n in ast.walk(st) if isinstance(n, ast.Name)})
        if names:
            name = random.choice(names)
            piece = random.choice([name + " = 1", "import os as " + name, "del " + name, "for %s in []:\n%s    pass" % (name, indent), "global " + name, "yield " + name])
            add("global", a, a, piece + "\n" + indent, "add " + short(piece))
            if i == len(body) - 1:
                add("global", b, b, "\n" + indent + piece, "append " + short(piece))
        if isinstance(st, ast.Assign) and isinstance(owner, ast.Module):
            va, vb = span(st.value)
            add("global", va, vb, random.choice(["None", "[]", "'changed'", "int('1')"]), "change " + short(text))

for node in ast.walk(tree):
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        a, b = span(node.test)
        add("negate", a, b, "not (" + source[a:b] + ")", "negate " + short(source[a:b]))
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            a, b = span(test)
            add("negate", a, b, "(not (" + source[a:b] + "))", "negate " + short(source[a:b]))
    elif isinstance(node, ast.Return):
        a, b = span(node)
        with_ = random.choice(["return 3", "return None", "return not (" + source[a + 6 : b].strip() + ")" if node.value else "return 2"])
        add("exit", a, b, with_, "make it " + short(with_))
    elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)) and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("exit", "_exit", "SystemExit"):
        a, b = span(node)
        name = source[a : source.index("(", a)]
        code = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int) else 0
        add("exit", a, b, "%s(%d)" % (name, (code + 1) % 3), "exit otherwise than %s" % short(source[a:b]))
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and len(node.elts) > 1:
        for one, next_ in zip(node.elts, node.elts[1:]):
            a, b = span(one)[0], span(next_)[0]
            if source[a] != "(" and source[b - 1] != "(":
                add("arm", a, b, "", "drop " + short(source[a:b]))
    elif isinstance(node, ast.Dict) and len(node.keys) > 1:
        for one, next_ in zip(node.keys, node.keys[1:]):
            if one is not None and next_ is not None:
                add("arm", span(one)[0], span(next_)[0], "", "drop the key " + short(source[slice(*span(one))]))
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        a, b = span(node.left)[1], span(node.comparators[0])[0]
        swap = {"==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "in": "not in", "not in": "in", "is": "is not", "is not": "is"}
        op = source[a:b].strip()
        if op in swap:
            add("swap", a, b, " " + swap[op] + " ", op + " to " + swap[op])

for t in tokens:
    a = starts[t.start[0] - 1] + t.start[1]
    b = starts[t.end[0] - 1] + t.end[1]
    if t.type == tokenize.STRING:
        q = re.match(r"[a-zA-Z]*('''|\"\"\"|'|\")", t.string).end()
        add("constant", a + q, a + q, "x", "change " + short(t.string))
    elif t.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
        add("constant", a, a, "x", "change " + short(t.string))
    elif t.type == tokenize.NUMBER and t.string.isdigit():
        add("constant", a, b, str(int(t.string) + 1), "change " + t.string)
    elif t.type == tokenize.NAME and t.string in ("True", "False"):
        add("constant", a, b, "False" if t.string == "True" else "True", "change " + t.string)
    elif t.type == tokenize.NAME and t.string in ("and", "or"):
        add("swap", a, b, "or" if t.string == "and" else "and", t.string + " swapped")
    elif t.type == tokenize.COMMENT and not t.string.startswith("#!"):
        add("comment", a, b, "# another comment", "change " + short(t.string))
        add("comment", a, b, "", "take away " + short(t.string))

inside = set()  # lines that continue a string
for t in tokens:
    if t.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)):
        inside.update(range(t.start[0] + 1, t.end[0] + 1))
for factor, what in ((2, "indent twice as far"), (3, "indent three times as far")):
    out = []
    for i, line in enumerate(lines, 1):
        head = len(line) - len(line.lstrip(" "))
        out.append(line if i in inside else " " * (head * factor) + line[head:])
    add("indent", 0, len(source), "\n".join(out), what)

json.dump(edits, sys.stdout)
