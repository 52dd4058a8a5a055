package watcher

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// A step changes the disk. want are the paths that must have been reported afterwards; if
// it is nil, any may be.
type step struct {
	do   func(t *testing.T, at func(string) string)
	want []string
}

// sequences are run in every mode. Before each there are hooks/a.sh, hooks/lib/b.sh and
// conf/c.json. Of interest are hooks, conf/c.json, conf/absent/d.json and link/e, except
// for files called *.tmp.
var sequences = map[string][]step{
	"write in place": {{writes("hooks/a.sh", "2"), []string{"hooks/a.sh"}}},
	"same content": {{func(t *testing.T, at func(string) string) {
		f, err := os.OpenFile(at("hooks/a.sh"), os.O_WRONLY, 0) // not truncated: a slow machine may see that
		ok(t, err)
		_, err = f.WriteString("1")
		ok(t, err)
		ok(t, f.Close())
	}, []string{}}},
	"touch": {{func(t *testing.T, at func(string) string) {
		ok(t, os.Chtimes(at("hooks/a.sh"), time.Time{}, time.Now().Add(-time.Hour)))
	}, []string{}}},
	"chmod without x": {{chmods("hooks/a.sh", 0o600), []string{}}},
	"chmod with x": {
		{chmods("hooks/a.sh", 0o755), []string{"hooks/a.sh"}},
		{chmods("hooks/a.sh", 0o700), []string{}},
		{chmods("hooks/a.sh", 0o644), []string{"hooks/a.sh"}},
	},
	"times in past and future": {{func(t *testing.T, at func(string) string) {
		put(t, at("hooks/a.sh"), "2")
		ok(t, os.Chtimes(at("hooks/a.sh"), time.Time{}, time.Unix(1, 0)))
		put(t, at("conf/c.json"), "2")
		ok(t, os.Chtimes(at("conf/c.json"), time.Time{}, time.Now().Add(24*time.Hour)))
	}, []string{"hooks/a.sh", "conf/c.json"}}, {func(t *testing.T, at func(string) string) {
		put(t, at("conf/c.json"), "3") // same size, same time
		ok(t, os.Chtimes(at("conf/c.json"), time.Time{}, time.Now().Add(24*time.Hour)))
	}, []string{"conf/c.json"}}},
	"vim": {{func(t *testing.T, at func(string) string) {
		put(t, at("hooks/4913.tmp"), "")
		ok(t, os.Remove(at("hooks/4913.tmp")))
		ok(t, os.Rename(at("hooks/a.sh"), at("hooks/a.sh~.tmp")))
		put(t, at("hooks/a.sh"), "2")
		ok(t, os.Remove(at("hooks/a.sh~.tmp")))
	}, []string{"hooks/a.sh"}}},
	"emacs": {{func(t *testing.T, at func(string) string) {
		ok(t, os.Symlink("user@host.123", at("hooks/.#a.sh")))
		ok(t, os.Rename(at("hooks/a.sh"), at("hooks/a.sh~.tmp")))
		put(t, at("hooks/a.sh"), "2")
		ok(t, os.Remove(at("hooks/.#a.sh")))
	}, []string{"hooks/a.sh"}}},
	"VS Code": {{func(t *testing.T, at func(string) string) {
		f, err := os.OpenFile(at("hooks/a.sh"), os.O_WRONLY|os.O_TRUNC, 0)
		ok(t, err)
		for _, part := range []string{"#!/bin/sh\n", "echo 2\n"} {
			_, err = f.WriteString(part)
			ok(t, err)
		}
		ok(t, f.Close())
	}, []string{"hooks/a.sh"}}},
	"JetBrains": {{func(t *testing.T, at func(string) string) {
		put(t, at("hooks/a.sh___jb.tmp"), "2")
		ok(t, os.Rename(at("hooks/a.sh"), at("hooks/a.sh___jb_old.tmp")))
		ok(t, os.Rename(at("hooks/a.sh___jb.tmp"), at("hooks/a.sh")))
		ok(t, os.Remove(at("hooks/a.sh___jb_old.tmp")))
	}, []string{"hooks/a.sh"}}},
	"sed -i": {{func(t *testing.T, at func(string) string) {
		put(t, at("hooks/sedX.tmp"), "2")
		ok(t, os.Rename(at("hooks/sedX.tmp"), at("hooks/a.sh")))
	}, []string{"hooks/a.sh"}}},
	"delete and recreate": {
		{removes("hooks/a.sh"), []string{"hooks/a.sh"}},
		{writes("hooks/a.sh", "1"), []string{"hooks/a.sh"}},
		{func(t *testing.T, at func(string) string) {
			ok(t, os.Remove(at("hooks/a.sh")))
			put(t, at("hooks/a.sh"), "2")
		}, []string{"hooks/a.sh"}},
	},
	"directory deleted and recreated": {
		{removes("hooks"), []string{"hooks/a.sh", "hooks/lib/b.sh"}},
		{writes("hooks/lib/b.sh", "1"), []string{"hooks/lib/b.sh"}},
		{writes("hooks/lib/b.sh", "2"), []string{"hooks/lib/b.sh"}},
		{func(t *testing.T, at func(string) string) {
			ok(t, os.RemoveAll(at("hooks")))
			put(t, at("hooks/lib/b.sh"), "2")
			put(t, at("hooks/lib/c.sh"), "1")
		}, nil},
		{writes("hooks/lib/c.sh", "2"), []string{"hooks/lib/c.sh"}},
	},
	"directory renamed away and back": {
		{renames("hooks", "away"), []string{"hooks/a.sh", "hooks/lib/b.sh"}},
		{writes("away/a.sh", "2"), []string{}},
		{renames("away", "hooks"), []string{"hooks/a.sh", "hooks/lib/b.sh"}},
		{writes("hooks/lib/b.sh", "2"), []string{"hooks/lib/b.sh"}},
		{func(t *testing.T, at func(string) string) {
			for range 5 {
				ok(t, os.Rename(at("hooks"), at("away")))
				ok(t, os.Rename(at("away"), at("hooks")))
			}
		}, nil},
		{writes("hooks/lib/b.sh", "3"), []string{"hooks/lib/b.sh"}},
	},
	"directory renamed within": {
		{renames("hooks/lib", "hooks/new"), []string{"hooks/lib/b.sh", "hooks/new/b.sh"}},
		{writes("hooks/new/b.sh", "2"), []string{"hooks/new/b.sh"}},
		{writes("hooks/lib/b.sh", "3"), []string{"hooks/lib/b.sh"}},
	},
	"ancestor renamed": {
		{renames("conf", "away"), []string{"conf/c.json"}},
		{writes("conf/c.json", "2"), []string{"conf/c.json"}},
		{writes("conf/absent/d.json", "2"), []string{"conf/absent/d.json"}},
	},
	"directories made in one go": {
		{writes("hooks/x/y/z.sh", "1"), []string{"hooks/x/y/z.sh"}},
		{writes("hooks/x/y/z.sh", "2"), []string{"hooks/x/y/z.sh"}},
		{writes("conf/absent/d.json", "1"), []string{"conf/absent/d.json"}},
		{writes("link/e", "1"), []string{"link/e"}},
	},
	"file becomes directory": {
		{func(t *testing.T, at func(string) string) {
			ok(t, os.Remove(at("hooks/a.sh")))
			put(t, at("hooks/a.sh/inner"), "1")
		}, []string{"hooks/a.sh", "hooks/a.sh/inner"}},
		{func(t *testing.T, at func(string) string) {
			ok(t, os.RemoveAll(at("hooks/a.sh")))
			put(t, at("hooks/a.sh"), "2")
		}, []string{"hooks/a.sh", "hooks/a.sh/inner"}},
	},
	"directory becomes link": {
		{func(t *testing.T, at func(string) string) {
			ok(t, os.Rename(at("hooks/lib"), at("lib")))
			ok(t, os.Symlink("../lib", at("hooks/lib")))
		}, nil},
		{writes("lib/b.sh", "2"), []string{"hooks/lib/b.sh"}},
		{writes("lib/new.sh", "2"), []string{"hooks/lib/new.sh"}},
	},
	"link swapped": {
		{func(t *testing.T, at func(string) string) {
			put(t, at("v1/e"), "1")
			put(t, at("v2/e"), "2")
			ok(t, os.Symlink("v1", at("link")))
		}, []string{"link/e"}},
		{writes("v1/e", "1b"), []string{"link/e"}},
		{func(t *testing.T, at func(string) string) { swap(t, "v2", at("link")) }, []string{"link/e"}},
		{writes("v1/e", "1c"), []string{}},
		{writes("v2/e", "2b"), []string{"link/e"}},
		{func(t *testing.T, at func(string) string) { swap(t, at("v1"), at("link")) }, []string{"link/e"}},
		{func(t *testing.T, at func(string) string) { swap(t, "nowhere", at("link")) }, []string{"link/e"}},
		{writes("nowhere/e", "3"), []string{"link/e"}},
	},
	"link to file": {
		{func(t *testing.T, at func(string) string) {
			put(t, at("real/deep/f"), "1b")
			swap(t, "../real/deep/f", at("hooks/a.sh"))
		}, []string{"hooks/a.sh"}},
		{writes("real/deep/f", "2"), []string{"hooks/a.sh"}},
		{func(t *testing.T, at func(string) string) {
			put(t, at("real/deep/g"), "3")
			ok(t, os.Rename(at("real/deep/g"), at("real/deep/f")))
		}, []string{"hooks/a.sh"}},
		{removes("real"), []string{"hooks/a.sh"}},
		{writes("real/deep/f", "4"), []string{"hooks/a.sh"}},
	},
	"links that lead back": {
		{func(t *testing.T, at func(string) string) {
			ok(t, os.Symlink("a", at("hooks/a")))
			ok(t, os.Symlink("absent", at("hooks/lib/dangling")))
			ok(t, os.Symlink("..", at("hooks/lib/back")))
			ok(t, os.Symlink(at(""), at("hooks/above")))
		}, []string{}},
		{writes("hooks/lib/b.sh", "2"), []string{"hooks/lib/b.sh"}},
	},
	"links one below the other": {
		{func(t *testing.T, at func(string) string) {
			for i, dir := range []string{"hooks", "l1", "l2", "l3", "l4"} {
				put(t, at(dir+"/f"), "1")
				ok(t, os.Symlink("../l"+strconv.Itoa(i+1), at(dir+"/n")))
			}
		}, []string{"hooks/f", "hooks/n/f", "hooks/n/n/f", "hooks/n/n/n/f"}},
		{writes("l3/f", "2"), []string{"hooks/n/n/n/f"}},
		{writes("l4/f", "2"), []string{}},
	},
	"odd names": {
		{writes("hooks/with space\n/\xff\xfe.sh", "1"), []string{"hooks/with space\n/\xff\xfe.sh"}},
		{writes("hooks/with space\n/\xff\xfe.sh", "2"), []string{"hooks/with space\n/\xff\xfe.sh"}},
	},
	"ignored": {{writes("hooks/skip/x.sh", "1"), []string{}}, {writes("hooks/x.tmp", "1"), []string{}}},
	"emptied": {{writes("hooks/a.sh", ""), []string{"hooks/a.sh"}}, {writes("hooks/empty", ""), []string{"hooks/empty"}}},
	"hundreds of files": {{func(t *testing.T, at func(string) string) {
		for i := range 800 {
			put(t, at("hooks/many/"+strconv.Itoa(i%30)+"/"+strconv.Itoa(i)), strconv.Itoa(i))
		}
	}, nil}, {func(t *testing.T, at func(string) string) {
		for i := range 800 {
			put(t, at("hooks/many/"+strconv.Itoa(i%30)+"/"+strconv.Itoa(i)), "x"+strconv.Itoa(i))
		}
	}, nil}, {removes("hooks/many"), nil}},
}

func writes(path, content string) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) { put(t, at(path), content) }
}

func chmods(path string, mode os.FileMode) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) { ok(t, os.Chmod(at(path), mode)) }
}

func removes(path string) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) { ok(t, os.RemoveAll(at(path))) }
}

func renames(from, to string) func(*testing.T, func(string) string) {
	return func(t *testing.T, at func(string) string) { ok(t, os.Rename(at(from), at(to))) }
}

func TestSequences(t *testing.T) {
	t.Parallel()
	for _, mode := range []mode{byEvents, byPolling} {
		for i, name := range slices.Sorted(maps.Keys(sequences)) {
			if mode.name == byPolling.name && i%4 > 0 && os.Getenv("HOOKWATCH_TEST_ALL") == "" {
				continue // because each step waits for several polls
			}
			steps := sequences[name]
			t.Run(mode.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
				put(t, at("hooks/a.sh"), "1")
				put(t, at("hooks/lib/b.sh"), "1")
				put(t, at("conf/c.json"), "1")
				p := watch(t, mode, Interest{
					Files:  []string{at("conf/c.json"), at("conf/absent/d.json"), at("link/e")},
					Dirs:   []string{at("hooks")},
					Ignore: ignoreTemporary,
				})
				runSteps(t, p, steps, at)
			})
		}
	}
}

func ignoreTemporary(path string, isDir bool) bool {
	return filepath.Ext(path) == ".tmp" || isDir && filepath.Base(path) == "skip"
}

func runSteps(t *testing.T, p *probe, steps []step, at func(string) string) {
	t.Helper()
	for i, s := range steps {
		s.do(t, at)
		got := p.settle()
		if s.want == nil {
			continue
		}
		want := make([]string, len(s.want))
		for j := range s.want {
			want[j] = at(s.want[j])
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("step %d: reported %q, want %q", i+1, got, want)
		}
	}
	if got, want := p.w.Files(), len(p.account); got != want {
		t.Errorf("Files() = %d, want %d", got, want)
	}
}
