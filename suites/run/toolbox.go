package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/sandbox"
)

// A Toolbox finds the programs that hooks call. It is safe for concurrent use.
type Toolbox struct {
	root     string
	env      []string
	standIns map[string]string // name -> replacement, such as "gojq 0.12.19"
	Reader   disk.Reader       // of what cases see; programs that they do not see are absent
	mu       sync.Mutex
	versions map[string]string        // by Tool.Digest
	asked    map[string]chan struct{} // closed when a tool that is being asked has answered, by Tool.Digest
}

// NewToolbox returns a toolbox that searches the PATH of env. known are tools found earlier; their
// versions are not asked again while the programs are unchanged.
func NewToolbox(root string, env []string, standIns map[string]string, known []suites.Tool) *Toolbox {
	t := &Toolbox{root: root, env: env, standIns: standIns, versions: make(map[string]string), asked: make(map[string]chan struct{})}
	for _, k := range known {
		if k.Version != "" {
			t.versions[k.Digest] = k.Version
		}
	}
	return t
}

// Find looks up the tools without running any of them. The result is sorted by name.
func (t *Toolbox) Find(names []string) []suites.Tool {
	out := make([]suites.Tool, 0, len(names))
	for _, n := range names {
		out = append(out, t.FindOne(n))
	}
	slices.SortFunc(out, func(a, b suites.Tool) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// FindOne looks up a tool without running it.
func (t *Toolbox) FindOne(name string) suites.Tool {
	tool := suites.Tool{Name: name}
	if standIn, ok := t.standIns[name]; ok {
		tool.Path, tool.Version, tool.StandIn = "stand-in", standIn, true
		tool.Digest = shortHash("stand-in " + standIn)
		return tool
	}
	at := name
	if rest, home := strings.CutPrefix(name, "~/"); home {
		at = filepath.Join(process.Getenv(t.env, "HOME"), rest)
	}
	path, err := LookPath(t.Reader, at, t.root, t.env)
	if err != nil {
		return tool
	}
	tool.Path = path
	tool.Digest = disk.ProgramDigest(path)
	return tool
}

// LookPath finds a program as process.LookPath does, if cases see it.
func LookPath(r disk.Reader, name, dir string, env []string) (string, error) {
	path, err := process.LookPath(name, dir, env)
	if err == nil {
		_, err = r.Anywhere().Resolve(path)
	}
	return path, err
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// askableNames are the programs that are known only to print their version if asked. No other program is
// started, because a hook may name "deploy".
var askableNames = strings.Fields(`
	awk bandit bash biome black bun bunx cargo cat claude curl cut date deno diff env
	eslint find flake8 gawk git go gojq grep gtimeout hadolint head jaq jq markdownlint-cli2
	mawk mktemp mypy node npm oxlint perl pip pip3 pnpm poetry prettier pylint python
	python3 ruby ruff rustc sed semgrep sha256sum shasum shellcheck shfmt sort tail taplo
	tee timeout touch tr tsc ty uniq uv vulture wc xargs yamllint yarn`)

// askableTool reports whether a program may be asked for its version.
func askableTool(name string) bool { return slices.Contains(askableNames, name) }

// Limits of a program that is asked for its version.
const (
	versionTime    = 10 * time.Second
	versionLimit   = 4096 // bytes of each stream
	versionsAtOnce = 4
)

// askEachTool sets the version of each tool that may be asked, with at most versionsAtOnce calls of ask
// at once.
func askEachTool(tools []suites.Tool, ask func(suites.Tool) string) {
	slots := make(chan struct{}, versionsAtOnce)
	var wg sync.WaitGroup
	for i := range tools {
		tool := &tools[i]
		if !tool.Present() || tool.StandIn || !askableTool(tool.Name) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			tool.Version = ask(*tool)
		})
	}
	wg.Wait()
}

// KnownVersions sets the versions that are already known.
func (t *Toolbox) KnownVersions(tools []suites.Tool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range tools {
		if v, ok := t.versions[tools[i].Digest]; ok && !tools[i].StandIn {
			tools[i].Version = v
		}
	}
}

// A toolAsking runs a program that must print its version.
type toolAsking func(ctx context.Context, argv []string) (process.Result, error)

// Version returns the version of a tool and asks it only once, however many cases want it. It returns
// an error if hookwatch itself fails.
func (t *Toolbox) Version(ctx context.Context, tool suites.Tool, ask toolAsking) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if known, ok := t.versions[tool.Digest]; ok {
			return known, nil
		}
		other := t.asked[tool.Digest]
		if other == nil {
			break
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
		}
		if t.mu.Lock(); ctx.Err() != nil {
			return "", nil
		}
	}
	answered := make(chan struct{})
	t.asked[tool.Digest] = answered
	t.mu.Unlock()
	res, err := ask(ctx, []string{tool.Path, "--version"})
	t.mu.Lock()
	delete(t.asked, tool.Digest)
	close(answered)
	if err != nil || ctx.Err() != nil { // one that waits asks again
		return "", err
	}
	v := printedVersion(res)
	t.versions[tool.Digest] = v
	return v, nil
}

// printedVersion returns the line with the version, from stderr if stdout is empty, because some
// programs print it there.
func printedVersion(res process.Result) string {
	if res.StartError != nil || res.Exit != 0 {
		return ""
	}
	return cmp.Or(versionLine(res.Stdout.Bytes), versionLine(res.Stderr.Bytes))
}

// A Machine distinguishes the programs of the machine from those that a project may have brought
// along. Only the former may be started outside isolation.
type Machine struct {
	env  []string
	dirs []string // the directories of PATH that belong to the machine
	own  []string // the project's directories, as named and without symbolic links
}

// NewMachine returns the Machine of the directories in PATH that are not part of the project at
// root.
func NewMachine(root string, env []string) Machine {
	m := Machine{env: env}
	for _, dir := range []string{root, sandbox.GitTop(root)} {
		m.own = append(m.own, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			m.own = append(m.own, real, sandbox.GitTop(real))
		}
	}
	for _, dir := range filepath.SplitList(process.Getenv(env, "PATH")) {
		// An empty or relative entry means whatever directory is current, so it may be the
		// project's.
		if filepath.IsAbs(dir) && !m.mayBring(dir) {
			m.dirs = append(m.dirs, filepath.Clean(dir))
		}
	}
	return m
}

// mayBring reports whether the project may have brought a file or directory along: it is in the
// project or in the work tree around it, by its name or after resolving symbolic links.
func (m Machine) mayBring(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	return slices.ContainsFunc(m.own, func(dir string) bool {
		return disk.Within(dir, filepath.Clean(path)) || disk.Within(dir, real)
	})
}

// Has reports whether a program is in a directory of the machine and not part of the project.
func (m Machine) Has(program string) bool {
	return slices.Contains(m.dirs, filepath.Dir(program)) && !m.mayBring(program)
}

// Ask runs a program of the machine to print its version. It starts in the root directory, which no
// project contains, and with only the machine's directories in PATH, because the program may look
// up others, such as its interpreter. A program that cannot be started is reported in StartError.
func (m Machine) Ask(ctx context.Context, argv []string) (process.Result, error) {
	env := process.With(slices.Clone(m.env), map[string]string{"PATH": strings.Join(m.dirs, string(filepath.ListSeparator))})
	root := filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	res, err := process.Run(ctx, process.Command{Argv: argv, Dir: root, Env: env, Timeout: versionTime, Limit: versionLimit})
	if err != nil {
		return process.Result{StartError: err}, nil
	}
	return res, nil
}

// An auditedMachine describes where checks look.
type auditedMachine struct {
	Root     string            // of the project, absolute
	Env      []string          // provides PATH and HOME
	StandIns map[string]string // replaced tools, such as jaq -> gojq 0.12
	// Hooks returns the registered hooks that fire for an event and the value that matchers are
	// compared with; "" for hooks that fire for any value.
	Hooks  func(event, value string) []discover.Hook
	Reader disk.Reader // reads what cases see
	// Ask runs a program that must only print its version.
	Ask func(ctx context.Context, argv []string) (process.Result, error)
}

// abs returns the path of a file that a check names.
func (m *auditedMachine) abs(name string) string {
	if rest, home := strings.CutPrefix(name, "~/"); home {
		return filepath.Join(process.Getenv(m.Env, "HOME"), filepath.FromSlash(rest))
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(m.Root, filepath.FromSlash(name))
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && !fi.IsDir()
}
