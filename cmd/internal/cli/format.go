package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/sandbox"
)

// A format is one way to print results, chosen by --format. Each is a file of its own that
// registers itself; help, completion and errors read the registry.
type format struct {
	name string
	help string // one line
	layout
	// view shows a run, or a watching session. It is nil if the format cannot show runs.
	view func(a *app, p *session.Project, o notify.Options, watch bool) session.View
	// onceOnly marks formats with one file per run; a watching session would print several.
	onceOnly bool
	// write prints the result of a command that runs no cases. It is nil if the format cannot
	// show such results.
	write func(a *app, r result) error
	// findingsOnly marks formats that show nothing but annotations, if they can show the result of a command.
	findingsOnly bool
	// checks makes a watching session check the hooks after each save.
	checks bool
}

// A layout is the order in which the parts of a format's output follow one another.
type layout int

const (
	asText     layout = iota // for users: there may be sentences between the parts
	asLines                  // one value per line, printed immediately
	asDocument               // one document, printed at the end
)

// A result is the output of a command that runs no cases: a document made of items, or text for
// users.
type result struct {
	doc      any
	items    []any // the document as JSON lines
	text     func(io.Writer)
	findings []annotation // of commands with the annotation findsFaults
	headline string       // of such commands: the findings in a sentence
	top      string       // the directory from which the findings have their places, absolute
}

// An annotation is a finding, or a case that did not pass, for formats that show it at a place of a
// file.
type annotation struct {
	rule     string
	severity suites.Severity
	at       suites.Position // relative to the top of the repository; without a file if it is elsewhere
	title    string          // one line
	text     string          // may have several lines
	subject  []string        // distinguishes the finding from others of its rule, wherever its lines move
	// registered is the place of the hook's registration if at is the line of its script.
	registered suites.Position
}

// formats is the registry, by name.
var formats = map[string]*format{}

// register adds a format. It returns it so that a file can call register when declaring a
// variable.
func register(f *format) *format {
	formats[f.name] = f
	return f
}

// formatNames returns the formats in alphabetical order.
func formatNames() []string {
	return slices.Sorted(maps.Keys(formats))
}

// anyFormat lists the formats in a sentence: "human, json or jsonl".
func anyFormat() string {
	names := formatNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// formatHelp describes each format in one line.
func formatHelp() string {
	var b strings.Builder
	b.WriteString("Formats of --format:\n")
	for _, name := range formatNames() {
		fmt.Fprintf(&b, "\n  %-8s%s", name, formats[name].help)
	}
	return b.String()
}

// runsCases is the annotation of commands that show a run.
const runsCases = "runs cases"

// findsFaults is the annotation of commands whose result has annotations.
const findsFaults = "finds faults"

// chooseFormat returns the format given by --format. For all commands, it rejects unknown formats
// and formats in which the command has nothing to print.
func chooseFormat(cmd *cobra.Command, name string) (*format, error) {
	_, runs := cmd.Annotations[runsCases]
	_, finds := cmd.Annotations[findsFaults]
	once, _ := cmd.Flags().GetBool("once")
	session := cmd == cmd.Root() && !once
	if name == "" {
		name = "human"
		if os.Getenv("GITHUB_ACTIONS") == "true" && (runs || finds) && !session { // other commands print what scripts read, such as a schema
			name = "github"
		}
	}
	f, known := formats[name]
	switch {
	case !known:
		return nil, fmt.Errorf("--format %s: want %s", name, anyFormat())
	case runs && session && f.onceOnly:
		return nil, fmt.Errorf("--format %s prints one run: use it with --once or run", f.name)
	case f.findingsOnly && !finds && !(runs && f.view != nil):
		return nil, fmt.Errorf("--format %s prints findings (check, prove, diff), not the result of %s", f.name, cmp.Or(cmd.Name(), "this command"))
	case !runs && f.write == nil:
		return nil, fmt.Errorf("--format %s prints runs (--once, run), not the result of %s", f.name, cmp.Or(cmd.Name(), "this command"))
	}
	return f, nil
}

// print writes a result in the chosen format.
func (a *app) print(doc any, items []any, text func(io.Writer)) error {
	return a.format.write(a, result{doc: doc, items: items, text: text})
}

// report writes a result, and returns errFailed if the command must exit with 1 for it.
func (a *app) report(r result, failed bool) error {
	if err := a.format.write(a, r); err != nil || !failed {
		return err
	}
	return errFailed
}

// reportAndWrite is report for a command that can be interrupted, and that writes cases to a file if
// the user names one.
func (a *app) reportAndWrite(ctx context.Context, r result, failed bool, file string, write func(file string) error) error {
	err := a.report(r, failed)
	if err != nil && !errors.Is(err, errFailed) {
		return err
	}
	if file != "" {
		if err := write(file); err != nil {
			return err
		}
	}
	return cmp.Or(ctx.Err(), err)
}

// annotationPosition returns a position in a file of the project as an annotation has it.
func annotationPosition(p *session.Project, at suites.Position) suites.Position {
	file := filepath.FromSlash(at.File)
	if at.File == "" || strings.HasPrefix(at.File, "~") || !filepath.IsLocal(file) {
		return suites.Position{}
	}
	if within, err := filepath.Rel(topOf(p), filepath.Join(disk.Real(p.Root()), file)); err == nil {
		at.File = filepath.ToSlash(within)
	}
	return at
}

// topOf returns the top of the repository around a project, or its root without one.
func topOf(p *session.Project) string { return sandbox.GitTop(disk.Real(p.Root())) }

// failure returns the annotation of a case that neither passed nor was skipped, and reports whether it
// is one.
func failure(e session.CaseDone) (annotation, bool) {
	a := annotation{
		rule: e.Record.Key().String(), at: e.Defined, severity: suites.Error,
		title: string(e.Verdict.Status) + " " + session.Label(e.Record), text: e.Record.Note,
	}
	switch e.Verdict.Status {
	case suites.Fail:
		if e.FaultAt.Line > 0 {
			a.at = e.FaultAt // the title names the case
		}
	case suites.Unproven:
		a.severity = suites.Warning
	case suites.Pass, suites.Skip:
		return annotation{}, false
	case suites.Aborted:
	}
	return a, true
}

// encoder returns an encoder of JSON documents to standard output.
func (a *app) encoder() *json.Encoder {
	enc := json.NewEncoder(a.json())
	enc.SetEscapeHTML(false) // hooks and reasons are full of < > &
	return enc
}
