# Logs the lines that this interpreter executes, one record for each new line. It is the
# sitecustomize module of a traced run; see python.go for the records.
import os, sys


def _trace():
    here = os.path.dirname(os.path.abspath(__file__))
    log = os.path.join(here, "log")
    sys.path[:] = [p for p in sys.path if p != here]
    sys.path_importer_cache.pop(here, None)
    started_in = os.getcwd()
    os_open, os_write, os_close, os_fsencode = os.open, os.write, os.close, os.fsencode
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
    state = {"lost": False, "busy": False}

    def record(*fields):
        data = b"\x1f".join(f if isinstance(f, bytes) else os_fsencode(str(f)) for f in fields) + b"\0"
        if state["lost"]:
            data = b"E\x1fit could not write its log\0" + data
        try:
            fd = os_open(log, flags)
            try:
                whole = os_write(fd, data) == len(data)
            finally:
                os_close(fd)
            state["lost"] = not whole
        except OSError:
            state["lost"] = True

    record("S", os.getpid(), sys.version.split()[0], sys.executable or "", started_in)

    # Code of the interpreter itself is not of interest, and only the files of installed packages.
    library = [os.path.dirname(os.__file__)]
    installed = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
    files = {}

    def file_of(name):
        # Returns the encoded path to log, or None.
        if name in files:
            return files[name]
        path = None
        if name and not name.startswith("<"):
            full = os.path.join(started_in, name)
            if any(part in full for part in installed):
                record("W", full)
            elif full.startswith(here + os.sep) or any(full.startswith(l + os.sep) for l in library):
                pass
            else:
                path = os_fsencode(full)
        files[name] = path
        return path

    def entered(code, path, frame):
        if code.co_name == "<module>":
            main = frame is not None and frame.f_globals.get("__name__") == "__main__"
            record("M" if main else "I", path)
        elif not code.co_name.startswith("<"):
            record("F", path, code.co_firstlineno, code.co_name)

    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None:
        tool = next((i for i in (4, 3, 5, 2, 1, 0) if monitoring.get_tool(i) is None), None)
        if tool is None:
            record("E", "no tool of sys.monitoring is free")
            return
        monitoring.use_tool_id(tool, "hookwatch")
        events, disable = monitoring.events, monitoring.DISABLE
        get_frame, set_local = sys._getframe, monitoring.set_local_events

        def on_start(code, _offset):
            path = file_of(code.co_filename)
            if path is not None:
                entered(code, path, get_frame(1) if code.co_name == "<module>" else None)
                set_local(tool, code, events.LINE)
            return disable

        def on_line(code, line):
            path = files.get(code.co_filename)
            if path is not None:
                record("L", path, line)
            return disable

        monitoring.register_callback(tool, events.PY_START, on_start)
        monitoring.register_callback(tool, events.LINE, on_line)
        monitoring.set_events(tool, events.PY_START)

        def check():
            if monitoring.get_tool(tool) != "hookwatch":
                record("E", "it frees the tool of sys.monitoring")
    else:
        codes, seen = {}, set()

        def lines_of(code):
            if hasattr(code, "co_lines"):
                return {line for _, _, line in code.co_lines() if line}
            lines, line = {code.co_firstlineno}, code.co_firstlineno
            for step in code.co_lnotab[1::2]:
                line += step - 256 if step > 127 else step
                lines.add(line)
            return lines

        def on_line(frame, event, _arg):
            if event == "line":
                try:
                    code, line = frame.f_code, frame.f_lineno
                    path, left = codes[code]
                    if (path, line) not in seen:
                        record("L", path, line)
                        seen.add((path, line))
                    left.discard(line)
                    if not left:
                        frame.f_trace_lines = False
                except BaseException:
                    record("E", "an exception was raised while it logged")
                    raise
            return on_line

        def on_call(frame, event, _arg):
            try:
                code = frame.f_code
                known = codes.get(code)
                if known is None:
                    path = file_of(code.co_filename)
                    if path is not None:
                        entered(code, path, frame)
                        known = (path, lines_of(code))
                    else:
                        known = (None, None)
                    codes[code] = known
                if known[0] is None or not known[1]:
                    return None
                return on_line
            except BaseException:
                record("E", "an exception was raised while it logged")
                raise

        def follow():
            import threading

            threading.settrace(on_call)
            sys.settrace(on_call)

        def check():
            if sys.gettrace() is not on_call:
                record("E", "it sets a trace function of its own")

    # Children, and files that are read as data.
    ours = {name: os.environ.get(name) for name in ("PYTHONPATH", "BASH_ENV", "NODE_OPTIONS", "NODE_V8_COVERAGE")}
    importers = ("<frozen importlib._bootstrap_external>", "<frozen importlib._bootstrap>", "<frozen zipimport>", "<frozen runpy>")
    importing = tuple(os.path.join(library[0], n) for n in ("runpy.py", "pkgutil.py", "zipimport.py"))
    here_bytes = os_fsencode(here)
    scripts = (b".py", b".sh", b".bash", b".js", b".cjs", b".mjs", b".ts")

    def env_of(env):
        # Reports whether an environment for a child lacks a variable of the tracers.
        if env is None:
            env = os.environ
        for name, value in ours.items():
            if value is None:
                continue
            got = env.get(name) if name in env else env.get(os_fsencode(name))
            if got is None or os_fsencode(got) != os_fsencode(value):
                return "lost"
        return "kept"

    def texts(args):
        if isinstance(args, (str, bytes)):
            return [args]
        return [a if isinstance(a, (str, bytes)) else os.fspath(a) for a in args]

    def on_audit(event, args):
        if event == "open":
            if state["busy"] or not isinstance(args[0], (str, bytes)):
                return
            path = os_fsencode(args[0])
            base = path[path.rfind(b"/") + 1 :]
            if not path.endswith(scripts) and b"." in base or path.startswith(here_bytes):
                return
            state["busy"] = True
            try:
                frame = sys._getframe(1)
                name = frame.f_code.co_filename
                if name not in importers and name not in importing:
                    record("R", os.path.join(os_fsencode(os.getcwd()), path))
            except ValueError:
                pass  # the interpreter reads the script itself
            finally:
                state["busy"] = False
        elif event == "import":
            if args[1] and isinstance(args[1], str) and not args[1].endswith((".py", ".pyc")):
                full = os.path.join(started_in, args[1])
                if not any(full.startswith(l + os.sep) for l in library):
                    record("W", full)
        elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
            program, argv, env = (args[0], args[1], args[3]) if event == "subprocess.Popen" else args[:3]
            try:
                if program is None:
                    program = texts(argv)[0]
                record("X", env_of(env), os.fspath(program), *[os_fsencode(a)[:2000] for a in texts(argv)[:20]])
            except (TypeError, ValueError, AttributeError, IndexError):
                record("X", "lost", "?")
        elif event == "os.spawn":
            record("X", "lost" if args[3] is not None else env_of(None), os.fspath(args[1]), *texts(args[2])[:20])
        elif event == "os.system":
            record("X", env_of(None), "sh", "sh", "-c", args[0])
        elif event == "_thread.start_new_thread" and monitoring is None:
            if getattr(args[0], "__module__", "") != "threading":
                record("E", "it starts a thread that is not traced")

    sys.addaudithook(on_audit)
    import atexit

    atexit.register(check)
    if monitoring is None:
        follow()


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
_trace()
_theirs(_own)
