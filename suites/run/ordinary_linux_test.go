package run_test

import (
	"strings"
	"testing"
)

// ordinaryPrograms are everyday actions of programs, with their output. None of them needs anything
// that a sandbox refuses.
var ordinaryPrograms = []struct{ name, act, want string }{
	{"bash", `f() { echo "$(($1 * 2))"; }; x=$(f 21 | tee >(cat >/dev/null)); coproc C { cat; }; echo "$x" >&"${C[1]}"; read -r y <&"${C[0]}"; ulimit -c; echo "$y"`, "0\n42\n"},
	{"git", `cd "$TMPDIR" && git init -q r && cd r && git config user.email a@b.c && git config user.name n && echo x >f && git add f && git commit -qm m && git worktree add -q ../w && git gc -q && git log --oneline | wc -l`, "1\n"},
	{"jq", `echo '{"a": [1, 2]}' | jq -c '.a | map(. * 2)'`, "[2,4]\n"},
	{"python", `python3 - <<'E'
import concurrent.futures, ctypes, mmap, multiprocessing, os, socket, subprocess, sys, tempfile, threading
def double(n): return n * 2
t = threading.Thread(target=lambda: None); t.start(); t.join()
print(subprocess.run(["echo", "sub"], capture_output=True, text=True, check=True).stdout, end="")
print(concurrent.futures.ThreadPoolExecutor(4).submit(double, 2).result())
with multiprocessing.get_context("fork").Pool(2) as p: print(p.map(double, [1, 2]))
q = multiprocessing.Queue(); q.put(1); print(q.get())
print(socket.getaddrinfo("127.0.0.1", 80)[0][4][0], socket.if_nameindex()[0][1], os.cpu_count() > 0, len(os.sched_getaffinity(0)) > 0)
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))
mmap.mmap(-1, 4096); tempfile.TemporaryFile().truncate(4096); ctypes.CDLL(None).getpid()
E`, "sub\n4\n[2, 4]\n1\n127.0.0.1 lo True True\nb'x'\n"},
	{"node", `node -e '
const { Worker } = require("worker_threads"), fs = require("fs"), os = require("os"), cp = require("child_process"), net = require("net");
(async () => {
  await fs.promises.writeFile(process.env.TMPDIR + "/f", "text");
  console.log(await fs.promises.readFile(process.env.TMPDIR + "/f", "utf8"), Object.keys(os.networkInterfaces()).join(), os.cpus().length > 0);
  console.log(cp.execFileSync("echo", ["sub"]).toString().trim(), cp.spawnSync("sh", ["-c", "exit 3"]).status);
  await new Promise((done) => new Worker("require(\"worker_threads\").parentPort.postMessage(1)", { eval: true }).on("message", done));
  await new Promise((done) => { const s = net.createServer((c) => c.end()).listen(0, "127.0.0.1", () => net.connect(s.address().port, "127.0.0.1").on("close", () => s.close(done)).resume()); });
  await new Promise((done) => require("dns").lookup("localhost", done));
  require("crypto").randomBytes(8); require("zlib").gzipSync("x"); process.memoryUsage(); os.freemem();
  console.log("done");
})()'`, "text lo true\nsub 3\ndone\n"},
	{"priorities", `was=$(nice); renice -n $((was + 5)) -p $$ >/dev/null; ionice -c3 -p $$; taskset -p 1 $$ >/dev/null; prlimit --pid $$ --nofile=64:64; chrt -b -p 0 $$
sleep 100 & renice -n $((was + 7)) -p $! >/dev/null; kill $!; ionice -p $$; ulimit -n; echo $(($(nice) - was)); echo $(($(nice -n 1 nice) - was)); taskset -p $$ | grep -o 'mask: 1'; script -qec 'echo pty' /dev/null </dev/null`, "idle\n64\n5\n6\nmask: 1\npty\r\n"},
	{"tools", `cd "$TMPDIR"; seq 1000 | sort -R --parallel=4 | xargs -P4 -n100 echo | wc -w; tar cf - . | gzip | wc -c >/dev/null; find . -type f | wc -l >/dev/null; truncate -s 1M f; fallocate -l 1M g; timeout 5 true; nproc >/dev/null; df . >/dev/null; ps >/dev/null; flock f true; mktemp -d >/dev/null; echo ok`, "1000\nok\n"},
}

// TestOrdinaryPrograms checks that programs work normally in a sandbox, and that nothing is
// reported as prevented, also if the paths that they use are recorded.
func TestOrdinaryPrograms(t *testing.T) {
	t.Parallel()
	for _, observed := range []bool{false, true} {
		t.Run(map[bool]string{false: "plain", true: "observed"}[observed], func(t *testing.T) {
			t.Parallel()
			runOrdinaryPrograms(t, observed)
		})
	}
}

func runOrdinaryPrograms(t *testing.T, observed bool) {
	t.Helper()
	h := newHostile(t, t.TempDir())
	h.observed = observed
	r := h.runner("namespaces")
	for _, tt := range ordinaryPrograms {
		o, report := h.act(r, tt.act)
		res := o.Last()
		if got := string(res.Stdout); got != tt.want || res.Exit != 0 {
			t.Errorf("%s: exit %d, stdout %q, want %q\nstderr %s\n%s", tt.name, res.Exit, got, tt.want, res.Stderr, report)
		}
		if observed && o.Unobserved != "" {
			t.Errorf("%s: not all paths are known: %s", tt.name, o.Unobserved)
		}
		for _, s := range o.Stopped {
			if strings.HasPrefix(s, "wanted") {
				t.Errorf("%s: %s", tt.name, s)
			}
		}
	}
}
