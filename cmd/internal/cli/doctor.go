package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/cmd/internal/version"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/sandbox"
)

func newDoctorCmd(a *app, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Diagnose missing tools and isolation",
		Long: `Print which isolation is in force on this machine and why it is not a better one.
List each tool that the project's hooks call: where it is, its version, which
cases its absence skips or fails, and how to install it. No hook runs.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a, *g) },
	}
}

func runDoctor(ctx context.Context, a *app, g globals) error {
	p, err := g.loadHooks()
	if err != nil {
		return err
	}
	a.cleanup.needed.Store(true)
	place, err := sandbox.PlaceOf(p.Root()).Open()
	if err != nil {
		return err
	}
	defer place.Close()
	d, err := session.Diagnose(ctx, session.EquipmentOptions{Temp: place.Dir, Env: os.Environ(), Warn: func(string) {}}, p)
	if err != nil {
		return err
	}
	doc := newDoctorDocument(version.Number, p, d)
	doc.Newer = p.NewerEvents(os.Environ())
	return a.print(doc, jsonLines(doc.Tools, ranIn{}), func(w io.Writer) { printDoctor(w, doc) })
}

// doctorDocument is the JSON document of doctor.
type doctorDocument struct {
	Version   int             `json:"version"`
	Hookwatch string          `json:"hookwatch"`
	OS        string          `json:"os"`
	Project   string          `json:"project"`
	Hooks     int             `json:"hooks"`
	Cases     int             `json:"cases"`
	Isolation doctorIsolation `json:"isolation"`
	Tools     []doctorTool    `json:"tools"`
	Newer     []string        `json:"newer,omitempty"` // events of the installed client that the model lacks
}

// doctorIsolation describes the isolation in use, and why it is not a stronger one.
type doctorIsolation struct {
	Mode   string            `json:"mode"`
	Why    string            `json:"why,omitempty"`
	Mend   string            `json:"mend,omitempty"`
	Bounds map[string]string `json:"bounds,omitempty"`
}

// doctorTool is a program that hooks call.
type doctorTool struct {
	suites.Tool
	Hooks    []string `json:"hooks"`
	Skips    []string `json:"skips,omitempty"` // cases skipped if it is absent
	Fails    []string `json:"fails,omitempty"` // cases failed if it is absent
	Required bool     `json:"required,omitempty"`
	Install  string   `json:"install,omitempty"`
}

// newDoctorDocument converts a diagnosis.
func newDoctorDocument(version string, p *session.Project, d *session.Diagnosis) *doctorDocument {
	doc := &doctorDocument{
		Version: 1, Hookwatch: version, OS: runtime.GOOS + "/" + runtime.GOARCH,
		Project: p.Root(), Hooks: p.Hooks(), Cases: len(p.Every()),
		Isolation: doctorIsolation{Mode: d.Isolation.Describe().Name, Why: d.Isolation.Why, Mend: d.Isolation.Mend, Bounds: map[string]string{}},
		Tools:     []doctorTool{},
	}
	for _, b := range d.Isolation.Bounds {
		doc.Isolation.Bounds[b.What] = b.By
	}
	for _, t := range d.Tools {
		tool := doctorTool{Tool: t.Tool, Hooks: t.Hooks, Skips: keyTexts(t.Skips), Fails: keyTexts(t.Fails), Required: t.Required}
		if !t.Present() {
			tool.Install = install(t.Name)
		}
		doc.Tools = append(doc.Tools, tool)
	}
	return doc
}

func keyTexts(keys []suites.Key) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.String())
	}
	return out
}

// printDoctor prints the document as text.
func printDoctor(out io.Writer, doc *doctorDocument) {
	writef(out, "hookwatch %s on %s\n%s: %s, %s\n\n", doc.Hookwatch, doc.OS, doc.Project,
		session.Count(doc.Hooks, "hook"), session.Count(doc.Cases, "case"))
	writef(out, "isolation: %s: %s\n", doc.Isolation.Mode, sandbox.Describe(doc.Isolation.Mode).Summary)
	if doc.Isolation.Why != "" {
		writef(out, "  why: %s\n", doc.Isolation.Why)
	}
	if doc.Isolation.Mend != "" {
		writef(out, "  better with: %s\n", doc.Isolation.Mend)
	}
	for _, line := range sandbox.Describe(doc.Isolation.Mode).Instead {
		writef(out, "  %s\n", whole(line))
	}
	bounds(out, doc.Isolation.Bounds)
	tools(out, doc.Tools)
	printNewer(out, doc.Newer)
}

// printNewer prints the events of the installed client that hookwatch's model lacks.
func printNewer(out io.Writer, events []string) {
	if len(events) > 0 {
		writef(out, "not judged: %s: newer than hookwatch's model %s\n", strings.Join(events, ", "), client.Default)
	}
}

func bounds(out io.Writer, bounds map[string]string) {
	if len(bounds) == 0 {
		return
	}
	writef(out, "\nwhat a case gets at most:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, what := range slices.Sorted(maps.Keys(bounds)) {
		rowf(w, "  %s\t%s\n", what, bounds[what])
	}
	_ = w.Flush()
}

func tools(out io.Writer, tools []doctorTool) {
	if len(tools) == 0 {
		return
	}
	writef(out, "\ntools that the hooks call:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range tools {
		at, version := t.Path, t.Version
		if !t.Present() {
			at = "absent"
		}
		rowf(w, "  %s\t%s\t%s\n", t.Name, at, version)
	}
	_ = w.Flush()
	for _, t := range tools {
		if !t.Present() {
			writef(out, "\nabsent: %s: %s\n", t.Name, t.cost())
			if t.Install != "" {
				writef(out, "  install: %s\n", t.Install)
			}
		}
	}
}

// cost describes the consequences if the tool is absent.
func (t doctorTool) cost() string {
	var parts []string
	if t.Required {
		parts = append(parts, "a full run does not start without it")
	}
	if n := len(t.Fails); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cases fail (%s)", n, some(t.Fails, false)))
	}
	if n := len(t.Skips); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cases are skipped (%s)", n, some(t.Skips, false)))
	}
	if len(t.Hooks) > 0 {
		parts = append(parts, "called by "+some(t.Hooks, false))
	}
	return strings.Join(parts, "; ")
}

// installs lists the tools that hooks commonly call, by the command of the registry that has
// them. In "package=tool" the package has another name than the tool.
var installs = []struct{ command, tools string }{
	{"npm install --global ", "@biomejs/biome=biome markdownlint-cli2 @taplo/cli=taplo oxlint eslint prettier typescript=tsc jscpd pnpm yarn bun @anthropic-ai/claude-code=claude"},
	{"uv tool install ", "ruff ty black mypy bandit vulture flake8 pylint yamllint semgrep pre-commit poetry pipenv"},
	{"sudo apt-get install ", "jq shellcheck shfmt git curl gawk nodejs=node npm python3 python3-pip=pip perl ruby coreutils=timeout dash file xxd procps=pgrep sqlite3 rsync tree"},
	{"cargo install --locked ", "jaq ripgrep=rg fd-find=fd sd hyperfine just"},
	{"brew install ", "hadolint gitleaks actionlint yq gh terraform trivy deno"},
	{"go install ", "mvdan.cc/sh/v3/cmd/shfmt@latest=shfmt golang.org/x/tools/cmd/goimports@latest=goimports github.com/itchyny/gojq/cmd/gojq@latest=gojq github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest=golangci-lint"},
	{"curl -LsSf https://astral.sh/uv/install.sh | sh", "=uv"},
	{"curl https://sh.rustup.rs -sSf | sh", "=cargo =rustc"},
}

// install returns the command that installs a tool, or "" if none is known.
func install(tool string) string {
	for _, registry := range installs {
		for _, entry := range strings.Fields(registry.tools) {
			name, called := entry, entry
			if i := strings.LastIndexByte(entry, '='); i >= 0 {
				name, called = entry[:i], entry[i+1:]
			}
			if called == tool {
				return registry.command + name
			}
		}
	}
	return ""
}

// toInstall returns one line with the commands to install the missing tools. A tool without a
// known command is listed by name.
func toInstall(missing []string) string {
	var parts []string
	for _, tool := range missing {
		if how := install(tool); how != "" {
			tool += " by " + how
		}
		parts = append(parts, tool)
	}
	return strings.Join(parts, "; ")
}
