# Logs the comparisons that the scripts of a hook make, the fields of the payload that they read, the errors
# that they catch, and the statements that they begin. It is the
# sitecustomize module of an observed firing; see python.go for the records.
import os, sys


def _observe():
    import ast, errno, json, re, types

    here = os.path.dirname(os.path.abspath(__file__))
    log = os.path.join(here, "log")
    sys.path[:] = [p for p in sys.path if p != here]
    sys.path_importer_cache.pop(here, None)
    started_in = os.getcwd()
    os_open, os_write, os_close = os.open, os.write, os.close
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
    seen, state, left = set(), {"busy": False}, {}
    most_at_a_place = 64  # comparisons; a parser makes thousands

    def record(*fields):
        key = "\x1f".join(fields)
        if key in seen:
            return
        if fields[0] != "L":
            n = left.get(fields[1:3], most_at_a_place)
            if n == 0:
                return
            left[fields[1:3]] = n - 1
        seen.add(key)
        try:
            fd = os_open(log, flags)
            try:
                os_write(fd, (key + "\0").encode("utf-8", "surrogateescape"))
            finally:
                os_close(fd)
        except (OSError, UnicodeError):
            pass

    most = 4096  # of a value; longer ones are of no use as inputs

    def text(value):
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        return value[:most] if type(value) is str else None

    def each(value):
        # The texts of one operand.
        one = text(value)
        if one is not None:
            return [one]
        if type(value) in (list, tuple, set, frozenset, dict) and len(value) <= 200:
            found = [t for t in map(text, value) if t is not None]
            return sorted(found) if type(value) in (set, frozenset) else found
        if is_path(value):
            return [str(value)[:most]]
        return []

    def is_path(value):
        pathlib = sys.modules.get("pathlib")
        return pathlib is not None and isinstance(value, pathlib.PurePath)

    def compared(at, op, left, right):
        if state["busy"]:
            return
        state["busy"] = True
        try:
            for value in each(left)[:4]:
                for pattern in each(right):
                    record("C", *at, op, value, pattern)
        except (TypeError, ValueError, UnicodeError, OSError):
            pass
        finally:
            state["busy"] = False

    def compare(at, op, left, right):
        if op == "in":
            value = left in right
        elif op == "not in":
            value = left not in right
        elif op == "==":
            value = left == right
        else:
            value = left != right
        if op in ("in", "not in") and not isinstance(right, (str, bytes)):
            compared(at, "==", left, right)
        elif op in ("in", "not in"):
            compared(at, "contains", right, left)
        elif isinstance(left, (str, bytes)) and isinstance(right, (str, bytes)):
            compared(at, "==", left, right)
        return value

    # The payload and the objects in it, by identity, with their paths.
    sent, loads = {}, json.loads

    def know(value, path):
        sent[id(value)] = value, path
        for name, inner in value.items():
            if type(inner) is dict:
                know(inner, path + name + ".")

    def observed_loads(*args, **named):
        value = loads(*args, **named)
        if type(value) is dict and "hook_event_name" in value:
            know(value, "")
        return value

    json.loads = observed_loads

    def reads(at, value, key):
        if type(value) is dict and id(value) in sent and type(key) is str:
            record("C", *at, "read", sent[id(value)][1] + key, "read")

    def item(at, value, key):
        reads(at, value, key)
        return value[key]

    # Errors that a correct program rarely makes, not those of a file or a package that may be absent.
    def caught():
        kind, error, trace = sys.exc_info()
        if not issubclass(kind, (NameError, AttributeError, TypeError, LookupError)) and kind.__name__ != "JSONDecodeError" and getattr(error, "errno", 0) != errno.ENXIO:
            return
        place = None
        while trace is not None:
            if own(trace.tb_frame.f_code.co_filename):
                file = trace.tb_frame.f_code.co_filename
                place = state.get(file, file), str(trace.tb_lineno)
            trace = trace.tb_next
        if place is not None:
            record("C", *place, "error", "", "%s: %s" % (kind.__name__, " ".join(str(error).split())))

    of_text = {"startswith": "prefix", "endswith": "suffix", "find": "contains", "index": "contains", "count": "contains",
               "removeprefix": "prefix", "removesuffix": "suffix", "split": "contains", "partition": "contains"}
    pattern_type = type(re.compile(""))

    def plain_pattern(name, pattern, *args, **named):
        # The text of a pattern, with what the method and the flags add to it.
        flags = named.get("flags", args[0] if name in ("search", "match", "fullmatch") and args else 0)
        if isinstance(pattern, pattern_type):
            pattern, flags = pattern.pattern, pattern.flags
        if not isinstance(pattern, str):
            return pattern
        if int(flags) & re.VERBOSE:
            pattern = re.sub(r"(?m)(?<!\\)\s+|(?<![\\\[])#.*$", "", pattern)
        if int(flags) & re.IGNORECASE:
            pattern = "(?i)" + pattern
        if int(flags) & re.MULTILINE:
            pattern = "(?m)" + pattern
        return {"match": "^(?:%s)", "fullmatch": "^(?:%s)$"}.get(name, "%s") % pattern

    of_pattern = ("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")

    def attribute(at, value, name):
        found = getattr(value, name)
        kind = type(value)
        if kind is str and name in of_text:
            def observed(*args, **named):
                if args:
                    compared(at, of_text[name], value, args[0])
                return found(*args, **named)
            return observed
        if name in of_pattern and kind is pattern_type:
            def observed(*args, **named):
                texts = args[1:] if name.startswith("sub") else args
                if texts:
                    compared(at, "regexp", texts[0], plain_pattern(name, value))
                return found(*args, **named)
            return observed
        if kind is dict and name == "get" and id(value) in sent:
            def observed(*args, **named):
                if args:
                    reads(at, value, args[0])
                return found(*args, **named)
            return observed
        if kind is types.ModuleType:
            return function(at, found)
        if name == "match" and is_path(value):
            def observed(*args, **named):
                if args:
                    compared(at, "glob", str(value), args[0])
                return found(*args, **named)
            return observed
        return found

    def function(at, found):
        module, name = getattr(found, "__module__", ""), getattr(found, "__name__", "")
        if module in ("re", "regex") and name in of_pattern:
            def observed(*args, **named):
                texts = args[2:] if name.startswith("sub") else args[1:]
                if texts and isinstance(args[0], (str, pattern_type)):
                    compared(at, "regexp", texts[0], plain_pattern(name, args[0], *args[2:], **named))
                return found(*args, **named)
            return observed
        if module == "fnmatch" and name in ("fnmatch", "fnmatchcase"):
            def observed(*args, **named):
                if len(args) > 1:
                    compared(at, "glob", args[0], args[1])
                return found(*args, **named)
            return observed
        return found

    def began(path, line, column):
        if not state.get("main"):  # a script that is run directly has neither
            state["main"] = True
            main = sys.modules.get("__main__")
            if main is not None and path in mains:
                main.__spec__ = main.__package__ = None
        record("L", path, str(line), str(column))

    names = {"compare": "_hookwatch_compare", "attribute": "_hookwatch_attribute", "function": "_hookwatch_function", "began": "_hookwatch_began", "item": "_hookwatch_item", "caught": "_hookwatch_caught"}
    calls = {"compare": compare, "attribute": attribute, "function": function, "began": began, "item": item, "caught": caught}
    operators = {ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in"}
    plain = set(of_pattern) | {"fnmatch", "fnmatchcase"}

    class Rewriter(ast.NodeTransformer):
        def __init__(self, path):
            self.path = path

        def call(self, node, what, *args):
            made = ast.Call(ast.Name(names[what], ast.Load()), list(args), [])
            return ast.fix_missing_locations(ast.copy_location(made, node))

        def at(self, node):
            return ast.Tuple([ast.Constant(self.path, None), ast.Constant(str(node.lineno), None)], ast.Load())

        def visit_Compare(self, node):
            self.generic_visit(node)
            if len(node.ops) == 1 and type(node.ops[0]) in operators:
                return self.call(node, "compare", self.at(node), ast.Constant(operators[type(node.ops[0])], None), node.left, node.comparators[0])
            return node

        def visit_Call(self, node):
            self.generic_visit(node)
            if isinstance(node.func, ast.Attribute):
                of = node.func.value
                if isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super":
                    return node
                name = node.func.attr
                if name in of_text or name in of_pattern or name in ("get", "match", "fnmatch", "fnmatchcase"):
                    node.func = self.call(node.func, "attribute", self.at(node), of, ast.Constant(name, None))
            elif isinstance(node.func, ast.Name) and node.func.id in plain:
                node.func = self.call(node.func, "function", self.at(node), node.func)
            return node

        def visit_Subscript(self, node):
            self.generic_visit(node)
            key = getattr(node.slice, "value", None)
            key = getattr(key, "value", key)  # before 3.9 it is in an Index
            if isinstance(node.ctx, ast.Load) and type(key) is str:
                return self.call(node, "item", self.at(node), node.value, ast.Constant(key, None))
            return node

        def visit_ExceptHandler(self, node):
            self.generic_visit(node)
            node.body.insert(0, ast.copy_location(ast.Expr(self.call(node, "caught")), node))
            return node

        def visit_JoinedStr(self, node):
            return node

        def visit_AnnAssign(self, node):
            if node.value is not None:
                node.value = self.visit(node.value)
            return node

        def visit_arg(self, node):
            return node

        def body(self, statements):
            out, first = [], True
            for s in statements:
                docstring = first and isinstance(s, ast.Expr) and isinstance(getattr(s.value, "value", None), str)
                future = isinstance(s, ast.ImportFrom) and s.module == "__future__"
                first = False
                visited = self.visit(s)
                if not docstring and not future and not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    call = self.call(s, "began", ast.Constant(self.path, None), ast.Constant(s.lineno, None), ast.Constant(s.col_offset, None))
                    out.append(ast.copy_location(ast.Expr(call), s))
                out.append(visited)
            return out

        def generic_visit(self, node):
            for field in ("body", "orelse", "finalbody"):
                value = getattr(node, field, None)
                if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    setattr(node, field, self.body(value))
            for field, value in ast.iter_fields(node):
                if field in ("annotation", "returns") or field in ("body", "orelse", "finalbody") and isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    continue
                if isinstance(value, list):
                    setattr(node, field, [self.visit(v) if isinstance(v, ast.AST) else v for v in value])
                elif isinstance(value, ast.AST):
                    setattr(node, field, self.visit(value))
            return node

        def visit_match_case(self, node):
            node.body = self.body(node.body)
            return node

    def compiled(source, path, logged_as=None):
        tree = ast.parse(source, path)
        tree = ast.fix_missing_locations(Rewriter(logged_as or path).visit(tree))
        for key, name in names.items():
            setattr(__import__("builtins"), name, calls[key])
        return compile(tree, path, "exec", dont_inherit=True)

    library = [os.path.dirname(os.__file__), here]
    installed = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages", "vendor"))

    def own(path):
        return not any(path.startswith(l + os.sep) for l in library) and not any(part in path for part in installed)

    # Modules of the project.
    from importlib import machinery

    get_code = machinery.SourceFileLoader.get_code

    def observed_code(self, fullname):
        path = os.path.join(started_in, self.path)
        if own(path):
            try:
                return compiled(self.get_data(self.path), path)
            except Exception:  # the interpreter's own error follows
                pass
        return get_code(self, fullname)

    machinery.SourceFileLoader.get_code = observed_code

    # The script itself: Python asks the hooks of sys.path for an importer of its path, as it does for a
    # directory or an archive with a module __main__.
    class Main:
        def __init__(self, path):
            self.path, self.done = path, False

        def find_spec(self, name, target=None):
            if name != "__main__" or self.done:
                return None
            self.done = True
            return machinery.ModuleSpec(name, self, origin=self.path, is_package=False)

        def create_module(self, spec):
            return None

        def get_code(self, name):
            full = os.path.join(started_in, self.path)
            with open(self.path, "rb") as f:
                source = f.read()
            sys.path_hooks[:] = [h for h in sys.path_hooks if h is not hook]
            sys.path_importer_cache.pop(self.path, None)
            if sys.path and sys.path[0] in (self.path, full):
                sys.path[0] = os.path.dirname(os.path.realpath(self.path))
            try:
                if os.path.dirname(full) in ("/tmp", os.environ.get("TMPDIR")):  # a script has written it, under another name each time
                    return compiled(source, full, label(source.decode(), full))
                return compiled(source, full)
            except Exception:
                return compile(source, self.path, "exec", dont_inherit=True)

        def exec_module(self, module):
            exec(self.get_code(module.__name__), module.__dict__)

        def is_package(self, name):
            return False

        def get_filename(self, name):
            return self.path

    def is_source(path):
        try:
            with open(path, "rb") as f:
                head = f.read(4096)
            return b"\0" not in head and not head.startswith(b"PK")
        except OSError:
            return False

    argv = getattr(sys, "orig_argv", None)
    mains = set()
    if argv is None:
        try:
            with open("/proc/self/cmdline", "rb") as f:
                argv = [os.fsdecode(a) for a in f.read().split(b"\0")]
        except OSError:
            argv = []
    for a in argv[1:]:
        if a.startswith("-") and not a.startswith("--") and a[-1] in "cm":  # code or a module, no file
            break
        if not a.startswith("-"):
            if os.path.isfile(a) and own(os.path.join(started_in, a)) and is_source(a):
                mains.update((a, os.path.join(started_in, a)))
            break

    def hook(path):
        if path in mains:
            return Main(path)
        raise ImportError(path)

    sys.path_hooks.insert(0, hook)
    for m in mains:
        sys.path_importer_cache.pop(m, None)

    # Code of -c and of standard input has no importer. It is run here, before the interpreter runs it, and the
    # process ends with it.
    def run(code, source):
        import atexit
        status = 0
        if sys.version_info >= (3, 13):  # which shows its lines in tracebacks
            import linecache
            linecache.cache[code.co_filename] = len(source), None, source.splitlines(True), code.co_filename
        try:
            exec(code, sys.modules["__main__"].__dict__)
        except SystemExit as e:
            status = 0 if e.code is None else e.code
            if not isinstance(status, int):
                print(status, file=sys.stderr)
                status = 1
        except BaseException as e:
            e.__traceback__ = e.__traceback__.tb_next
            sys.excepthook(type(e), e, e.__traceback__)
            status = 1
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                status = status or 120
        os._exit(status & 0xFF)

    def label(source, file):
        import zlib
        state[file] = "inline-%08x" % zlib.crc32(source.encode())
        record("S", state[file], "1", source)
        return state[file]

    def inline(event, args):
        try:
            if event == "cpython.run_command" and not args[0].startswith("from multiprocessing"):
                source = args[0]
                code = compiled(source, "<string>", label(source, "<string>"))
            elif event == "cpython.run_stdin" and not sys.stdin.isatty():
                source = sys.stdin.buffer.read().decode()
                try:
                    code = compiled(source, "<stdin>", label(source, "<stdin>"))
                except Exception:
                    code = compile(source, "<stdin>", "exec", dont_inherit=True)
            else:
                return
        except Exception:  # the interpreter's own error follows
            return
        run(code, source)

    if not mains:
        sys.addaudithook(inline)


def _theirs(own):
    # Runs the sitecustomize module of the environment, which this one hides.
    del sys.modules["sitecustomize"]
    try:
        import sitecustomize
    except ImportError as e:
        if e.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = own


_own = sys.modules["sitecustomize"]
if sys.version_info >= (3, 8):
    try:
        _observe()
    except Exception:
        pass
_theirs(_own)
