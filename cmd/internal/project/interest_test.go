//go:build unix

package project

import (
	"slices"
	"testing"
)

func TestFirstInterest(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.write(".hookwatch.yaml", `hooks: [hooks, ../shared hooks]
settings: [.claude/settings.json]
specs: ["docs/specs/*.md", docs/one.md, "deep/**/x.md", "a{b,c}/d.md", "*.adoc"]
suites: [builtin, "suites/s?.yaml", "suites/[a-c].yaml"]
`)
	cfg := s.config()
	if cfg.Notice() == "" || !slices.Contains(FirstInterest(cfg).Files, cfg.TrustFile()) {
		t.Error("what is asked for may be agreed to meanwhile")
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
			want = append(want, s.path(name))
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
	s := newScene(t, nil)
	cfg := s.config()
	cfg.Path = ""
	if i := FirstInterest(cfg); i.Files[0] != s.path(".hookwatch.yaml") {
		t.Errorf("files %q", i.Files)
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.write(".hookwatch.yaml", settings+"watch: {ignore: [\"*.log\", \"gen/**\", hooks/skip.sh]}\n")
	cfg := s.config()
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
		if got := ignored(cfg, s.path(tt.name), tt.dir); got != tt.want {
			t.Errorf("%s (directory: %v) is ignored: %v, want %v", tt.name, tt.dir, got, tt.want)
		}
	}
}
