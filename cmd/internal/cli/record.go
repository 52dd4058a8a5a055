package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/corpus"
	"hookwatch/suites/disk"
	"hookwatch/suites/live"
)

// recorderName is the command with which the client starts the recorder, with the directory of the
// corpus and the project.
const recorderName = "recorder"

// runRecorder adds the payload on standard input to a corpus. It runs for each event of a session,
// so it needs no commands, configuration or project. It prints nothing and never fails, because
// the client would act on either.
func runRecorder(dir, root string, in io.Reader) {
	defer func() { _ = recover() }() // of a payload that is like no other, say
	payload, err := io.ReadAll(io.LimitReader(in, corpus.LargestPayload+1))
	_, _ = io.Copy(io.Discard, in) // the client must not fail to write the rest
	if err != nil {
		return
	}
	c, err := corpus.Open(dir, root, homeDir())
	if err != nil {
		return
	}
	_, _ = c.Add(payload, time.Now())
	_ = c.Close()
}

type recordOptions struct {
	transcripts, yes bool
	id, write        string // with id: a payload becomes a case
	expect           string
}

func newRecordCmd(a *app, g *globals) *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Record what the client sends to hooks, for replay",
		Long: `Write a settings file with a recorder for every event, and print the command that
starts the client with it. Your own settings and hooks stay as they are. With
--transcripts, the client's transcripts of earlier sessions in this project are read
instead, after asking. Secrets, mail addresses and names of home directories are
replaced before anything is written; payloads are kept in your state folder.
hookwatch replay fires the hooks with them. With --case, a recorded payload becomes a
case, which expects what the hooks do now. See hookwatch help replaying.`,
		Example: `  hookwatch record
  hookwatch record --transcripts --yes
  hookwatch record --case 3fa92b --write .claude/tests/hooks/suites/recorded.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runRecord(cmd.Context(), a, *g, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.transcripts, "transcripts", false, "read the client's transcripts of this project")
	f.BoolVar(&o.yes, "yes", false, "read them without being asked")
	f.StringVar(&o.id, "case", "", "print the recorded payload with this `ID`, or its beginning, as a case")
	f.StringVar(&o.write, "write", "", "add the case to this suite `FILE`")
	f.StringVar(&o.expect, "expect", "", "expect this `EFFECT` instead, such as denied")
	cmd.MarkFlagsMutuallyExclusive("transcripts", "case")
	return cmd
}

// homeDir returns the user's home directory, "" if it is unknown.
func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}

// openCorpus opens the corpus of a project.
func openCorpus(cfg *config.Config) (*corpus.Corpus, error) {
	c, err := corpus.Open(cfg.CorpusDir(), cfg.Root, homeDir())
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("nothing is recorded of %s (hookwatch record starts)", cfg.Root)
	}
	return c, err
}

func runRecord(ctx context.Context, a *app, g globals, o recordOptions) error {
	switch {
	case o.write+o.expect != "" && o.id == "":
		return errors.New("--write and --expect go with --case: they name the suite file for the case, and an effect")
	case o.yes && !o.transcripts:
		return errors.New("--yes goes with --transcripts: it reads them without asking")
	case o.id != "":
		return recordCase(ctx, a, g, o.id, o.write, suites.Effect(o.expect))
	}
	cfg, err := g.loadConfig()
	if err != nil {
		return err
	}
	var files []string
	if o.transcripts {
		if files, err = agreedTranscripts(a, cfg.Root, "", o.yes); err != nil {
			return err
		}
	}
	c, err := corpus.Make(disk.Existing(cfg.State), cfg.CorpusDir(), cfg.Root, homeDir())
	if err != nil {
		return err
	}
	defer c.Close()
	doc := recordDocument{Version: 1, Project: filepath.Base(cfg.Root), Payloads: []recordedEvent{}}
	if o.transcripts {
		doc.Transcripts = len(files)
		if doc.Added, err = c.AddTranscripts(files); err != nil {
			return err
		}
	} else {
		if doc.Settings, err = writeRecorder(c, cfg); err != nil {
			return err
		}
		doc.Command = live.Program + " --settings " + quote(doc.Settings)
	}
	all, err := c.Payloads()
	if err != nil {
		return err
	}
	doc.count(all)
	return a.print(doc, jsonLines(doc.Payloads, ranIn{}), func(w io.Writer) { printRecord(w, doc) })
}

// writeRecorder writes the settings file with which the client starts the recorder. It leaves out
// events that a hook changes by running: those whose output is a path, and those that fire hooks of
// plugins only if a settings file has some. The client waits for the recorder only where it may end
// next, because it would end the recorder, too.
func writeRecorder(c *corpus.Corpus, cfg *config.Config) (file string, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	command := strings.Join([]string{quote(program), recorderName, quote(c.Dir().Path()), quote(cfg.Root), ">/dev/null 2>&1 || :"}, " ")
	var entries []client.Entry
	for _, e := range client.Events() {
		if !e.PrintsPath && !e.NeedsSettings {
			entries = append(entries, client.Entry{Event: e.Name, Type: "command", Command: command, Timeout: 5 * time.Second, Async: !e.Stop && !e.Last})
		}
	}
	const name = "settings.json"
	return filepath.Join(c.Dir().Path(), name), c.Dir().Replace(name, live.Settings(entries, nil), disk.Unsynced)
}

// agreedTranscripts returns the transcripts of a project if the user agrees that they are read, and more.
func agreedTranscripts(a *app, root, more string, yes bool) ([]string, error) {
	dir, files, err := corpus.Transcripts(root, homeDir(), os.Getenv("CLAUDE_CONFIG_DIR"))
	switch {
	case err != nil:
		return nil, err
	case len(files) == 0:
		return nil, fmt.Errorf("the client has no transcripts of %s in %s", root, dir)
	case yes:
		return files, nil
	}
	return files, a.agree(fmt.Sprintf("Read %s of sessions in %s%s?", session.Count(len(files), "transcript"), root, more), "no transcript is read")
}

// recordDocument is the JSON document of record.
type recordDocument struct {
	Version     int             `json:"version"`
	Project     string          `json:"project"`
	Settings    string          `json:"settings,omitempty"` // the file for --settings
	Command     string          `json:"command,omitempty"`  // that starts the client with it
	Transcripts int             `json:"transcripts,omitempty"`
	Added       int             `json:"added,omitempty"` // payloads of them that were not recorded yet
	Payloads    []recordedEvent `json:"payloads"`
}

// recordedEvent are the recorded payloads of an event and a tool.
type recordedEvent struct {
	Event    string    `json:"event"`
	Tool     string    `json:"tool,omitempty"`
	Payloads int       `json:"payloads"`
	Shapes   int       `json:"shapes"` // sets of fields
	Last     time.Time `json:"last"`
}

// count counts payloads, the newest first.
func (d *recordDocument) count(all []corpus.Payload) {
	shapes := map[[3]string]bool{}
	for _, p := range all {
		i := slices.IndexFunc(d.Payloads, func(e recordedEvent) bool { return e.Event == p.Event && e.Tool == p.Tool })
		if i < 0 {
			i = len(d.Payloads)
			d.Payloads = append(d.Payloads, recordedEvent{Event: p.Event, Tool: p.Tool, Last: p.Last.UTC().Truncate(time.Second)})
		}
		d.Payloads[i].Payloads++
		if shape := [3]string{p.Event, p.Tool, p.Shape()}; !shapes[shape] {
			shapes[shape] = true
			d.Payloads[i].Shapes++
		}
	}
}

func printRecord(w io.Writer, doc recordDocument) {
	for _, e := range doc.Payloads {
		writef(w, "%s  %s, %s, last %s\n", strings.TrimSpace(e.Event+" "+e.Tool), session.Count(e.Payloads, "payload"), session.Count(e.Shapes, "shape"), e.Last.Local().Format(time.DateTime))
	}
	if doc.Settings == "" {
		writef(w, "%s read, %s added\n", session.Count(doc.Transcripts, "transcript"), session.Count(doc.Added, "payload"))
	} else {
		writef(w, "To record a session, start the client with\n\n  %s\n\n", whole(doc.Command))
	}
	if len(doc.Payloads) > 0 {
		writef(w, "Next: hookwatch replay\n")
	}
}
