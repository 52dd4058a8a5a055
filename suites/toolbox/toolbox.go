// Package toolbox finds the programs that hooks call, with their versions. It records the sets of
// tools that verdicts depend on and compares them.
package toolbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// A Toolbox finds the programs that hooks call. It is safe for concurrent use.
type Toolbox struct {
	root     string
	env      []string
	standIns map[string]string // name -> replacement, such as "gojq 0.12.19"
	mu       sync.Mutex
	versions map[string]string // by Tool.Digest
}

// New returns a toolbox that searches the PATH of env. known are tools found earlier; their
// versions are not asked again while the programs are unchanged.
func New(root string, env []string, standIns map[string]string, known []suites.Tool) *Toolbox {
	t := &Toolbox{root: root, env: env, standIns: standIns, versions: make(map[string]string)}
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
	path, err := process.LookPath(at, t.root, t.env)
	if err != nil {
		return tool
	}
	tool.Path = path
	if fi, err := os.Stat(path); err == nil {
		tool.Digest = shortHash(fmt.Sprint(path, fi.Size(), fi.ModTime().UnixNano()))
	}
	return tool
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// askable are the programs that are known only to print their version if asked. No other program is
// started, because a hook may name "deploy".
var askable = strings.Fields(`
	awk bandit bash biome black bun bunx cargo cat claude curl cut date deno diff env
	eslint find flake8 gawk git go gojq grep gtimeout hadolint head jaq jq markdownlint-cli2
	mawk mktemp mypy node npm oxlint perl pip pip3 pnpm poetry prettier pylint python
	python3 ruby ruff rustc sed semgrep sha256sum shasum shellcheck shfmt sort tail taplo
	tee timeout touch tr tsc ty uniq uv vulture wc xargs yamllint yarn`)

// Askable reports whether a program may be asked for its version.
func Askable(name string) bool { return slices.Contains(askable, name) }

// Limits of a program that is asked for its version.
const (
	VersionTime    = 10 * time.Second
	VersionLimit   = 4096 // bytes of each stream
	versionsAtOnce = 4
)

// AskEach sets the version of each tool that may be asked, with at most versionsAtOnce calls of ask
// at once.
func AskEach(tools []suites.Tool, ask func(suites.Tool) string) {
	slots := make(chan struct{}, versionsAtOnce)
	var wg sync.WaitGroup
	for i := range tools {
		tool := &tools[i]
		if !tool.Present() || tool.StandIn || !Askable(tool.Name) {
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

// An Asking runs a program that must print its version.
type Asking func(ctx context.Context, argv []string) (process.Result, error)

// Version returns the version of a tool and asks it only once. It returns an error if hookwatch
// itself fails.
func (t *Toolbox) Version(ctx context.Context, tool suites.Tool, ask Asking) (string, error) {
	t.mu.Lock()
	known, ok := t.versions[tool.Digest]
	t.mu.Unlock()
	if ok {
		return known, nil
	}
	res, err := ask(ctx, []string{tool.Path, "--version"})
	if err != nil || ctx.Err() != nil {
		return "", err
	}
	v := toldVersion(res)
	t.mu.Lock()
	t.versions[tool.Digest] = v
	t.mu.Unlock()
	return v, nil
}

// toldVersion returns the line with the version, from stderr if stdout is empty, because some
// programs print it there.
func toldVersion(res process.Result) string {
	if res.StartError != nil || res.Exit != 0 {
		return ""
	}
	return cmp.Or(VersionLine(res.Stdout.Bytes), VersionLine(res.Stderr.Bytes))
}
