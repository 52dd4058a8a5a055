package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
)

// A format is one way to print results, chosen by --format. Each is a file of its
// own that registers itself; help, completion and errors read the registry.
type format struct {
	name string
	help string // one line
	layout
	// view shows a run, or a watching session. nil: the format has no form for runs.
	view func(a *app, p *project.Project, watch bool) notify.View
	// onceOnly: a file of one run, of which a watching session would print several.
	onceOnly bool
	// write prints the result of a command that runs no cases. nil: the format has no
	// form for such results.
	write func(a *app, r result) error
}

// A layout is how the parts of a format's output follow one another.
type layout int

const (
	asText     layout = iota // for users: sentences may stand between the parts
	asLines                  // one value a line, printed as soon as it is known
	asDocument               // one document, printed at the end
)

// A result is what a command that runs no cases prints: a document, made of items,
// or text for users.
type result struct {
	doc   any
	items int
	item  func(int) any
	text  func(io.Writer)
}

// formats is the registry, by name.
var formats = map[string]*format{}

// register adds a format. It returns it so that a file can call register as it
// declares a variable.
func register(f *format) *format {
	formats[f.name] = f
	return f
}

// formatNames lists the formats in alphabetical order.
func formatNames() []string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// anyFormat lists the formats in a sentence: "human, json or jsonl".
func anyFormat() string {
	names := formatNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// formatHelp describes each format in a line.
func formatHelp() string {
	var b strings.Builder
	b.WriteString("Formats of --format:\n")
	for _, name := range formatNames() {
		fmt.Fprintf(&b, "\n  %-8s%s", name, formats[name].help)
	}
	return b.String()
}

// completeFormat completes the value of --format.
func completeFormat(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	for _, name := range formatNames() {
		all = append(all, cobra.CompletionWithDesc(name, formats[name].help))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// runsCases is the annotation of commands that show a run.
const runsCases = "runs cases"

// chooseFormat sets the format that --format names. An unknown one, and one in which
// the command has nothing to print, are refused here for all commands.
func (a *app) chooseFormat(cmd *cobra.Command) error {
	f, known := formats[a.formatName]
	if !known {
		return fmt.Errorf("--format %s: want %s", a.formatName, anyFormat())
	}
	a.format = f
	_, runs := cmd.Annotations[runsCases]
	switch session := cmd == cmd.Root() && !a.once; {
	case runs && f.view == nil:
		return fmt.Errorf("--format %s does not print runs", f.name)
	case runs && session && f.onceOnly:
		return fmt.Errorf("--format %s prints one run: use it with --once or run", f.name)
	case !runs && f.write == nil:
		return fmt.Errorf("--format %s prints runs (--once, run), not the result of %s", f.name, cmp.Or(cmd.Name(), "this command"))
	}
	return nil
}

// print writes a result in the chosen format.
func (a *app) print(doc any, items int, item func(int) any, text func(io.Writer)) error {
	return a.format.write(a, result{doc, items, item, text})
}

// encoder writes JSON documents to standard output.
func (a *app) encoder() *json.Encoder {
	enc := json.NewEncoder(a.json())
	enc.SetEscapeHTML(false) // hooks and reasons are full of < > &
	return enc
}
