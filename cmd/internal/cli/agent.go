package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
	"hookwatch/suites/verdict"
)

// newAgentCmd returns the command that init --agent registers as a hook.
func newAgentCmd(a *app, g *globals) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:    "agent",
		Hidden: true,
		Short:  "Run the cases that an agent's edit affects, as a hook of the client",
		Long: `Read the payload of PostToolUse from standard input. If the call edited a hook, its
configuration or settings, run the cases that are affected, and print failures as
context for the model. Cases that failed before have one line. It prints nothing if no
case fails, and always exits with 0.
hookwatch init --agent registers it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if os.Getenv("HOOK_SESSION_PID") != "" {
				return nil // a case fires the hooks of its project, and must not start another run
			}
			if os.Getenv("COPILOT_CLI") != "" { // it also runs the hooks of Claude Code's files
				name = "copilot"
			}
			of, err := oneClient(cmp.Or(name, clients.Claude))
			if err != nil {
				return err
			}
			text, err := runAffected(cmd.Context(), a, *g, of)
			switch {
			case err != nil:
				return a.encoder().Encode(map[string]string{"systemMessage": "hookwatch: the cases were not run: " + strings.Join(errorLines(err), "\n")})
			case text != "":
				return a.encoder().Encode(of.Context(afterCalls, text))
			}
			return nil
		},
	}
	withClient(cmd.Flags(), &name)
	return cmd
}

// afterCalls is the event at which clients run the agent command, by Claude Code's name.
const afterCalls = "PostToolUse"

// An agentCall is the payload of an event after a call of a tool.
type agentCall struct {
	Cwd   string          `json:"cwd"`
	Input json.RawMessage `json:"tool_input"`
	Own   json.RawMessage `json:"toolArgs"` // as Copilot CLI calls it
}

// patched matches the lines of a patch that name a file, in the form of the tool apply_patch.
var patched = pattern.Lazy(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$`)

// edits returns the files that the call edited, as the client names them, and the command that it ran.
func (c agentCall) edits() (files []string, command string) {
	var input struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Path     string `json:"path"`
		Command  string `json:"command"`
	}
	for _, text := range []json.RawMessage{c.Input, c.Own} {
		_ = json.Unmarshal(text, &input)         // a tool whose input has other fields edits nothing
		_ = json.Unmarshal(text, &input.Command) // or its input is a patch
	}
	if file := input.File + input.Notebook + input.Path; file != "" {
		files = append(files, file)
	}
	for _, m := range patched().FindAllStringSubmatch(input.Command, -1) {
		files = append(files, m[1])
	}
	return files, input.Command
}

// runAffected runs the cases that a call of a tool affects, and returns the failures as text.
func runAffected(ctx context.Context, a *app, g globals, of clients.Client) (string, error) {
	const largest = 64 << 20
	payload, err := io.ReadAll(io.LimitReader(a.In, largest))
	if err != nil {
		return "", err
	}
	var call agentCall
	if err := json.Unmarshal(payload, &call); err != nil {
		return "", fmt.Errorf("standard input is no payload of the client: %w", err)
	}
	if wd, err := os.Getwd(); g.Dir == "" && (err != nil || wd != os.Getenv("CLAUDE_PROJECT_DIR")) {
		g = g.in(os.Getenv("CLAUDE_PROJECT_DIR"))
	}
	files, command := call.edits()
	p, err := g.loadToRun(false, "")
	if p == nil {
		text := strings.Join(errorLines(err), "\n")
		if !slices.ContainsFunc(files, func(file string) bool {
			in := func(dir string) bool { return strings.Contains("/"+filepath.ToSlash(file), "/"+dir+"/") }
			return in(".claude") || in(path.Dir(of.Files[0])) || strings.Contains(text, filepath.Base(file)) || filepath.Base(file) == config.FileName
		}) {
			return "", nil
		}
		return "hookwatch cannot read the project after this edit:\n" + text, nil
	}
	if err != nil {
		return "", nil // there is nothing to run
	}
	edited := editedBy(p, call.Cwd, files, command)
	if len(edited) == 0 {
		return "", nil
	}
	view := &agentView{options: placeOptions(p, g.program), failed: map[suites.Key]bool{}}
	o, err := openSession(a, g, p, view, g.openRecords(p.Config), true)
	if err != nil {
		return "", err
	}
	defer o.close()
	cases, err := affectedBy(o, p, edited)
	if err != nil {
		return "", err
	}
	// Several short runs, because one that is interrupted is reported as such. How long a case takes is
	// only known when some have run: the machine may be busy.
	most, err := jobs(p)
	if err != nil {
		return "", err
	}
	began, next, left := time.Now(), 4*most, cases
	for len(left) > 0 && next > 0 {
		next = min(next, len(left))
		if sum := o.RunOnce(ctx, verdict.WithControls(left[:next], p.Every()), false); sum.Aborted != "" {
			return "", errors.New(sum.Aborted)
		}
		left = left[next:]
		each := time.Since(began) / time.Duration(len(cases)-len(left))
		next = int((agentTime - time.Since(began)) / max(each, 1))
	}
	return view.text(edited, len(left)), nil
}

// editedBy returns the files that a call may have edited and that some case may depend on, from the
// root. For a command these are the files of hooks that it names.
func editedBy(p *session.Project, cwd string, edited []string, command string) (files []string) {
	for _, file := range edited {
		files = append(files, p.RelFrom(cwd, file))
	}
	if len(files) > 0 {
		return files
	}
	known := slices.Concat(p.Scripts(), p.Registered.Files, []string{config.FileName})
	for _, h := range slices.Concat(p.Registered.Hooks, p.Registered.Others) {
		known = append(known, h.Scripts...)
	}
	for _, name := range known {
		if strings.Contains(command, path.Base(name)) && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return files
}

// agentTime is about the time that the cases may take.
const agentTime = 1200 * time.Millisecond

// affectedBy selects the cases that edits affect, the quickest first.
func affectedBy(o *opened, p *session.Project, edited []string) (cases []verdict.Selected, err error) {
	stale := o.Stale()
	if o.lastFull.IsZero() { // everything is stale
		stale = nil
		for _, file := range edited {
			selected, err := session.SelectAffected(p, file, "")
			if err != nil {
				return nil, err
			}
			stale = append(stale, selected...)
		}
	}
	seen := map[suites.Key]bool{}
	for _, s := range stale {
		if k := s.Case.Key(); !seen[k] && s.Case.Layer != suites.Live {
			seen[k] = true
			cases = append(cases, s)
		}
	}
	took := o.Took()
	slices.SortStableFunc(cases, func(a, b verdict.Selected) int { return cmp.Compare(took(a.Case.Key()), took(b.Case.Key())) })
	return cases, nil
}

// An agentView keeps the failures of a run.
type agentView struct {
	options  notify.Options
	failed   map[suites.Key]bool
	failures []string
	still    []string // cases that failed before
}

func (v *agentView) Handle(e session.Event) {
	done, ok := e.(session.CaseDone)
	if !ok || done.Verdict.Status != suites.Fail || v.failed[done.Record.Key()] {
		return
	}
	v.failed[done.Record.Key()] = true // a control may run again
	if done.Transition == session.Same {
		v.still = append(v.still, done.Record.Key().String())
	} else {
		v.failures = append(v.failures, notify.Failure(done, v.options))
	}
}

func (v *agentView) Close() error { return nil }

// text returns the failures for the model, short enough for the client not to cut them; "" if there are none.
func (v *agentView) text(edited []string, left int) string {
	const most, largest = 5, 8000
	var b strings.Builder
	n := len(v.failures)
	if n > 0 {
		fmt.Fprintf(&b, "hookwatch: %s after the edit of %s. Fix the hook, or the case if it is wrong.\n", session.Count(n, "failing case"), some(edited, false))
	}
	for i, f := range v.failures {
		if i == most || b.Len()+len(f) > largest {
			fmt.Fprintf(&b, "and %d more\n", n-i)
			break
		}
		b.WriteString(f)
	}
	if len(v.still) > 0 {
		fmt.Fprintf(&b, "hookwatch: failed before this edit, too: %s\n", some(v.still, false))
	}
	if left > 0 && b.Len() > 0 {
		fmt.Fprintf(&b, "%s left to run: hookwatch --once --changed\n", session.Count(left, "affected case"))
	}
	return b.String()
}
