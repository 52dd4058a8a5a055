package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// TestBombs checks that small files with a large content are only read in part, and that
// this is reported.
func TestBombs(t *testing.T) {
	t.Parallel()
	packed := func(text string, times int) string {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		must(t, err)
		block := strings.Repeat(text, 1<<16/len(text))
		for range times {
			_, err = io.WriteString(z, block)
			must(t, err)
		}
		must(t, z.Close())
		return b.String()
	}
	const rotated = rollingName + "/pm-agent-2026-02-01T00-00-00.000.jsonl.gz"
	const small = `{"id":"a","pass":true}` + "\n"
	for name, c := range map[string]struct{ file, text, want string }{
		"packed records":     {rotated, packed(small, 200), "not read from here on: more than 160 MiB"},
		"packed empty lines": {rotated, packed("\n", 250), "not read from here on"},
		"one packed line":    {rotated, packed("x", 3000), "not read from here on"},
		"tools":              {rollingName + "/tools-2026-02-01T00-00-00.000.log.gz", packed(`{"tools":[{}]}`+"\n", 1000), ""},
		"a torn archive":     {rotated, packed(small, 10)[:500], "not read to its end"},
		"no archive":         {rotated, "no gzip", "not read to its end"},
		"a long line":        {rollingName + "/pm-agent.jsonl", strings.Repeat("x", 100<<20) + "\n" + foreignLine + "\n", "a line of more than 8 MiB"},
		"a deep line":        {rollingName + "/pm-agent.jsonl", strings.Repeat("[", 1<<20) + "\n", "not a JSON object"},
		"many keys":          {rollingName + "/pm-agent.jsonl", `{"pass":"1","id":"a"` + strings.Repeat(`,"a":1`, 1<<20) + "}\n", ""},
		"many inputs":        {inputsName, `{"a":[{}` + strings.Repeat(",{}", 3<<20) + "]}", "inputs.json: not read: too many values"},
		"deep inputs":        {inputsName, `{"a":` + strings.Repeat("[", 20_000), " unmarshal JSON array"}, // "cannot" or "unable to": the library chooses at random
		"large inputs":       {inputsName, strings.Repeat(" ", DocumentLimit+1), "too large"},
		"environment":        {environmentName, "null and void", "environment.json: not read"},
	} {
		t.Run(name, func(t *testing.T) { // one after the other, because they are large
			dir := t.TempDir()
			write(t, filepath.Join(dir, c.file), c.text)
			r := reader(t, dir)
			past, err := r.Past()
			must(t, err)
			if warnings := strings.Join(past.Warnings, "\n"); !strings.Contains(warnings, c.want) || c.want == "" && warnings != "" {
				t.Errorf("warnings %q, want %q", warnings, c.want)
			}
			if most := int(heldLimit >> 10); len(past.Records) > most {
				t.Errorf("%d records are held, at most %d may", len(past.Records), most)
			}
		})
	}
}

// TestSpoiltDocumentsAreKept checks that damaged documents are reported and put aside
// before they are written again.
func TestSpoiltDocumentsAreKept(t *testing.T) {
	t.Parallel()
	for _, name := range ownDocuments {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), "spoilt")
		s := open(t, Options{Place: at(dir)})
		warnings := strings.Join(s.Snapshot().Warnings, "\n")
		runSelected(t, s, "r1", rec("r1", "pm/P01", "1"))
		if kept, err := os.ReadFile(filepath.Join(dir, name+".unreadable-1")); string(kept) != "spoilt" || !strings.Contains(warnings, name+" is kept as") {
			t.Errorf("%s: kept %q, %v; warnings %q", name, kept, err, warnings)
		}
	}
}

// TestSpoiltStateIsKept checks that a file of records that was damaged while hookwatch
// runs is not replaced by a file with fewer records.
func TestSpoiltStateIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"))
	state := filepath.Join(dir, "pm-agent-20260301T120000Z.jsonl")
	write(t, state, read(t, state)+"notes of mine\n")
	runSelected(t, s, "r2", rec("r2", "pm/P02", "2"))
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=2")
	kept, err := filepath.Glob(filepath.Join(dir, archiveName, "*", "pm-agent-*"))
	must(t, err)
	found := false
	for _, path := range kept {
		found = found || strings.Contains(read(t, path), "notes of mine")
	}
	if warnings := s.Warnings(); !found || len(warnings) == 0 {
		t.Errorf("kept %v, warnings %q", kept, warnings)
	}
}

// TestNamesOfAnything checks that evidence of suites and cases with any name is in traces,
// in a separate file for each case.
func TestNamesOfAnything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	names := []string{"..", ".", "", "a", "a/b", "../../x", "a.", "con", "COM1.x", "-x", "~", strings.Repeat("x", 400), strings.Repeat("é", 100), "a\x00b", "a\nb", "\xff", `a\b`, "a:b", ".hidden"}
	for _, suite := range names {
		for _, id := range names {
			must(t, s.KeepEvidence(suites.Key{Suite: suite, ID: id}, &Evidence{Now: suite + "|" + id}))
		}
	}
	for _, suite := range names {
		for _, id := range names {
			if e := s.Evidence(suites.Key{Suite: suite, ID: id}); e == nil || e.Now != strings.ToValidUTF8(suite+"|"+id, "\ufffd") {
				t.Errorf("%q/%q: %+v", suite, id, e)
			}
		}
	}
	for _, name := range list(t, dir) {
		if parts := strings.Split(strings.TrimSuffix(name, "/"), "/"); strings.HasPrefix(name, Traces) && len(parts) > 3 {
			t.Errorf("%s is nested too deep", name)
		}
	}
}

func TestAgentsThatCannotNameAFile(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{
		"", ".", "..", ".a", "-a", "a/b", `a\b`, "a:b", "a\nb", "a\x1bb", "a\u202eb", "a.", "a ", " a", "\xff", "con", "NUL", "lpt1.x", "a*",
		strings.Repeat("a", disk.NameLimit+1), "a-2026-02-01T00-00-00.000",
	} {
		if checkAgent(agent) == nil {
			t.Errorf("%q is taken", agent)
		}
	}
	for _, agent := range []string{"pm-agent", "a", "A.b_c", "prüfer", "a b", "console", "com10", strings.Repeat("a", disk.NameLimit)} {
		if err := checkAgent(agent); err != nil {
			t.Error(err)
		}
	}
}

// TestManyRuns checks that an archive of any size is listed, and read until the budget is
// used up.
func TestManyRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 500 {
		must(t, os.MkdirAll(filepath.Join(dir, archiveName, fmt.Sprintf("20990101T%02d%02d%02dZ", i/3600, i/60%60, i%60)), 0o755))
	}
	s := open(t, Options{Place: at(dir), KeepRuns: 2})
	for _, id := range []string{"r1", "r2", "r3"} {
		runFull(t, s, id, noon, rec(id, "pm/P01", id))
	}
	runs, err := s.Runs()
	must(t, err)
	ours := slices.DeleteFunc(runs, func(r ArchivedRun) bool { return r.At.Year() == 2099 })
	if len(ours) != 2 || ours[0].Stamp != "20260301T120000Z-3" {
		t.Errorf("of this machine's: %v", ours)
	}
}

// endless is a line without an end. It counts the bytes that were read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 2*heldLimit {
		return 0, errors.New("read on and on")
	}
	for i := range p {
		p[i] = 'x'
	}
	e.read += int64(len(p))
	return len(p), nil
}

// TestEndless checks that skipped text counts as well.
func TestEndless(t *testing.T) {
	t.Parallel()
	line := new(endless)
	warned, err := readJSONL("x", line, newBudget(), func(suites.Record) bool { return true })
	if err != nil || len(warned) != 1 || line.read > heldLimit+1<<20 {
		t.Errorf("%q, %v after %d bytes", warned, err, line.read)
	}
}
