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

	"hookwatch/cmd/internal/engine"
	"hookwatch/cmd/internal/engine/equipment"
	"hookwatch/cmd/internal/engine/modes"
	"hookwatch/cmd/internal/engine/sandboxes"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// DoctorDocument is what doctor prints as JSON.
type DoctorDocument struct {
	Version   int              `json:"version"`
	Hookwatch string           `json:"hookwatch"`
	OS        string           `json:"os"`
	Project   string           `json:"project"`
	Hooks     int              `json:"hooks"`
	Cases     int              `json:"cases"`
	Isolation DoctorIsolation  `json:"isolation"`
	Tools     []DoctorTool     `json:"tools"`
	Compared  int              `json:"compared,omitempty"`    // cases, with --isolation
	Differ    []DoctorVerdicts `json:"differences,omitempty"` // with --isolation
}

// DoctorIsolation says which isolation holds, and why not a better one.
type DoctorIsolation struct {
	Mode   string            `json:"mode"`
	Why    string            `json:"why,omitempty"`
	Mend   string            `json:"mend,omitempty"`
	Bounds map[string]string `json:"bounds,omitempty"`
}

// DoctorTool is a program that hooks call.
type DoctorTool struct {
	suites.Tool
	Hooks    []string `json:"hooks"`
	Skips    []string `json:"skips,omitempty"` // cases that its absence skips
	Fails    []string `json:"fails,omitempty"` // cases that its absence fails
	Required bool     `json:"required,omitempty"`
	Install  string   `json:"install,omitempty"`
}

// DoctorVerdicts is a case whose verdict depends on how it is isolated.
type DoctorVerdicts struct {
	Suite    string   `json:"suite"`
	ID       string   `json:"id"`
	None     string   `json:"none"`
	Isolated string   `json:"isolated"`
	Because  []string `json:"because"`
}

func (a *app) doctorCommand() *cobra.Command {
	compare := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what is absent here, what that costs, and which isolation holds",
		Long: `Tell which isolation holds on this machine and why not a better one, and of each
tool that the project's hooks call where it is, its version, what its absence
means for the cases and how to install it. No hook runs.

With --isolation every case runs twice, in place and isolated, and each verdict
that differs is explained. In place means that hooks do to your files what they
do.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), compare) },
	}
	cmd.Flags().BoolVar(&compare, "isolation", false, "run the cases in place and isolated, and compare")
	return cmd
}

func (a *app) doctor(ctx context.Context, compare bool) error {
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	place := sandboxes.New(p.Root())
	a.inOrder.Store(true)
	temp, keep, err := place.Open(false)
	if err != nil {
		return err
	}
	defer place.Close(temp)
	o := engine.Options{Project: p, Temp: temp, Keep: keep, Env: os.Environ(), Shuffle: a.shuffle, Rerun: a.rerun(p)}
	d, err := equipment.Diagnose(ctx, equipment.Options{Temp: temp, Env: o.Env, Warn: func(string) {}}, p)
	if err != nil {
		return err
	}
	doc := doctorDocument(p, d)
	if compare {
		if err := doc.compare(ctx, o); err != nil {
			return err
		}
	}
	err = a.print(doc, len(doc.Tools), func(i int) any { return doc.Tools[i] }, func(w io.Writer) { doctorHuman(w, doc, compare) })
	if err == nil && len(doc.Differ) > 0 {
		return errFailed
	}
	return err
}

func doctorDocument(p *project.Project, d *equipment.Diagnosis) *DoctorDocument {
	doc := &DoctorDocument{
		Version: 1, Hookwatch: Version, OS: runtime.GOOS + "/" + runtime.GOARCH,
		Project: p.Root(), Hooks: p.Hooks(), Cases: len(p.Every()),
		Isolation: DoctorIsolation{Mode: string(d.Isolation.Mode), Why: d.Isolation.Why, Mend: d.Isolation.Mend},
		Tools:     []DoctorTool{},
	}
	for _, b := range d.Isolation.Bounds {
		if doc.Isolation.Bounds == nil {
			doc.Isolation.Bounds = make(map[string]string)
		}
		doc.Isolation.Bounds[b.What] = b.By
	}
	for _, t := range d.Tools {
		tool := DoctorTool{Tool: t.Tool, Hooks: t.Hooks, Skips: keyTexts(t.Skips), Fails: keyTexts(t.Fails), Required: t.Required}
		if !t.Present() {
			tool.Install = install(t.Name)
		}
		doc.Tools = append(doc.Tools, tool)
	}
	return doc
}

func (doc *DoctorDocument) compare(ctx context.Context, o engine.Options) error {
	compared, differences, err := modes.Compare(ctx, o)
	if err != nil {
		return err
	}
	doc.Compared = compared
	for _, d := range differences {
		doc.Differ = append(doc.Differ, DoctorVerdicts{
			Suite: d.Case.Suite, ID: d.Case.ID,
			None: string(d.None.Status()), Isolated: string(d.Isolated.Status()), Because: d.Because,
		})
	}
	return nil
}

func keyTexts(keys []suites.Key) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.String())
	}
	return out
}

func doctorHuman(out io.Writer, doc *DoctorDocument, compared bool) {
	writef(out, "hookwatch %s on %s\n%s: %s, %s\n\n", doc.Hookwatch, doc.OS, doc.Project,
		notify.Count(doc.Hooks, "hook"), notify.Count(doc.Cases, "case"))
	writef(out, "isolation: %s\n", doc.Isolation.text())
	if doc.Isolation.Why != "" {
		writef(out, "  why: %s\n", doc.Isolation.Why)
	}
	if doc.Isolation.Mend != "" {
		writef(out, "  better with: %s\n", doc.Isolation.Mend)
	}
	doctorBounds(out, doc.Isolation.Bounds)
	if compared {
		writef(out, "\n%d cases in place and isolated: %d verdicts differ\n", doc.Compared, len(doc.Differ))
		for _, d := range doc.Differ {
			writef(out, "  %s/%s  %s in place, %s isolated\n", d.Suite, d.ID, d.None, d.Isolated)
			for _, b := range d.Because {
				writef(out, "      %s\n", b)
			}
		}
	}
	doctorTools(out, doc.Tools)
}

func doctorBounds(out io.Writer, bounds map[string]string) {
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

func (i DoctorIsolation) text() string {
	text := i.Mode
	switch i.Mode {
	case "namespaces":
		text += ": each case has its own views of the project and HOME, and no network"
	case "copy":
		text += ": each case has a copy of the project; HOME, the network and other places are open to it"
	case "none":
		text += ": cases run in place, on your files"
	}
	return text
}

func doctorTools(out io.Writer, tools []DoctorTool) {
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
			writef(out, "\n%s is absent: %s\n", t.Name, t.cost())
			if t.Install != "" {
				writef(out, "  install: %s\n", t.Install)
			}
		}
	}
}

// cost says what the tool's absence means.
func (t DoctorTool) cost() string {
	var parts []string
	if t.Required {
		parts = append(parts, "a full run does not start without it")
	}
	if n := len(t.Fails); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cases fail (%s)", n, firstFew(t.Fails)))
	}
	if n := len(t.Skips); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cases are skipped (%s)", n, firstFew(t.Skips)))
	}
	if len(t.Hooks) > 0 {
		parts = append(parts, "called by "+strings.Join(t.Hooks, ", "))
	}
	return strings.Join(parts, "; ")
}

func firstFew(items []string) string {
	const few = 6
	if len(items) > few {
		return strings.Join(items[:few], ", ") + ", ..."
	}
	return strings.Join(items, ", ")
}
