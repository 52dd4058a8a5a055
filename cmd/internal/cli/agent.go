package cli

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/verdict"
)

const (
	agentSettings = ".claude/settings.json"
	agentSkill    = ".claude/skills/hookwatch/SKILL.md"
	agentMatcher  = "Edit|Write|MultiEdit|NotebookEdit|Bash"
	// agentCommand runs the agent command. On a machine without hookwatch, the user is informed of
	// edits in .claude, because silence would look like success; the model gets nothing to work on.
	agentCommand = `command -v hookwatch >/dev/null && exec hookwatch agent; grep -q '[.]claude[/\\]' && echo '{"systemMessage": "hookwatch is not installed: the cases of the edited hook were not run"}'; exit 0`
)

//go:embed skill.md
var skill []byte

// newAgentCmd returns the command that init --agent registers as a hook.
func newAgentCmd(a *app, g *globals) *cobra.Command {
	return &cobra.Command{
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
			out := map[string]any{}
			switch text, err := runAffected(cmd.Context(), a, *g); {
			case err != nil:
				out["systemMessage"] = "hookwatch: the cases were not run: " + strings.Join(errorLines(err), "\n")
			case text != "":
				out["hookSpecificOutput"] = map[string]string{"hookEventName": "PostToolUse", "additionalContext": text}
			default:
				return nil
			}
			return a.encoder().Encode(out)
		},
	}
}

// runAffected runs the cases that a call of a tool affects, and returns the failures as text.
func runAffected(ctx context.Context, a *app, g globals) (string, error) {
	const largest = 64 << 20
	payload, err := io.ReadAll(io.LimitReader(a.In, largest))
	if err != nil {
		return "", err
	}
	var call struct {
		Cwd   string `json:"cwd"`
		Input struct {
			File     string `json:"file_path"`
			Notebook string `json:"notebook_path"`
			Command  string `json:"command"`
		} `json:"tool_input"`
	}
	if err := json.Unmarshal(payload, &call); err != nil {
		return "", fmt.Errorf("standard input is no payload of the client: %w", err)
	}
	if wd, err := os.Getwd(); g.Dir == "" && (err != nil || wd != os.Getenv("CLAUDE_PROJECT_DIR")) {
		g = g.in(os.Getenv("CLAUDE_PROJECT_DIR"))
	}
	file := call.Input.File + call.Input.Notebook
	if file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(call.Cwd, file)
	}
	p, err := g.loadToRun(false, "")
	if p == nil {
		text := strings.Join(errorLines(err), "\n")
		if about := strings.Contains(filepath.ToSlash(file), "/.claude/") || filepath.Base(file) == config.FileName; !about && (file == "" || !strings.Contains(text, filepath.Base(file))) {
			return "", nil
		}
		return "hookwatch cannot read the project after this edit:\n" + text, nil
	}
	if err != nil {
		return "", nil // there is nothing to run
	}
	edited := editedBy(p, file, call.Input.Command)
	if len(edited) == 0 {
		return "", nil
	}
	view := &agentView{options: placed(p, g.program), failed: map[suites.Key]bool{}}
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
		if sum := o.Once(ctx, verdict.WithControls(left[:next], p.Every()), false); sum.Aborted != "" {
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
func editedBy(p *session.Project, file, command string) (files []string) {
	if file != "" {
		return []string{p.Rel(file)}
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
		for _, c := range p.Every() {
			p.Graph.Inputs(c) // the graph follows files only after it is asked for a case's inputs
		}
		stale = nil
		for _, file := range edited {
			selected, err := session.Affected(p, file, "")
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

// initAgent registers the agent command in the project's settings, and writes the skill.
func initAgent(a *app, dir string, yes bool) error {
	d, err := disk.Make(dir, filepath.Join(dir, filepath.Dir(agentSettings)))
	if err != nil {
		return err
	}
	defer d.Close()
	const largest = 1 << 20
	name := filepath.Base(agentSettings)
	text, err := d.ReadFile(name, largest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	edited, err := withAgent(text)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(agentSkill))); err == nil && bytes.Equal(edited, text) {
		return errors.New("nothing to write: the hook and the skill exist")
	}
	writef(a.Out, "%s: a hook of PostToolUse (%s) that runs:\n  %s\n%s: how to use hookwatch\n", agentSettings, agentMatcher, agentCommand, agentSkill)
	switch {
	case yes:
	case !terminal.Is(a.In) || !terminal.Is(a.Out):
		return errors.New("nothing was written: there is no terminal to ask on (--yes writes without asking)")
	default:
		if agreed, err := confirm(a.Out, a.In, "Write this to "+dir+"?"); err != nil || !agreed {
			return errors.Join(err, errors.New("nothing was written"))
		}
	}
	if !bytes.Equal(edited, text) {
		if err := d.Replace(name, edited, disk.Synced); err != nil {
			return err
		}
		reportFiles(a.Out, []string{agentSettings})
	}
	if err := writeNew(dir, agentSkill, skill); err == nil {
		reportFiles(a.Out, []string{agentSkill})
	} else if !errors.Is(err, fs.ErrExist) || disk.IsRefused(err) {
		return err
	}
	writef(a.Out, "\nNext: hookwatch --once, so that there are verdicts to compare with\n")
	return nil
}

// withAgent returns a settings file with the hook, in the form that it has otherwise. It returns it
// unchanged if it has the hook.
func withAgent(text []byte) ([]byte, error) {
	type entry struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	value := struct {
		Matcher string  `json:"matcher"`
		Hooks   []entry `json:"hooks"`
	}{agentMatcher, []entry{{"command", agentCommand, 30}}}
	out, err := insertion{Path: []string{"hooks", "PostToolUse"}, Value: value, Present: "hookwatch agent", Strict: true}.into(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w; nothing was written", agentSettings, err)
	}
	return out, nil
}
