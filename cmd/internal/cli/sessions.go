package cli

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites/corpus"
	"hookwatch/suites/disk"
	"hookwatch/suites/live"
	"hookwatch/suites/sessions"
)

func newSessionsCmd(a *app, g *globals) *cobra.Command {
	var dir string
	var yes, user bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "Show what the hooks did in real sessions",
		Long: `Read Claude Code's transcripts of sessions in this project, after asking, and count
for each registered hook the calls that start it, the runs that the transcripts show,
and what these did; which hooks never ran, and why; and calls before which no hook runs.
--transcripts DIR reads all transcripts in a directory instead, without asking. Payloads
of hookwatch record count as well. Nothing is written. See hookwatch help replaying.`,
		Example: `  hookwatch sessions
  hookwatch sessions --transcripts ~/.claude/projects/-work-project --format json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runSessions(a, *g, dir, yes, user) },
	}
	cmd.Flags().StringVar(&dir, "transcripts", "", "read the transcripts below this `DIR`, of any project")
	cmd.Flags().BoolVar(&yes, "yes", false, "read the transcripts of this project without being asked")
	cmd.MarkFlagsMutuallyExclusive("transcripts", "yes")
	withUser(cmd.Flags(), &user)
	return cmd
}

// sessionsDocument is the JSON document of sessions.
type sessionsDocument struct {
	Version     int      `json:"version"`
	Project     string   `json:"project"`
	Client      string   `json:"client"`   // whose transcripts are read
	NotRead     []string `json:"not_read"` // other clients with hooks here
	Transcripts int      `json:"transcripts"`
	Found       int      `json:"sessions"`
	Recorded    int      `json:"recorded"`              // payloads of hookwatch record
	DisabledBy  string   `json:"disabled_by,omitempty"` // the setting that switches all hooks off
	*corpus.Sessions
	*sessions.Tally
}

func runSessions(a *app, g globals, dir string, yes, user bool) error {
	p, err := g.loadWithUser(user)
	if err != nil {
		return err
	}
	root := p.Root()
	files, roots, distrusting, err := transcriptsFor(a, g, dir, root, yes)
	if err != nil {
		return err
	}
	redactor, recorded, err := recordedOf(p.Config)
	if err != nil {
		return err
	}
	doc := sessionsDocument{Version: 1, Project: p.Name(), Client: live.Program, NotRead: []string{}, Recorded: len(recorded)}
	doc.Tally = sessions.NewTally(p.Registered, func(script string) string {
		text, _ := disk.Reader{Root: root}.ReadFile(filepath.Join(root, filepath.FromSlash(script)), 1<<20) // without it, there is no text to compare
		return string(text)
	}, redactor.Text)
	if doc.Sessions, err = corpus.ReadSessions(files, roots, doc.Take); err != nil {
		return err
	}
	doc.Transcripts, doc.Found = len(files)-doc.Unread, len(doc.IDs)
	for _, payload := range recorded {
		doc.Tally.TakePayload(payload)
	}
	if at := p.Registered.DisabledBy; at.Line > 0 {
		doc.DisabledBy = at.String()
	}
	for _, of := range p.Registered.Clients() {
		doc.NotRead = append(doc.NotRead, of.Name)
	}
	doc.End(doc.BadLines+doc.Unread == 0, strings.Replace(distrusting, homeDir()+string(filepath.Separator), "~/", 1))
	return a.print(doc, jsonLines(doc.Hooks, ranIn{}), func(w io.Writer) { printSessions(w, doc, a.width()) })
}

// transcriptsFor returns the transcripts in a directory that the user names, or those of a project, if
// the user agrees that they are read, with the directories of its sessions and the file that says that the
// user does not trust the project.
func transcriptsFor(a *app, g globals, dir, root string, yes bool) (files, roots []string, distrusting string, err error) {
	if dir == "" {
		if files, err = agreedTranscripts(a, root, ", and in .claude.json whether you trust it", yes); err == nil {
			distrusting = corpus.FindDistrust(root, homeDir(), os.Getenv("CLAUDE_CONFIG_DIR"))
		}
		return files, []string{root, disk.Real(root)}, distrusting, err
	}
	if files, err = corpus.FindTranscripts(g.relative(dir)); err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no transcripts (files named *.jsonl)", dir)
	}
	return files, nil, "", err
}

// recordedOf returns the recorded payloads of a project, if there are any, and a redactor.
func recordedOf(cfg *config.Config) (*corpus.Redactor, []corpus.Payload, error) {
	c, err := corpus.Open(cfg.CorpusDir(), cfg.Root, homeDir())
	if errors.Is(err, fs.ErrNotExist) {
		return corpus.NewRedactor([]byte(rand.Text()), cfg.Root, homeDir()), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	all, err := c.Payloads()
	return c.Redactor, all, err
}

func printSessions(w io.Writer, doc sessionsDocument, columns int) {
	row := func(indent, format string, args ...any) { prosef(w, columns, indent, format, args...) }
	row("", "%s in %s of Claude Code: %s", session.Count(doc.Found, "session"), session.Count(doc.Transcripts, "transcript"), listCounts(doc.Events))
	if doc.DisabledBy != "" {
		row("", "%s switches all hooks off", doc.DisabledBy)
	}
	for _, f := range doc.Hooks {
		row(fmt.Sprintf("%-9s", strings.ToUpper(f.State)), "%s %s", f.ID, f.At)
		row("         ", "%s", figuresText(f))
	}
	for i, of := range []map[string]int{doc.Uncovered, doc.Unregistered, doc.Unattributed} {
		if len(of) > 0 {
			row("", "%s: %s", []string{"Calls before which no hook runs", "Runs of commands that are not registered here", "Runs that several hooks may have caused"}[i], listCounts(of))
		}
	}
	for _, bad := range doc.Bad {
		row("not read ", "%s", bad)
	}
	if doc.BadLines+doc.Unread > 0 {
		row("", "%s and %s were not read, so no figure is exact", session.Count(doc.BadLines, "line"), session.Count(doc.Unread, "transcript"))
	}
	row("", "+: at least, because a run that prints nothing and exits with 0 leaves no record. Calls are those that start the hook as it is registered now.")
	if len(doc.NotRead) > 0 {
		row("", "Transcripts of other clients with hooks here are not read: %s.", strings.Join(doc.NotRead, ", "))
	}
}

// figuresText returns the figures of a hook in a sentence.
func figuresText(f *sessions.Figures) string {
	var parts []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	for _, name := range append([]string{"calls", "fired"}, corpus.Outcomes...) {
		bound := "+"
		if slices.Contains(f.Exact, name) {
			bound = ""
		}
		add(f.Counts[name], "%s %d%s", strings.ReplaceAll(name, "_", " "), f.Counts[name], bound)
	}
	add(f.Inferred, "%d of them inferred", f.Inferred)
	add(f.Timed, "p50 %d ms, p95 %d ms of %d", f.P50MS, f.P95MS, f.Timed)
	add(f.Counts["fired"], "last %s", f.Last.Local().Format(time.DateTime))
	add(f.Recorded, "%s start it", session.Count(f.Recorded, "recorded payload"))
	add(len(f.Why), "%s", f.Why)
	return strings.Join(parts, ", ")
}

// listCounts lists counts by name, the largest first.
func listCounts(of map[string]int) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, of[name])
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
