//go:build unix

package session

import (
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/watcher"
)

func TestFirstInterest(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, nil)
	s.Write(".hookwatch.yaml", `hooks: [hooks, ../shared hooks]
settings: [.claude/settings.json]
specs: ["docs/specs/*.md", docs/one.md, "deep/**/x.md", "a{b,c}/d.md", "*.adoc"]
suites: [builtin, "suites/s?.yaml", "suites/[a-c].yaml"]
`)
	cfg := s.Config()
	if cfg.Notice() == "" || !slices.Contains(FirstInterest(cfg).Files, cfg.TrustFile()) {
		t.Error("requested settings may be accepted meanwhile")
	}
	cfg.Hooks, cfg.Asks = append(cfg.Hooks, "../shared hooks"), nil // as if it had been agreed to
	i := FirstInterest(cfg)
	files := []string{".hookwatch.yaml", ".claude/settings.json", "docs/one.md"}
	dirs := []string{"hooks", "docs/specs", // places elsewhere are neither read nor watched
		"deep", ".", "suites"}
	for _, tt := range []struct {
		kind      string
		got, want []string
	}{{"files", i.Files, files}, {"directories", i.Dirs, dirs}} {
		var want []string
		for _, name := range tt.want {
			want = append(want, s.Path(name))
		}
		slices.Sort(want)
		got := slices.Clone(tt.got)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s\n%q, want\n%q", tt.kind, got, want)
		}
	}
}

// TestNoConfiguration checks that a missing configuration file is watched.
func TestNoConfiguration(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, nil)
	cfg := s.Config()
	cfg.Path = ""
	if i := FirstInterest(cfg); i.Files[0] != s.Path(".hookwatch.yaml") {
		t.Errorf("files %q", i.Files)
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, nil)
	s.Write(".hookwatch.yaml", settings+"watch: {ignore: [\"*.log\", \"gen/**\", hooks/skip.sh]}\n")
	cfg := s.Config()
	for _, tt := range []struct {
		name string
		dir  bool
		want bool
	}{
		{"results", true, true}, {"results/rolling/a.jsonl", false, true}, {"results-of-others/a.md", false, false},
		{".git", true, true}, {"hooks/.git", true, true}, {"node_modules", true, true}, {"hooks/__pycache__", true, true}, {".venv", true, true},
		{"hooks/.git", false, false}, {"hooks", true, false}, {".claude", true, false},
		{"hooks/guard.sh", false, false}, {"hooks/.guard", false, false}, {".hookwatch.yaml", false, false}, {"docs/a.md", false, false},
		{"hooks/guard.sh~", false, true}, {"hooks/.guard.sh.swp", false, true}, {"hooks/.guard.sh.swx", false, true}, {"hooks/4913", false, true},
		{"hooks/.#guard.sh", false, true}, {"hooks/#guard.sh#", false, true}, {"hooks/guard.sh___jb_tmp___", false, true},
		{"hooks/guard.sh___jb_old___", false, true}, {"hooks/sedAb3xYz", false, true}, {"hooks/guard.sh.tmp", false, true},
		{"hooks/sed.sh", false, false}, {"hooks/#issue", false, false}, {"hooks/49130", false, false}, {"hooks/tmp.sh", false, false},
		{"hooks/old~", true, false},
		{"a.log", false, true}, {"hooks/a.log", false, false}, {"gen/a/b.sh", false, true}, {"hooks/skip.sh", false, true},
		{"../a.log", false, false},
	} {
		if got := isIgnored(cfg, s.Path(tt.name), tt.dir); got != tt.want {
			t.Errorf("%s (directory: %v) is ignored: %v, want %v", tt.name, tt.dir, got, tt.want)
		}
	}
}

// TestListed checks that of directories that a case lists only the files directly in them are
// watched, unless what is below is of interest, too.
func TestListed(t *testing.T) {
	t.Parallel()
	i := watcher.Interest{
		Files: []string{"/home/u/deep/er/file"}, Dirs: []string{"/project/hooks"},
		Ignore: func(file string, _ bool) bool { return filepath.Base(file) == ".git" },
	}
	addListed(&i, []string{"/home/u", "/home/u/also", "/project", "/project/hooks/d"})
	for _, tt := range []struct {
		path      string
		dir, want bool
	}{
		{"/home/u/x", false, false},
		{"/home/u/large", true, true},
		{"/home/u/also", true, false},
		{"/home/u/also/large", true, true},
		{"/home/u/deep", true, false},
		{"/home/u/deep/er", true, false},
		{"/project/hooks", true, false},
		{"/project/hooks/d/below", true, false},
		{"/project/large", true, true},
		{"/project/.git", true, true},
	} {
		if got := i.Ignore(filepath.FromSlash(tt.path), tt.dir); got != tt.want {
			t.Errorf("%s is ignored: %v, want %v", tt.path, got, tt.want)
		}
	}
}
