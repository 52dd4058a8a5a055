package cli

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/notify/human"
	"hookwatch/suites"
)

var update = flag.Bool("update", false, "write golden files anew")

// golden compares text with a file of testdata, or writes that.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(strings.ReplaceAll(readText(t, file), "\r\n", "\n"), got); d != "" {
		t.Errorf("%s differs (-want +got); go test -update writes it:\n%s", file, d)
	}
}

// junitRunOf hands a view a run of two suites with every verdict, whose notes and
// output hold what XML has to escape or cannot hold.
func junitRunOf(v notify.View) {
	record := func(suite, id, note string, pass bool) suites.Record {
		return suites.Record{Suite: suite, ID: id, TestName: "a <case> & more", InputSummary: "rm -rf \"$HOME\"", Note: note, Pass: pass,
			Timestamp: "2026-08-12T12:02:1" + id[1:] + "Z", DurationMS: 12, ActualStderr: "]]> \x1b[2J\x00\ufffe\n"}
	}
	all := []suites.Record{
		record("guard", "G2", "", true),
		record("guard", "G1", "exit 0, want 2; stderr empty, want \"no\"", false),
		record("guard", "G3", "absent: ruff", true),
		record("other", "O4", "unproven: control G1 did not fail", true),
		record("other", "O5", "ABORTED: jaq is missing", false),
	}
	done := notify.RunDone{Records: all, Project: "my <hooks>", Isolation: "copy", Weaker: "requested by run.isolation: copy", Duration: 1740 * time.Millisecond}
	v.Handle(notify.RunStarted{Cases: len(all)})
	for i, r := range all {
		e := notify.CaseDone{Record: r, At: "suite.yaml:7", Rerun: "hookwatch run " + r.ID, Effect: "proceeds", Done: i + 1, Of: len(all),
			Verdict: suites.Verdict{Status: r.Status(), Note: r.Note}}
		if e.Verdict.Status == suites.Fail {
			e.Verdict.Mismatches = []suites.Mismatch{{Field: "exit", Got: "0", Want: "2"}, {Field: "stderr", Got: `"]]> \x1b[2J\x00\ufffe\n"`, Want: `"no"`}}
		}
		v.Handle(e)
	}
	v.Handle(done)
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := newJUnit(&out, func(e notify.CaseDone) string { return human.Failure(e, human.Options{}) })
	junitRunOf(v)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.xml", out.String())
	for d := xml.NewDecoder(&out); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
