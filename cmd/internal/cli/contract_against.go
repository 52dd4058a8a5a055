package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/live"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
)

// An againstDocument compares two versions of a client.
type againstDocument struct {
	Version     int          `json:"version"`
	Name        string       `json:"name,omitempty"` // of another client than Claude Code
	Client      string       `json:"client"`         // version of the installed one
	Against     string       `json:"against"`
	Same        int          `json:"same"`
	NotCompared int          `json:"not_compared"` // cells that were not reachable in one of them
	Recorded    int          `json:"recorded"`     // different outputs of the project's hooks in its records
	Skipped     string       `json:"skipped,omitempty"`
	Fault       string       `json:"fault,omitempty"`
	Elsewhere   []string     `json:"elsewhere,omitempty"` // requests of either to anything but the model, all refused
	Differences []difference `json:"differences"`

	ranIn
}

// A difference is a cell of which two versions of a client do different things.
type difference struct {
	ID      string   `json:"id"`
	Client  string   `json:"client"`
	Against string   `json:"against"`
	Because string   `json:"because,omitempty"`
	Hook    string   `json:"hook,omitempty"`  // of the project, of a recorded output
	Cases   []string `json:"cases,omitempty"` // in which it was recorded
}

// TouchedHooks returns the differences that concern a hook of the project.
func (d againstDocument) TouchedHooks() (touched []difference) {
	return slices.DeleteFunc(slices.Clone(d.Differences), func(x difference) bool { return x.Hook == "" })
}

// compareClients plays the questions and what the project's hooks printed in recorded runs to two clients,
// or compares the first with the predictions for a measured version.
func compareClients(ctx context.Context, a *app, g globals, p *session.Project, t *trial, all []question, with string) error {
	version, path, err := otherOf(p, with)
	if err != nil {
		return err
	}
	hooks, cases, recorded, err := recordedOutputs(g, p)
	if err != nil {
		return err
	}
	all = append(all, recorded...)
	now, err := playQuestions(ctx, t.Runner, t.bench, all)
	if err != nil {
		return err
	}
	then := contractResult{Client: string(version)}
	if path == "" {
		then.Rows = predictions(all, version)
	} else {
		o := t.Options
		o.Live.Client = path
		second := run.New(o)
		defer second.Close()
		if then, err = playQuestions(ctx, second, t.bench, all); err != nil {
			return err
		}
	}
	doc := againstDocument{
		Version: 1, Name: p.LiveOf.Name, Client: now.Client, Against: then.Client, Recorded: len(recorded),
		Skipped: cmp.Or(now.Absent, then.Absent), Fault: cmp.Or(now.Fault, then.Fault), Differences: []difference{}, ranIn: t.ranIn,
		Elsewhere: slices.Compact(slices.Sorted(slices.Values(slices.Concat(now.Elsewhere, then.Elsewhere)))),
	}
	for i, one := range now.Rows {
		other := then.Rows[i]
		d := difference{one.ID, one.Seen, other.Seen, "", hooks[one.ID], cases[one.ID]}
		switch {
		case one.Verdict == notReachable || other.Verdict == notReachable:
			doc.NotCompared++
		case alike(one.Seen) != alike(other.Seen):
			doc.Differences = append(doc.Differences, d)
		case path != "" && one.Verdict != other.Verdict:
			d.Because = cmp.Or(one.Because, other.Because)
			doc.Differences = append(doc.Differences, d)
		default:
			doc.Same++
		}
	}
	return a.report(result{doc: doc, items: jsonLines(doc.Differences, doc.ranIn), text: func(w io.Writer) { printAgainst(w, doc) }}, len(doc.TouchedHooks()) > 0 || doc.Fault != "")
}

// otherOf returns the version or the program to compare with.
func otherOf(p *session.Project, with string) (version client.Version, path string, err error) {
	known := client.Versions()
	if p.LiveOf.Name != "" {
		known = []client.Version{client.Version(p.LiveOf.Measured)}
	}
	if slices.Contains(known, client.Version(with)) {
		return client.Version(with), "", nil
	}
	if path, err = filepath.Abs(with); err != nil {
		return "", "", err
	}
	about, err := os.Stat(path)
	if err == nil && about.IsDir() {
		path = filepath.Join(path, filepath.Base(p.Client()))
		_, err = os.Stat(path)
	}
	if err != nil {
		var names []string
		for _, v := range known {
			names = append(names, string(v))
		}
		return "", "", fmt.Errorf("--against %s is neither a measured version (%s) nor a program: install that version and name its path", with, strings.Join(names, ", "))
	}
	return "", path, nil
}

// alike returns the same value for observations that cannot be distinguished.
func alike(seen string) string {
	switch suites.Effect(seen) {
	case suites.Ignored:
		return string(suites.Proceeds)
	case suites.ContextAdded:
		return string(suites.ShownToModel)
	default:
		return seen
	}
}

// predictions returns what hookwatch predicts for the questions with a measured version.
func predictions(all []question, v client.Version) (rows []contractRow) {
	for _, q := range all {
		seen := ""
		switch q := q.(type) {
		case client.Cell:
			in := q.Output
			in.Entry, in.Matched = cellEntry(q), live.WayTo(q.Event).Value
			seen = string(client.Interpret(v, q.Event, in).Effect)
		case client.InForceMatcher:
			seen = runs(q.Predict())
		case client.InForceCondition:
			seen = runs(takes(q))
		case client.InForceFile:
			seen = describeNames(client.InForceFile(q).Predict(v))
		case otherCell:
			seen = string(q.of.Interpret(q.Event, q.Output).Effect)
		}
		rows = append(rows, contractRow{ID: q.ID(), Verdict: confirmed, Seen: seen})
	}
	return rows
}

// recordedOutputs returns the different outputs in the project's records as questions, with the
// hooks that printed them and the cases in which they did, by the questions' IDs.
func recordedOutputs(g globals, p *session.Project) (hooks map[string]string, cases map[string][]string, all []question, err error) {
	hooks, cases = map[string]string{}, map[string][]string{}
	reader, err := record.OpenReader(g.recordsPlace(p.Config))
	if err != nil {
		return nil, nil, nil, err
	}
	defer reader.Close()
	present, err := reader.Present()
	if err != nil {
		return nil, nil, nil, err
	}
	ids := map[string]string{} // by output
	for _, r := range present.Records {
		c := p.Find(r.Key())
		if c == nil || c.Check != nil || r.Layer == suites.Live || r.ActualExit == nil || strings.Contains(r.ActualOutput+r.ActualStderr, "\n[hookwatch: ") {
			continue
		}
		event, key := c.Steps[len(c.Steps)-1].Event, r.Key().String()
		same := fmt.Sprint(r.Hook, "\x00", event, *r.ActualExit, "\x00", r.ActualOutput, "\x00", r.ActualStderr)
		if id := ids[same]; id != "" {
			cases[id] = append(cases[id], key)
			continue
		}
		out := client.Output{Exit: *r.ActualExit, Stdout: []byte(r.ActualOutput), Stderr: []byte(r.ActualStderr)}
		var q question = client.Cell{Case: "recorded " + key, Event: event, Output: out}
		if of := p.LiveOf; of.Name != "" {
			own, exists := of.EventFor(event, ".claude/settings.json")
			if !exists {
				continue
			}
			q = otherCell{of, clients.Cell{Case: "recorded " + key, Event: own, Output: out}}
		}
		ids[same], hooks[q.ID()], cases[q.ID()] = q.ID(), r.Hook, []string{key}
		all = append(all, q)
	}
	return hooks, cases, all, nil
}

// printAgainst prints the differences, those of the project's hooks last.
func printAgainst(w io.Writer, d againstDocument) {
	if d.Skipped != "" {
		writef(w, "SKIP  absent: %s\n", d.Skipped)
		return
	}
	hooks := map[string]bool{}
	for _, x := range d.Differences {
		if x.Hook == "" {
			writef(w, "%s: %s on %s, %s on %s\n", x.ID, x.Client, d.Client, x.Against, d.Against)
		}
	}
	for _, x := range d.TouchedHooks() {
		hooks[x.Hook] = true
		writef(w, "TOUCHED  %s (%s): %s on %s, %s on %s\n", x.Hook, strings.Join(x.Cases, ", "), x.Client, d.Client, x.Against, d.Against)
	}
	printFault(w, d.Fault, d.Elsewhere)
	writef(w, "%s %s against %s: %d cells the same, %d different, %d not compared\n", clientName(d.Name), cmp.Or(d.Client, "unknown"), cmp.Or(d.Against, "unknown"),
		d.Same, len(d.Differences), d.NotCompared)
	writef(w, "%s of the project's hooks recorded, %s touched\n", session.Count(d.Recorded, "output"), session.Count(len(slices.Collect(maps.Keys(hooks))), "hook"))
}
