package bench

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// A scene is a project with a hook whose firings are fakes: they say what they used.
type scene struct {
	t       *testing.T
	project string
	about   suites.Firing
	tool    string // a program that the hook runs
	outcome suites.Outcome
	made    int
	said    error // about entries of the store that were refused in the last run
}

// aged is a time at which files were written, long enough ago for their times to be reliable.
var aged = time.Now().Add(-time.Hour)

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, project: t.TempDir(), tool: filepath.Join(t.TempDir(), "sed"), about: suites.Firing{Input: []byte("the case"), Setup: []byte("here"), Scripts: []string{"hook.sh"}}}
	s.write("hook.sh", "cat lib.sh", 0o755)
	s.write("lib.sh", "true", 0o644)
	s.write("dir/a", "", 0o644)
	s.install("one")
	if err := os.Symlink("lib.sh", filepath.Join(s.project, "link")); err != nil {
		t.Fatal(err)
	}
	s.outcome = suites.Outcome{
		Results: []suites.Result{{Exit: 2, Stderr: []byte("no, in " + filepath.Join(s.project, "run1")), Effect: suites.Denied, ModelSees: []string{"no \xff"}}},
		Sandbox: filepath.Join(s.project, "run1"), Project: s.project, Root: s.project,
		Accesses: []suites.Access{
			s.uses("dir", suites.Listed), s.uses("hook.sh", suites.Ran|suites.Read), s.uses("lib.sh", suites.Read),
			s.uses("link", suites.Looked), s.uses("missing", suites.Looked), {Path: "/bin/cat", Kind: suites.Ran}, {Path: s.tool, Kind: suites.Ran},
		},
	}
	return s
}

func (s *scene) uses(name string, kind suites.AccessKind) suites.Access {
	return suites.Access{Path: filepath.Join(s.project, name), Kind: kind}
}

// write writes a file whose times are those of an hour ago, as those of files are that nobody edits now.
// Only the time of its last change is now.
func (s *scene) write(name, content string, mode os.FileMode) {
	s.t.Helper()
	path := filepath.Join(s.project, name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode), os.Chtimes(path, aged, aged))
	if err != nil {
		s.t.Fatal(err)
	}
}

// install writes the program, whose size and time of modification are those of every version, as a package may have
// it.
func (s *scene) install(version string) {
	s.t.Helper()
	err := errors.Join(os.WriteFile(s.tool, []byte(version), 0o755), os.Chmod(s.tool, 0o755), os.Chtimes(s.tool, aged, aged))
	if err != nil {
		s.t.Fatal(err)
	}
}

// fire fires once in a run of its own, and reports whether the firing was made.
func (s *scene) fire(change func(*Known)) bool {
	s.t.Helper()
	k, err := OpenKnown(KnownOptions{Base: s.project, Dir: filepath.Join(s.project, "state"), Root: s.project, Setup: []byte("this program")})
	if err != nil {
		s.t.Fatal(err)
	}
	k.audit = func() bool { return false }
	k.now = func() time.Time { return time.Now().Add(time.Hour) } // after every change
	if change != nil {
		change(k)
	}
	before := s.made
	o, err := k.Outcome(s.about, func() (suites.Outcome, error) { s.made++; return s.outcome, nil })
	if s.said = k.Close(); !disk.IsRefused(s.said) {
		err = errors.Join(err, s.said)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if got := o.Last(); got.Exit != 2 || got.Effect != suites.Denied || got.ModelSees[0] != "no \xff" {
		s.t.Fatalf("the outcome is %+v", got)
	}
	ofProject := func(all []suites.Access) (n int) {
		for _, a := range all {
			if strings.HasPrefix(a.Path, s.project+"/") {
				n++
			}
		}
		return n
	}
	if got, want := ofProject(o.Accesses), ofProject(s.outcome.Accesses); got != want {
		s.t.Fatalf("the outcome has %d accesses of the project, want %d", got, want)
	}
	return s.made > before
}

// TestKnown checks that a firing is left out as long as everything that it uses is the same, and made again
// after every change of it.
func TestKnown(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*scene){
		"script":   func(s *scene) { s.write("hook.sh", "cat lib.sh x", 0o755) },
		"mode":     func(s *scene) { s.write("hook.sh", "cat lib.sh", 0o644) },
		"library":  func(s *scene) { s.write("lib.sh", "fals", 0o644) },
		"removed":  func(s *scene) { _ = os.Remove(filepath.Join(s.project, "lib.sh")) },
		"appeared": func(s *scene) { s.write("missing", "", 0o644) },
		"listed":   func(s *scene) { s.write("dir/b", "", 0o644) },
		"link": func(s *scene) {
			_ = os.Remove(filepath.Join(s.project, "link"))
			_ = os.Symlink("hook.sh", filepath.Join(s.project, "link"))
		},
		"program":       func(s *scene) { s.install("two") },
		"program mode":  func(s *scene) { _ = os.Chmod(s.tool, 0o644) },
		"no program":    func(s *scene) { _ = os.Remove(s.tool) },
		"input":         func(s *scene) { s.about.Input = []byte("another case") },
		"end of setup":  func(s *scene) { s.about.Setup, s.about.Input = []byte("her"), []byte("ethe case") },
		"setup":         func(s *scene) { s.about.Setup = []byte("there") },
		"replaced":      func(s *scene) { s.about.Files = []suites.Fixture{{Path: "lib.sh", Content: "fals", Mode: 0o644}} },
		"added below":   func(s *scene) { s.about.Files = []suites.Fixture{{Path: "dir/sub/b", Content: "fals", Mode: 0o644}} },
		"gone":          func(s *scene) { s.about.Removed = []string{"lib.sh"} },
		"gone in a dir": func(s *scene) { s.about.Removed = []string{"dir/a"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			if !s.fire(nil) {
				t.Fatal("the first firing was not made")
			}
			if s.fire(nil) {
				t.Fatal("the second firing was made although nothing changed")
			}
			s.about.Files = []suites.Fixture{{Path: "lib.sh", Content: "true", Mode: 0o644}} // as it is
			if s.fire(nil) {
				t.Fatal("the firing was made with equal files of a revision")
			}
			s.about.Files = nil
			if change(s); !s.fire(nil) {
				t.Error("the firing was not made after the change")
			}
		})
	}
}

// TestKept checks which outcomes are not kept.
func TestKept(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*scene, *Known){
		"changed while it ran": func(_ *scene, k *Known) { k.now = func() time.Time { return aged } },
		"appeared and removed while it ran": func(s *scene, k *Known) {
			s.outcome.Accesses = []suites.Access{s.uses("dir/none", suites.Looked)}
			k.now = func() time.Time { return aged }
		},
		"unknown program":       func(s *scene, _ *Known) { s.outcome.Accesses[5].Path = "/bin/none-such" },
		"not all observed":      func(s *scene, _ *Known) { s.outcome.Unobserved = "it was traced by another" },
		"timed out":             func(s *scene, _ *Known) { s.outcome.Results[0].TimedOut = true },
		"killed":                func(s *scene, _ *Known) { s.outcome.Results[0].Signal = "SIGKILL" },
		"skipped":               func(s *scene, _ *Known) { s.outcome.NotRun = &suites.NotRun{} },
		"clock of a program":    func(s *scene, _ *Known) { s.outcome.Accesses[5].Path = "/bin/date" },
		"package":               func(s *scene, _ *Known) { s.outcome.Accesses[2] = s.uses("node_modules/x/index.js", suites.Read) },
		"clock of bash":         func(s *scene, _ *Known) { s.write("lib.sh", "echo $SECONDS", 0o644) },
		"process":               func(s *scene, _ *Known) { s.write("lib.sh", "echo x >/tmp/$$", 0o644) },
		"chance in Python":      func(s *scene, _ *Known) { s.write("lib.sh", "import json, random", 0o644) },
		"clock in Node":         func(s *scene, _ *Known) { s.write("lib.sh", "new Date()", 0o644) },
		"age in Python":         func(s *scene, _ *Known) { s.write("lib.sh", "os.stat(p).st_size", 0o644) },
		"thread in Python":      func(s *scene, _ *Known) { s.write("lib.sh", "from threading import Thread", 0o644) },
		"date of bash":          func(s *scene, _ *Known) { s.write("lib.sh", "printf '%(%s)T'", 0o644) },
		"age of a fixture":      func(s *scene, _ *Known) { s.about.Input = []byte(`{"Age":3600}`) },
		"age of a file":         func(s *scene, _ *Known) { s.write("lib.sh", "[ a -nt b ]", 0o644) },
		"chance of a device":    func(s *scene, _ *Known) { s.write("lib.sh", "head -c 8 /dev/urandom | xxd", 0o644) },
		"age in git":            func(s *scene, _ *Known) { s.write("lib.sh", "git log -1 --format=%cr", 0o644) },
		"clock in jq":           func(s *scene, _ *Known) { s.write("lib.sh", "jq 'now'", 0o644) },
		"program of the user":   func(s *scene, _ *Known) { s.write("lib.sh", "\x7fELF\x00", 0o755) },
		"chance in the command": func(s *scene, _ *Known) { s.about.Input = []byte("echo $RANDOM") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.fire(func(k *Known) { change(s, k) })
			if !s.fire(nil) {
				t.Error("the outcome was kept")
			}
		})
	}
}

// TestExamined checks that a file is examined again after a change, and that a word is not found within another one.
func TestExamined(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fire(func(k *Known) {
		for _, content := range []string{"date_now=1; known SECONDS_LEFT Dates", "echo $SECONDS"} {
			s.write("lib.sh", content, 0o644)
			if why, err := k.examine("lib.sh", &s.about); (why != "") != strings.Contains(content, "$") || err != nil {
				t.Errorf("%s: %q, %v", content, why, err)
			}
		}
	})
}

// TestTwice checks that two firings of one run are both made, and that an outcome is dropped if they differ.
func TestTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		second string
		made   bool
	}{{"equal", "no, in {sandbox}", false}, {"another column", "no, in {sandbox}, column 440", false}, {"other", "yes", true}} {
		s := newScene(t)
		if strings.Contains(tt.second, "column") {
			s.outcome.Results[0].Stderr = append(s.outcome.Results[0].Stderr, ", column 9"...)
		}
		s.fire(func(k *Known) {
			if _, err := k.Outcome(s.about, func() (suites.Outcome, error) { s.made++; return s.outcome, nil }); err != nil {
				t.Error(err)
			}
			s.outcome.Sandbox = filepath.Join(s.project, "run2")
			s.outcome.Results[0].Stderr = []byte(strings.ReplaceAll(tt.second, "{sandbox}", s.outcome.Sandbox))
		})
		if s.made != 2 {
			t.Errorf("%s: %d firings were made, want 2", tt.name, s.made)
		}
		if made := s.fire(nil); made != tt.made {
			t.Errorf("%s: made again: %v, want %v", tt.name, made, tt.made)
		}
	}
}

// TestAudit checks that a firing which does something else than is known drops all that is known, and that
// one which does the same does not.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	audit := func(k *Known) { k.audit = func() bool { return true } }
	s.fire(nil)
	if made := s.fire(audit); !made || s.fire(nil) {
		t.Error("an audited firing that did the same was not made, or was dropped")
	}
	s.outcome.Results[0].TimedOut = true
	if made := s.fire(audit); !made || s.fire(nil) {
		t.Error("an audited firing that had no time to end was not made, or dropped what is known")
	}
	s.outcome.Results[0].TimedOut, s.outcome.Results[0].Stdout = false, []byte("something else")
	var known *Known
	if made := s.fire(func(k *Known) { audit(k); known = k }); !made || known.Counts() != (Counts{Made: 1, Differing: 1}) {
		t.Errorf("made %v, counts %+v", made, known.Counts())
	}
	if entries, err := os.ReadDir(filepath.Join(s.project, "state")); err != nil || len(entries) > 0 {
		t.Errorf("%d outcomes are left, %v", len(entries), err)
	}
}

// TestFresh checks that all firings are made if the user wants so, and their outcomes kept.
func TestFresh(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	fresh := func(k *Known) { k.Fresh = true }
	if s.fire(fresh); !s.fire(fresh) || s.fire(nil) {
		t.Error("a firing was left out, or its outcome not kept")
	}
}

// TestDamaged checks that files which hookwatch did not write so are never taken for outcomes.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(text []byte) []byte{
		"truncated": func(text []byte) []byte { return text[:len(text)/2] },
		"empty":     func([]byte) []byte { return nil },
		"changed":   func(text []byte) []byte { text[len(text)-20] ^= 1; return text },
		"version": func(text []byte) []byte {
			return []byte(strings.Replace(string(text), form, "hookwatch known firing 0\n", 1))
		},
		"planted": func([]byte) []byte { return formatKept(&kept{Key: "of another firing"}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.fire(nil)
			files, err := filepath.Glob(filepath.Join(s.project, "state", "*"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			text, err := os.ReadFile(files[0])
			if err = errors.Join(err, os.WriteFile(files[0], damage(text), 0o644)); err != nil {
				t.Fatal(err)
			}
			if !s.fire(nil) {
				t.Error("the damaged file counts")
			}
		})
	}
	t.Run("link", func(t *testing.T) {
		t.Parallel()
		s := newScene(t)
		s.fire(nil)
		state := filepath.Join(s.project, "state")
		if err := errors.Join(os.Rename(state, state+"2"), os.Symlink(state+"2", state)); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenKnown(KnownOptions{Base: s.project, Dir: state}); err == nil {
			t.Error("a link to a directory is followed")
		}
	})
}

// FuzzParseKept checks that no content of a file makes the parser fail, with the digest that belongs to it or without.
func FuzzParseKept(f *testing.F) {
	f.Add(formatKept(&kept{Key: "k", Used: []used{{"a", "b"}}, Outcome: suites.Outcome{Results: []suites.Result{{Exit: 1}}}}))
	f.Add(formatKept(&kept{Key: "k"})[len(form)+sha256.Size:])
	f.Fuzz(func(_ *testing.T, text []byte) {
		parseKept(text)
		parseKept(seal(text))
	})
}
