package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	none         = ConsentValue{Key: "run.isolation", Value: "none"}
	agreementKey = ConsentValue{Key: "run.pass_env", Value: "API_KEY"}
	elsew        = ConsentValue{Key: "settings", Value: "link/s.json", To: "/elsewhere/s.json"}
)

const repo = "a repository"

func agreed(t *testing.T, s Agreements, project string) *Agreement {
	t.Helper()
	a, err := s.Read(project)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAgreement checks that an agreement is for one project and exactly its values, and
// can be withdrawn.
func TestAgreement(t *testing.T) {
	t.Parallel()
	s := AgreementsIn(filepath.Join(t.TempDir(), "not", "yet"))
	if a := agreed(t, s, "/p"); a.Holds(repo, none) {
		t.Error("the user has not agreed")
	}
	if was, err := s.Forget("/p"); was || err != nil {
		t.Error("nothing to forget", was, err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, values := range [][]ConsentValue{{none, agreementKey}, {agreementKey, elsew}} {
		if err := s.Agree("/p", repo, values, at); err != nil {
			t.Fatal(err)
		}
	}
	a := agreed(t, s, "/p")
	for _, v := range []ConsentValue{none, {Key: "run.pass_env", Value: "API_KE"}, {Key: "settings", Value: "link/s.json"}, {Key: "settings", Value: "link/s.json", To: "/other"}, {Key: "run.pass_envAPI", Value: "_KEY"}} {
		if a.Holds(repo, v) {
			t.Errorf("the user has not agreed to %v", v)
		}
	}
	if !a.Holds(repo, agreementKey) || !a.Holds(repo, elsew) || agreed(t, s, "/p2").Holds(repo, agreementKey) {
		t.Errorf("agreed to %v", a)
	}
	if a.Holds("another repository", agreementKey) || a.Holds("", agreementKey) || (&Agreement{Values: a.Values}).Holds("", agreementKey) {
		t.Error("the user has not agreed for another repository")
	}
	fi, err := os.Stat(s.File("/p"))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if err := s.Agree("/o", repo, nil, at); err != nil {
		t.Fatal(err)
	}
	all, unreadable := s.List()
	if len(all) != 2 || all[0].Project != "/o" || all[1].Project != "/p" || len(unreadable) > 0 {
		t.Errorf("listed %v, %v", all, unreadable)
	}
	if was, err := s.Forget("/p"); !was || err != nil || agreed(t, s, "/p").Holds(repo, agreementKey) {
		t.Error("not forgotten", was, err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(s.File("/p"))); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestForged checks that files which are not the user's agreement for this project are
// errors, and agree to nothing.
func TestForged(t *testing.T) {
	t.Parallel()
	good := AgreementsIn(t.TempDir())
	if err := good.Agree("/p", repo, []ConsentValue{none}, time.Now()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(good.File("/p"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		make func(file string) error
		want string
	}{
		"another project's": {func(f string) error {
			return os.WriteFile(f, []byte(strings.Replace(string(content), `"/p"`, `"/o"`, 1)), 0o600)
		}, "is about /o"},
		"writable for others": {func(f string) error {
			return errors.Join(os.WriteFile(f, content, 0o600), os.Chmod(f, 0o666))
		}, "others may write"},
		"torn":  {func(f string) error { return os.WriteFile(f, content[:20], 0o600) }, "hookwatch trust replaces it"},
		"newer": {func(f string) error { return os.WriteFile(f, []byte(`{"version": 3}`), 0o600) }, "version 3"},
		"older": {func(f string) error {
			return os.WriteFile(f, []byte(strings.Replace(string(content), `"version": 2`, `"version": 1`, 1)), 0o600)
		}, errOldAgreement.Error()},
		"a link":      {func(f string) error { return os.Symlink(good.File("/p"), f) }, "link"},
		"a directory": {func(f string) error { return os.Mkdir(f, 0o700) }, "directory"},
		"of no size":  {func(f string) error { return os.WriteFile(f, nil, 0o600) }, "JSON"},
		"too large": {func(f string) error {
			return errors.Join(os.WriteFile(f, nil, 0o600), os.Truncate(f, largestAgreement+1))
		}, "too large"},
	} {
		s := AgreementsIn(t.TempDir())
		if err := os.MkdirAll(filepath.Dir(s.File("/p")), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := tt.make(s.File("/p")); err != nil {
			t.Fatal(err)
		}
		a, err := s.Read("/p")
		if err == nil || !strings.Contains(err.Error(), tt.want) || a.Holds(repo, none) {
			t.Errorf("%s: holds %v, error %v", name, a.Holds(repo, none), err)
		}
		if name == "another project's" || name == "torn" {
			if all, unreadable := s.List(); len(all) > 0 || len(unreadable) != 1 {
				t.Errorf("%s: listed %v, %v", name, all, unreadable)
			}
		}
	}
}

// TestFolderByLink checks that agreements stay within the state folder.
func TestFolderByLink(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for _, dir := range []string{"state", "clone"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "clone"), filepath.Join(top, "state", "hookwatch")); err != nil {
		t.Fatal(err)
	}
	s := AgreementsIn(filepath.Join(top, "state"))
	if err := s.Agree("/p", repo, []ConsentValue{none}, time.Now()); err == nil {
		t.Error("kept through a link")
	}
	if _, err := s.Read("/p"); err == nil {
		t.Error("read through a link")
	}
	if place, within := s.FindPlace(filepath.Join(top, "other"), filepath.Join(top, "clone")); !within || place != filepath.Join(top, "clone") {
		t.Error("it is in the clone", place)
	}
	if _, within := s.FindPlace(filepath.Join(top, "other"), ""); within {
		t.Error("it does not lie there")
	}
}
