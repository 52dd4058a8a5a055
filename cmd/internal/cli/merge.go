package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// A shard is one of the parts of a full run that --shard splits it into.
type shard struct{ number, of int }

// parseShard reads a shard as "2/4"; "" is none.
func parseShard(text string) (shard, error) {
	if text == "" {
		return shard{}, nil
	}
	number, of, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(number)
	n, err2 := strconv.Atoi(of)
	const most = 1000
	if err != nil || err2 != nil || i < 1 || i > n || n > most {
		return shard{}, fmt.Errorf("--shard %s: want a part of at most %d, such as 2/4", text, most)
	}
	return shard{i, n}, nil
}

func newMergeCmd(a *app, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge the shards of a full run into one run",
		Long: `Read the JSON documents that --once --shard wrote, check that every case of the project
is in exactly one of them, and file, report and show their cases as one full run: with
its records, RESULTS.md and the exit code that --once would have had. Shards are made
by the records, so each must begin with the same ones.`,
		Example: `  hookwatch --once --shard 1/2 --format json >1.json
  hookwatch --once --shard 2/2 --format json >2.json
  hookwatch merge 1.json 2.json`,
		Annotations: map[string]string{runsCases: ""},
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return errors.New("merge needs the documents of the shards, such as hookwatch merge shards/*.json")
			}
			return runMerge(a, *g, files)
		},
	}
}

func runMerge(a *app, g globals, files []string) error {
	p, err := g.loadToRun(false, "")
	if err != nil {
		return err
	}
	of := map[suites.Key]string{} // the file that has a case
	var records []suites.Record
	var took, hooks time.Duration
	var aborted []string
	for _, file := range files {
		var doc runDocument
		if err := readPrinted(file, "--once", "cases", &doc); err != nil {
			return err
		}
		for _, r := range doc.Cases {
			k := r.Key()
			switch other := of[k]; {
			case p.Find(k) == nil:
				return fmt.Errorf("%s: %s is no case of %s: were the shards run on another revision?", file, k, p.Name())
			case other != "":
				return fmt.Errorf("%s: %s is in %s, too: a case is in one shard if all shards have the same number, revision and records", file, k, other)
			}
			of[k] = file
		}
		records = append(records, doc.Cases...)
		took, hooks = max(took, time.Duration(doc.DurationMS)*time.Millisecond), hooks+time.Duration(doc.HookMS)*time.Millisecond
		if doc.Reason != "" {
			aborted = append(aborted, file+": "+doc.Reason)
		}
	}
	var missing []string
	for _, c := range p.Every() {
		if of[c.Key()] == "" {
			missing = append(missing, c.Key().String())
		}
	}
	if len(missing) > 0 {
		return &abortedError{Why: fmt.Sprintf("%d of %d cases are in no shard: %s", len(missing), len(p.Every()), some(missing, false))}
	}
	slices.SortFunc(records, func(x, y suites.Record) int { return p.Order(x.Key()) - p.Order(y.Key()) })
	view := a.view(p, g.program, false, func(string) {})
	o, err := openSession(a, g, p, view, g.openRecords(p.Config), true)
	if err != nil {
		return errors.Join(err, view.Close())
	}
	defer o.close()
	view.Handle(o.startEvent())
	sum := o.Merge(records, took, hooks, strings.Join(aborted, "; "))
	if err := o.end(view, &sum); err != nil {
		return err
	}
	return outcome(a, g, sum, false)
}

// readPrinted reads the JSON document that a command printed; key is one of its keys.
func readPrinted(file, command, key string, doc any) error {
	var keys map[string]json.RawMessage
	text, err := disk.Reader{}.ReadFile(file, record.DocumentLimit)
	if err == nil {
		err = cmp.Or(record.ParseJSON(text, &keys), record.ParseJSON(text, doc))
	}
	if err == nil && keys[key] == nil {
		err = fmt.Errorf("it has no %q", key)
	}
	if err == nil && string(keys["version"]) != strconv.Itoa(schemaVersion) {
		err = errors.New("it is of another version of hookwatch")
	}
	if err != nil {
		return fmt.Errorf("%s is not what hookwatch %s --format json prints: %w", file, command, err)
	}
	return nil
}
