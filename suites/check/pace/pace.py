# The sitecustomize module of a paced firing: see paced.go.
import _thread, os, sys, time
_real, _main, _library, _skipped = time.sleep, _thread.get_ident(), os.path.dirname(os.__file__) + os.sep, []
def _child():
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except Exception:
        return False
def _sleep(s):
    caller = sys._getframe(1).f_code.co_filename
    if _thread.get_ident() != _main or caller.startswith((_library, '<frozen ')) and '-packages' not in caller:
        return _real(s)
    child = _child()
    skip = s >= 0.5 and not child and len(_skipped) < SKIPPED
    if s >= 1 or not child:
        with open('{tmp}/slept', 'a') as f:
            f.write('%s%s\n' % (s, ' skipped' if skip else ''))
    if skip:
        _skipped.append(s)
    else:
        _real(s)
time.sleep = _sleep
