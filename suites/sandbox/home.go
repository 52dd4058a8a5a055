package sandbox

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// A homeRow lists files and directories below HOME that cases see, if they exist. The last element
// of a path may be a pattern.
type homeRow struct {
	why   string
	paths string
	kind  homeKind
}

type homeKind int

const (
	asIs    homeKind = iota // as it is; a case's changes stay in its sandbox
	empty                   // a directory without its content
	gitPart                 // a git configuration without credentials
	client                  // the client's settings without variables and commands
)

// homeRows is the list of what cases see of HOME. Everything else is absent, except for
// sandbox.unmask, directories of PATH with what their programs need, and the project.
var homeRows = []homeRow{
	{why: "scripts that the user's own hooks consist of", paths: `.claude/hooks .claude/scripts .claude/lib .claude/bin .claude/*.sh .claude/*.py
		.claude/*.js .claude/*.mjs .claude/*.ts .claude/hooks.json`},
	{why: "what plugins bring along, with their hooks", paths: `.claude/plugins/cache .claude/plugins/marketplaces .claude/plugins/repos
		.claude/plugins/installed_plugins.json .claude/plugins/known_marketplaces.json`},
	{why: "instructions that hooks add to the context", paths: `.claude/CLAUDE.md .claude/rules .claude/agents .claude/commands .claude/skills .claude/output-styles`},
	{why: "hooks that read permissions; env and commands may contain tokens", paths: ".claude/settings.json .claude/settings.local.json", kind: client},
	{why: "hooks that commit; helpers, proxies and URLs may contain credentials", paths: ".gitconfig .config/git/config", kind: gitPart},
	{why: "which files git ignores and how it treats them", paths: ".config/git/ignore .config/git/attributes .gitignore .gitignore_global .gitattributes"},
	{why: "interpreters and compilers of version managers, which start them by way of HOME", paths: `.pyenv .rbenv .nodenv .goenv .jenv .phpenv .asdf .nvm .fnm
		.volta/bin .volta/tools .bun/bin .bun/install .deno/bin .rustup .sdkman/bin .sdkman/candidates .rye/shims .rye/py .pixi/bin .pixi/envs .local/share/mise/installs
		.local/share/mise/shims .local/share/fnm .local/share/rtx/installs .nix-profile .dotnet/sdk .dotnet/shared .dotnet/host .dotnet/tools .opam .ghcup/bin .ghcup/ghc .juliaup`},
	{why: "which version of them to start", paths: ".tool-versions .asdfrc .node-version .nvmrc .python-version .ruby-version .java-version .sdkmanrc"},
	{why: "installed programs and their packages", paths: `.local/bin .local/lib .local/pipx .local/share/pipx .local/share/uv/tools .local/share/uv/python .local/share/pnpm .local/share/virtualenvs
		.virtualenvs .npm-global .node_modules .yarn/bin .config/yarn/global .cargo/bin .cargo/env go/bin .gem/ruby .local/share/gem .composer/vendor
		.config/composer/vendor .krew/bin .luarocks .cabal/bin .pub-cache/bin .pub-cache/hosted`},
	{why: "packages that programs such as npx and uvx find without a network", paths: `.npm/_cacache .npm/_npx .cache/uv .cache/pip .cache/pypoetry/virtualenvs
		.cache/pre-commit .cache/node .cache/deno .cache/go-build .cache/yarn .cargo/registry .cargo/git go/pkg .m2/repository .m2/wrapper .gradle/caches .gradle/wrapper`},
	{why: "settings of linters and formatters that hooks start", paths: `.editorconfig .shellcheckrc .config/shellcheckrc .yamllint .config/yamllint .flake8
		.config/flake8 .pylintrc .config/pylintrc .isort.cfg .config/ruff .config/black .mypy.ini .config/mypy .config/pycodestyle .rubocop.yml .prettierrc*
		.eslintrc* .stylelintrc* .markdownlint* .rustfmt.toml .config/rustfmt .clang-format .golangci.y*ml .hadolint.yaml .config/hadolint.yaml .jq .ripgreprc`},
	{why: "where hooks and programs create files", paths: `.claude/logs .claude/cache .claude/state .claude/tmp .claude .cache .config .local/share .local/state
		.npm .cargo go tmp`, kind: empty},
}

// A homeEntry is a file or directory of HOME that cases see.
type homeEntry struct {
	named string
	real  string // named without symbolic links
	kind  homeKind
}

// listedHomes returns the homes of which cases see only what homeRows lists. If the project is a home
// or contains it, all of it is the project's, except for credentials.
func (r rules) listedHomes() []string {
	w := r.whose()
	return slices.DeleteFunc(slices.Clone(w.homes), func(h string) bool { return disk.Within(w.root, h) })
}

// homeEntries returns what homeRows and sandbox.unmask list of a home.
func (r rules) homeEntries(home string) (all []homeEntry) {
	w := r.whose()
	names, err := os.ReadDir(home)
	tops := make(map[string]bool, len(names))
	for _, n := range names {
		tops[n.Name()] = true
	}
	add := func(name string, kind homeKind) {
		top, _, _ := strings.Cut(name, "/")
		if err == nil && !tops[top] && !strings.ContainsAny(top, "*?[") { // most do not exist
			return
		}
		named := []string{filepath.Join(home, name)}
		if strings.ContainsRune(filepath.Base(name), '*') {
			named, _ = filepath.Glob(named[0]) // only a malformed pattern is an error
		}
		for _, n := range named {
			fi, err := os.Stat(n)
			if err != nil || !fi.IsDir() && (kind == empty || !fi.Mode().IsRegular()) {
				continue
			}
			if e := (homeEntry{n, disk.Real(n), kind}); w.maskable(e.real) || kind == empty {
				all = append(all, e)
			}
		}
	}
	for _, name := range r.Unmask {
		if filepath.IsLocal(name) {
			add(filepath.Clean(name), asIs)
		}
	}
	for _, row := range homeRows {
		for _, name := range strings.Fields(row.paths) {
			add(name, row.kind)
		}
	}
	return all
}

// A sight is what cases see of the homes with a list.
type sight struct {
	entries []homeEntry
	visible []string // files and directories, without symbolic links
	links   []string // on the way to them
	open    []string // directories without their content
}

// sight returns what cases that look for programs in search, and need these files, see of homes.
func (l *layout) sight(o Options, search, needed []string) *sight {
	s := &sight{}
	if len(l.homes) == 0 {
		return s
	}
	root := disk.Real(o.Root)
	s.visible = slices.Concat([]string{root, disk.Real(os.TempDir())}, l.private, needed)
	top := disk.Real(GitTop(root))
	common, _ := gitCommon(top)
	if l.homeOf(top) == top { // not all of HOME because of a repository of dotfiles
		top = filepath.Join(top, ".git")
	}
	s.visible = append(s.visible, top, common)
	named := slices.Concat([]string{o.Root, o.Home}, search)
	for _, h := range l.homes {
		s.entries = append(s.entries, o.rules().homeEntries(h)...)
	}
	for _, e := range s.entries {
		named = append(named, e.named)
		if e.kind == empty {
			s.open = append(s.open, e.real)
		} else {
			s.visible = append(s.visible, e.real)
		}
	}
	for _, n := range named {
		s.links = append(s.links, disk.Links(n)...)
	}
	s.visible = slices.DeleteFunc(sortedSet(s.visible), func(v string) bool { return l.homeOf(v) == "" || slices.Contains(l.homes, v) })
	return s
}

// sees reports whether cases see what is at a path without symbolic links in a home.
func (s *sight) sees(path string) bool {
	return slices.Contains(s.links, path) || inAny(s.visible, path)
}

// unseen returns masks for everything else in a home, and the directories that were read for it.
// Masked files that lie elsewhere in the home keep their names.
func (s *sight) unseen(home string, masks []mask) (all []mask, read []stamp) {
	leads := func(dir string, to []string) bool {
		return slices.ContainsFunc(to, func(p string) bool { return p != dir && disk.Within(dir, p) })
	}
	masked := make([]string, len(masks))
	for i, m := range masks {
		masked[i] = m.Path
	}
	inside := slices.Concat(s.visible, s.links, s.open, masked)
	for queue := []string{home}; len(queue) > 0; queue = queue[1:] {
		dir := queue[0]
		read = append(read, newStamp(dir))
		entries, err := os.ReadDir(dir)
		if err != nil {
			all = append(all, mask{Path: dir, Absent: true})
		}
		for _, e := range entries {
			switch path := filepath.Join(dir, e.Name()); {
			case s.sees(path), slices.Contains(masked, path):
			case e.IsDir() && leads(path, inside):
				queue = append(queue, path)
			case e.IsDir() && slices.Contains(s.open, path):
				all = append(all, mask{Path: path, IsDir: true})
			default:
				all = append(all, mask{Path: path, Absent: true})
			}
		}
	}
	return all, read
}

// xdgBases are directories of HOME that contain those of all programs, so they are never a
// program's installation.
var xdgBases = []string{".", ".local", ".local/share", ".local/state", ".config", ".cache", ".claude"}

// prefixParts are the parts of an installation in HOME that its programs use. The directory itself
// may contain other files of the user.
var prefixParts = []string{"lib", "lib64", "libexec", "share", "conda-meta", "versions"}

// installation returns the directories that programs in dir need: node_modules for node_modules/.bin,
// and prefix for prefix/bin, unless
// prefix is at the top of the file system, where it may be a private directory such as /tmp. At the
// top of HOME these are only some parts of it.
func (l *layout) installation(dir string) []string {
	up := filepath.Dir(dir)
	if filepath.Base(dir) == ".bin" && filepath.Base(up) == "node_modules" {
		return []string{up} // whose links lead to packages next to it
	}
	if filepath.Base(dir) != "bin" || strings.Count(up, "/") < 2 {
		return []string{dir}
	}
	home := l.homeOf(up)
	rel, _ := filepath.Rel(home, up)
	switch {
	case home != "" && slices.Contains(xdgBases, rel):
		return []string{dir}
	case home == "" || strings.ContainsRune(rel, '/'):
		return []string{up}
	}
	dirs := []string{dir}
	for _, part := range prefixParts {
		dirs = append(dirs, filepath.Join(up, part))
	}
	return dirs
}

// homeOf returns the listed home that contains path, or "".
func (l *layout) homeOf(path string) string {
	for _, h := range l.homes {
		if disk.Within(h, path) {
			return h
		}
	}
	return ""
}

// part returns the content of a file of this kind that cases see.
func (k homeKind) part(content []byte) []byte {
	switch k {
	case gitPart:
		return gitSections(content)
	case client:
		return settingsKeys(content)
	default:
		return content
	}
}

// gitKeeps are the sections of a git configuration without credentials, and tokenLike matches lines
// that may still contain one.
var (
	gitKeeps = strings.Fields(`user author committer core init color commit tag pull push fetch merge mergetool diff difftool rebase branch status log
		format advice alias safe submodule column rerere gc index protocol feature filter lfs gpg include includeif extensions pager apply blame grep
		notes stash worktree`)
	tokenLike = pattern.Lazy(`(?i)token|passw|secret|bearer|authorization|api.?key|credential|://[^/\s"]*@`)
)

// gitSections returns the sections of a git configuration that contain no credentials.
func gitSections(content []byte) []byte {
	var out []byte
	keep := false
	for line := range bytes.Lines(content) {
		if trimmed := bytes.TrimSpace(line); bytes.HasPrefix(trimmed, []byte("[")) {
			name, _, _ := bytes.Cut(bytes.Trim(trimmed, "[] \t"), []byte(" "))
			name, _, _ = bytes.Cut(name, []byte("]"))
			name, _, _ = bytes.Cut(name, []byte(".")) // the old form of a subsection
			keep = slices.Contains(gitKeeps, strings.ToLower(string(name)))
		}
		if keep && !tokenLike().Match(line) {
			out = append(out, line...)
		}
	}
	return out
}

// settingsKeys returns the client's settings that contain neither variables nor commands.
func settingsKeys(content []byte) []byte {
	var all, kept map[string]json.RawMessage
	if json.Unmarshal(content, &all) != nil {
		return []byte("{}\n")
	}
	kept = make(map[string]json.RawMessage)
	for _, key := range []string{"$schema", "permissions", "enabledPlugins", "model", "outputStyle", "includeCoAuthoredBy", "cleanupPeriodDays"} {
		if value, ok := all[key]; ok {
			kept[key] = value
		}
	}
	out, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return []byte("{}\n")
	}
	return append(out, '\n')
}
