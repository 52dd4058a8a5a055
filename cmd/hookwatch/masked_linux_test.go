package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
)

// secrets are files in HOME that isolation masks. All contain the canary.
var secrets = map[string]string{
	".netrc": "machine kanarienvogel login me password kanarienvogel\n", ".ssh/env": "export KEY=kanarienvogel\n",
	".ssh/env.sh": "export OTHER_KEY=kanarienvogel\n", ".ssh/hook.sh": "#!/kanarienvogel\r\nexit 0\n",
	".ssh/module.py": "KEY = 'kanarienvogel'\n", ".ssh/notes.md": "# kanarienvogel\n\nA1 [verify: kanarienvogel.sh §kanarienvogel]\n",
	".aws/credentials": "[default]\naws_secret_access_key = kanarienvogel\n", ".env": "TOKEN=kanarienvogel\n",
	".claude.json":        `{"oauth": {"kanarienvogel": 1}, "hooks": {"kanarienvogel": [{"hooks": [{"type": "command", "command": "echo kanarienvogel"}]}]}}`,
	".docker/config.json": `{"auths": {"kanarienvogel": {"auth": "kanarienvogel"}}}`, ".npmrc": "//r/:_authToken=kanarienvogel\n",
	".config/gh/hosts.yml": "github.com:\n  kanarienvogel: kanarienvogel\n", ".git-credentials": "https://me:kanarienvogel@host\n",
	".kube/config": "suite: kanarienvogel\nhook: h.sh\ncases: [{id: K1, name: kanarienvogel, event: Stop, expect: {exit: 0}}]\n",
}

// A form is one way in which a project can name or link to a masked file. HOME
// stands for the user's in its texts; a link is made from the key to the value.
type form struct {
	hook   string            // content of the case's hook; "" for one that does nothing
	files  map[string]string // further files
	links  map[string]string // symbolic
	hard   map[string]string
	config string // added to the configuration of each project
	masked string // an input of the case that must be reported as masked
}

const h, hooks = ".claude/hooks/h.sh", ".claude/hooks/"

var forms = map[string]form{
	"sourced by its path":                 {hook: ". HOME/.ssh/env.sh\n", masked: "HOME/.ssh/env.sh"},
	"sourced without an extension":        {hook: "source HOME/.ssh/env\n"},
	"sourced by ~":                        {hook: "source ~/.netrc\n"},
	"sourced by $HOME":                    {hook: ". \"$HOME/.env\"\n"},
	"sourced next to the project":         {hook: "cd \"$CLAUDE_PROJECT_DIR\"\n. ../home/.ssh/env.sh\n", masked: "HOME/.ssh/env.sh"},
	"sourced through a link to HOME":      {hook: ". up/.netrc\n", links: map[string]string{"up": "HOME"}, masked: "up/.netrc"},
	"sourced through a linked library":    {hook: ". \"${0%/*}/lib.sh\"\n", links: map[string]string{hooks + "lib.sh": "HOME/.ssh/env.sh"}, masked: hooks + "lib.sh"},
	"sourced from a linked directory":     {hook: ". \"${0%/*}/lib/env.sh\"\n", links: map[string]string{hooks + "lib": "HOME/.ssh"}, masked: hooks + "lib/env.sh"},
	"sourced through two links":           {hook: ". \"${0%/*}/a.sh\"\n", links: map[string]string{hooks + "a.sh": "b.sh", hooks + "b.sh": "HOME/.netrc"}, masked: hooks + "a.sh"},
	"sourced as a hard link":              {hook: ". \"${0%/*}/hard.sh\"\n", hard: map[string]string{hooks + "hard.sh": "HOME/.ssh/env.sh"}, masked: hooks + "hard.sh"},
	"a linked .env of the project":        {hook: "set -a\n. ./.env\n", links: map[string]string{".env": "HOME/.env"}, masked: ".env"},
	"the hook is a link":                  {links: map[string]string{h: "HOME/.netrc"}, masked: h},
	"the hook is a link to a script":      {links: map[string]string{h: "HOME/.ssh/hook.sh"}, masked: h},
	"the hook is a hard link":             {hard: map[string]string{h: "HOME/.ssh/hook.sh"}, masked: h},
	"a registered hook is a link":         {links: map[string]string{hooks + "r.sh": "HOME/.ssh/hook.sh"}, files: map[string]string{".claude/settings.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ".claude/hooks/r.sh"}]}]}}`}},
	"config.json is a link":               {hook: "[ -s \"${0%/*}/config.json\" ]\n", links: map[string]string{hooks + "config.json": "HOME/.aws/credentials"}, masked: hooks + "config.json"},
	"config.json is a hard link":          {hook: "[ -s \"${0%/*}/config.json\" ]\n", hard: map[string]string{hooks + "config.json": "HOME/.docker/config.json"}, masked: hooks + "config.json"},
	"the settings are a link":             {links: map[string]string{".claude/settings.json": "HOME/.claude.json"}},
	"the settings are a hard link":        {hard: map[string]string{".claude/settings.local.json": "HOME/.claude.json"}},
	"a spec document is a link":           {links: map[string]string{"docs/notes.md": "HOME/.ssh/notes.md"}},
	"a spec document is a hard link":      {hard: map[string]string{"docs/notes.md": "HOME/.ssh/notes.md"}},
	"spec documents of HOME":              {config: "specs: [HOME/.ssh/notes.md, 'HOME/.ssh/*.md']\n"},
	"a suite is a link":                   {links: map[string]string{"suites/k.yaml": "HOME/.kube/config"}},
	"a suite that is none is a link":      {links: map[string]string{"suites/k.yaml": "HOME/.config/gh/hosts.yml"}},
	"a suite is a hard link":              {hard: map[string]string{"suites/k.yaml": "HOME/.kube/config"}},
	"hooks of HOME":                       {config: "hooks: [.claude/hooks, HOME/.ssh]\n"},
	"hooks through a link":                {config: "hooks: [.claude/hooks, keys]\n", links: map[string]string{"keys": "HOME/.ssh"}},
	"read by Python":                      {hook: "#!/usr/bin/env python3\nopen('HOME/.docker/config.json')\nopen('HOME/.ssh/module.py')\n", masked: "HOME/.ssh/module.py"},
	"imported by Python through a link":   {hook: "#!/usr/bin/env python3\nimport module\n", links: map[string]string{hooks + "module.py": "HOME/.ssh/module.py"}, masked: hooks + "module.py"},
	"read by jq":                          {hook: "jq . HOME/.docker/config.json\njq . cfg.json\n", links: map[string]string{"cfg.json": "HOME/.docker/config.json"}, masked: "cfg.json"},
	"a program's configuration is a link": {hook: "npm --version\n", links: map[string]string{".npmrc": "HOME/.npmrc"}},
	"named by a marker":                   {files: map[string]string{"docs/a.md": "A1 [verify: docs/b.md §kanarien], [verify: docs/c.txt:1]\n"}, links: map[string]string{"docs/b.md": "HOME/.ssh/notes.md", "docs/c.txt": "HOME/.netrc"}},
	"a check of a key":                    {files: map[string]string{"suites/c.yaml": "suite: c\ncases: [{id: C1, name: key, check: {file: keys.json, key: auths}}]\n"}, links: map[string]string{"keys.json": "HOME/.docker/config.json"}},
}

// TestMaskedIsNotRead: whichever way a project names or links to what isolation
// masks, hookwatch neither keeps nor digests nor shows what is in it, and reads
// nothing out of it.
func TestMaskedIsNotRead(t *testing.T) {
	t.Parallel()
	if len(forms) < 16 {
		t.Fatal("these are not all")
	}
	for _, name := range processtest.Sample(slices.Sorted(maps.Keys(forms)), 6) {
		f := forms[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			home, root := filepath.Join(top, "home"), filepath.Join(top, "project")
			f.build(t, home, root)
			printed := ""
			commands := [][]string{{"--once"}, {"--once", "--changed", "-v"}, {"why", "A1", "--format", "json"}, {"verify"}, {"list", "-v"}}
			if strings.Contains(name, "a link") { // what doctor reads in addition are configurations
				commands = append(commands, []string{"doctor"})
			}
			for _, args := range commands {
				cmd := program(t, root, args...)
				cmd.Env = append(cmd.Env, "HOME="+home)
				out, _ := cmd.CombinedOutput() // whether it fails is for other tests
				noCanary(t, "hookwatch "+strings.Join(args, " "), out)
				if args[0] == "why" {
					printed = string(out)
				}
			}
			if want := strings.ReplaceAll(f.masked, "HOME", home); want != "" && !f.reportsMasked(printed, want) {
				t.Errorf("%s is not reported as masked: %s", want, printed)
			}
			searchCanary(t, filepath.Join(root, "results"))
		})
	}
}

func (f form) reportsMasked(why, path string) bool {
	for part := range strings.SplitSeq(why, "}") {
		if strings.Contains(part, `"`+path+`"`) && strings.Contains(part, "masked: it is not read") {
			return true
		}
	}
	return false
}

// build lays out a HOME and a project of this form.
func (f form) build(t *testing.T, home, root string) {
	t.Helper()
	inHome := func(text string) string { return strings.ReplaceAll(text, "HOME", home) }
	writeFiles(t, home, secrets)
	files := map[string]string{
		".hookwatch.yaml": inHome("suites: ['suites/*.yaml']\nspecs: ['docs/*.md']\nnotify: {desktop: false}\nresults: {dir: results}\nsandbox: {keep: 0}\n"),
		"suites/s.yaml":   "suite: s\nhook: .claude/hooks/h.sh\ncases: [{id: A1, name: a, event: Stop, expect: {exit: 0}, verify: [.claude/hooks/h.sh]}]\n",
		"docs/spec.md":    "# Spec\n\nA1 stops [verify: .claude/hooks/h.sh].\n",
	}
	for key := range strings.Lines(f.config) {
		name, _, _ := strings.Cut(key, ":")
		lines := ""
		for line := range strings.Lines(files[".hookwatch.yaml"]) {
			if !strings.HasPrefix(line, name+":") {
				lines += line
			}
		}
		files[".hookwatch.yaml"] = lines + inHome(key)
	}
	if _, isLink := f.links[h]; !isLink && f.hard[h] == "" {
		files[h] = "#!/bin/bash\n" + inHome(f.hook)
		if strings.HasPrefix(f.hook, "#!") {
			files[h] = inHome(f.hook)
		}
	}
	for name, content := range f.files {
		files[name] = inHome(content)
	}
	writeFiles(t, root, files)
	for name, target := range f.links {
		layLink(t, os.Symlink, inHome(target), filepath.Join(root, name))
	}
	for name, target := range f.hard {
		layLink(t, os.Link, inHome(target), filepath.Join(root, name))
	}
}

func layLink(t *testing.T, link func(from, to string) error, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := link(from, to); err != nil {
		t.Fatal(err)
	}
}

// noCanary looks for a secret, and for a digest of one.
func noCanary(t *testing.T, where string, text []byte) {
	t.Helper()
	if at := bytes.Index(bytes.ReplaceAll(text, []byte("§kanarien]"), nil), []byte("kanarienvogel")); at >= 0 {
		t.Errorf("%s has a secret: %.200s", where, text[max(0, at-100):])
	}
	for name, content := range secrets {
		for _, mode := range []string{"", "-", "x"} {
			sum := sha256.Sum256([]byte(mode + content))
			if bytes.Contains(text, []byte(hex.EncodeToString(sum[:8]))) {
				t.Errorf("%s has the digest of %s", where, name)
			}
		}
	}
}

// searchCanary looks into every file of a directory, and at its name.
func searchCanary(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // where nothing could be run there are no results
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
			if text, err = io.ReadAll(z); err != nil {
				return err
			}
		}
		noCanary(t, path, text)
		noCanary(t, "the name of "+path, []byte(filepath.Base(path)))
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
