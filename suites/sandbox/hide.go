package sandbox

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"hookwatch/suites/disk"
)

// credentials are the files and directories below HOME that contain secrets. In a HOME of which cases
// see only some files they keep their names, so that a case that reads one is recognized.
var credentials = strings.Fields(`
	.ssh .gnupg .age .config/sops .password-store .netrc .authinfo .authinfo.gpg
	.aws .azure .config/gcloud .boto .s3cfg .config/rclone .config/doctl .config/hcloud .config/linode-cli
	.oci .config/scw .config/fly .fly .config/flyctl .config/netlify .netlify .wrangler .config/.wrangler
	.vercel .config/vercel .local/share/com.vercel.cli .heroku .config/stripe .config/op .vault-token
	.terraform.d/credentials.tfrc.json .terraformrc .pulumi/credentials.json
	.kube .docker/config.json .config/containers/auth.json .config/helm/registry
	.git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli .config/github-copilot
	.npmrc .yarnrc .yarnrc.yml .config/configstore .pypirc .config/pypoetry/auth.toml .config/pip .pip
	.cargo/credentials .cargo/credentials.toml .gem/credentials .bundle/config .composer/auth.json
	.config/composer/auth.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
	.nuget/NuGet/NuGet.Config .hex .pub-cache/credentials.json .config/dart .sbt/.credentials .ivy2/.credentials
	.pgpass .my.cnf .mylogin.cnf .claude.json .claude/.credentials.json .codex/auth.json
	.huggingface .cache/huggingface/token .config/huggingface .kaggle .jupyter .config/ngrok .ngrok2
	.env .envrc .secrets .config/secrets .rhosts .smbcredentials .subversion/auth`)

// privateData are other private files below HOME. They matter only if they are in the project, which
// may be HOME or ~/.claude itself, and in the modes without private views.
var privateData = strings.Fields(`
	.claude/history.jsonl .claude/projects .claude/file-history .claude/todos .claude/shell-snapshots .claude/session-env
	.claude/paste-cache .claude/statsig .claude/debug .claude/ide .claude/backups .config/claude .anthropic .gemini .config/openai .openai
	.copilot .qwen .factory .codex/sessions .codex/history.jsonl .cursor .local/share/opencode
	.mongorc.js .dbshell .rediscli_history .psql_history .mysql_history .sqlite_history
	.local/share/keyrings .local/share/kwalletd .pki .mozilla .thunderbird .config/google-chrome .config/chromium
	.config/BraveSoftware .config/Slack .config/discord .config/Signal .config/Code .config/Cursor snap .var .Xauthority .ICEauthority
	.bash_history .zsh_history .python_history .node_repl_history .local/share/fish .lesshst .viminfo .local/state/hookwatch`)

// A rules value describes whose files are masked, and which. Paths are absolute, except in Mask and
// Unmask, which are relative to each home.
type rules struct {
	Root    string   // the project, as named to hooks; directories that contain it are never masked
	Home    string   // HOME of the hooks; "" for none
	OwnHome string   // the user's home directory by the system's records; "" for none
	Mask    []string // paths to hide, besides the known ones
	Unmask  []string // paths not to hide

	found *whose // as found when the rules were made; nil: looked up each time
}

// A mask hides one file or directory. Files in a hidden directory keep their names, so that looking
// them up works as usual, but lose their content.
type mask struct {
	Path    string   // without symbolic links
	Names   []string // of the files in it; those of directories end with a slash
	IsDir   bool
	Absent  bool     // it has no replacement
	linked  []named  // files in it that also have other names, once for each name in it
	targets []string // of symbolic links in it
}

// A named is a file with its number of names.
type named struct {
	id    fileID
	names int
}

// Limits on how much of a hidden directory is imitated, and searched.
const (
	maskDepth  = 3
	maskNames  = 100
	scanAtMost = 20_000 // once per session
)

// Homes returns the directories whose credentials are masked, without symbolic links.
func (r rules) Homes() []string { return r.whose().homes }

func (r rules) findHomes() []string {
	var homes []string
	for _, h := range []string{r.Home, r.OwnHome} {
		if h != "" && h != "/" && disk.IsDir(h) {
			homes = append(homes, disk.Real(h))
		}
	}
	slices.SortFunc(homes, disk.ByDepth)
	return slices.Compact(homes)
}

// secrets returns the paths to be masked, without symbolic links, whether they exist or not. It
// omits directories that contain the project or HOME.
func (r rules) secrets() []string {
	var out []string
	w := r.whose()
	for _, home := range w.homes {
		for _, name := range slices.Concat(credentials, privateData, r.Mask) {
			if slices.Contains(r.Unmask, name) {
				continue
			}
			path := filepath.Join(home, name)
			top, _, _ := strings.Cut(filepath.Clean(name), "/")
			if _, err := os.Lstat(filepath.Join(home, top)); err == nil || !filepath.IsLocal(name) {
				path = disk.Lead(path) // else nothing of the path exists, so it contains no link
			}
			if w.maskable(path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// whose are the directories that must stay visible, so nothing that contains one is masked.
type whose struct {
	root  string // without symbolic links, as the homes
	homes []string
}

func (r rules) whose() whose {
	if r.found != nil {
		return *r.found
	}
	return whose{disk.Real(r.Root), r.findHomes()}
}

func (w whose) maskable(path string) bool {
	return !disk.Within(path, w.root) && !slices.ContainsFunc(w.homes, func(h string) bool { return disk.Within(path, h) })
}

func (r rules) maskable(path string) bool { return r.whose().maskable(path) }

// Find returns masks for the existing files and directories to hide. A deep search also finds links
// between hidden and visible files far down in hidden directories.
func (r rules) Find(deep bool) []mask {
	var out []mask
	add := func(path string) {
		if !slices.ContainsFunc(out, func(m mask) bool { return disk.Within(m.Path, path) }) {
			out = append(out, newMask(path, deep))
		}
	}
	for _, home := range r.Homes() {
		for _, path := range r.present(home) {
			add(path)
		}
	}
	for i := 0; i < len(out); i++ { // also the targets of links in it, transitively
		for _, target := range out[i].targets {
			if r.maskable(target) && secretTarget(target, r.Homes()) {
				add(target)
			}
		}
	}
	return outermost(out)
}

// present returns the existing paths to be masked below a home, without symbolic links.
func (r rules) present(home string) []string {
	names := make(map[string]map[string]bool) // by directory, because most paths do not exist
	listed := func(dir, name string) bool {
		there, known := names[dir]
		if !known {
			entries, err := os.ReadDir(dir)
			if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				there = make(map[string]bool)
			}
			for _, e := range entries {
				there[e.Name()] = true
			}
			names[dir] = there
		}
		return there == nil || there[name] // nil: unreadable
	}
	var out []string
	w := r.whose()
	elsewhere := func(name string) bool { return !disk.Within(w.root, filepath.Join(home, name)) }
	inProject := slices.DeleteFunc(slices.Clone(privateData), elsewhere)
	for _, name := range slices.Concat(credentials, r.Mask, inProject) {
		top, _, _ := strings.Cut(filepath.Clean(name), "/")
		path := filepath.Join(home, name)
		if slices.Contains(r.Unmask, name) || !listed(home, top) || !listed(filepath.Dir(path), filepath.Base(path)) {
			continue
		}
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if path = disk.Real(path); w.maskable(path) {
			out = append(out, path)
		}
	}
	return out
}

// secretTarget reports whether the target of a link in a hidden directory must be hidden as well. A
// file must, even one that everyone may read, because k3s, for example, keeps its credentials so.
// Programs and installed packages must not, because hiding them would break their users, nor must a
// directory outside HOME that everyone may read.
func secretTarget(path string, homes []string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.IsDir() && !fi.Mode().IsRegular() {
		return false
	}
	if fi.Mode().IsRegular() {
		return fi.Mode().Perm()&0o111 == 0 && !inAny(published, path)
	}
	return inAny(homes, path) || fi.Mode().Perm()&0o004 == 0
}

// published are directories in which packages install files for all programs.
var published = []string{"/usr", "/lib", "/nix/store", "/gnu/store", "/opt/homebrew", "/etc/ssl", "/etc/pki", "/etc/ca-certificates"}

func newMask(path string, deep bool) mask {
	m := mask{Path: path}
	fi, err := os.Lstat(path)
	if err != nil || !fi.IsDir() {
		if err == nil && namesOf(fi) > 1 {
			m.note(fi)
		}
		return m
	}
	m.IsDir = true
	seen, most := 0, maskNames
	if deep {
		most = scanAtMost
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(path, p)
		switch {
		case relErr != nil || rel == ".":
			return nil
		case err != nil:
			return fs.SkipDir
		case seen == most:
			return fs.SkipAll
		}
		seen++
		m.look(p, rel, d)
		if d.IsDir() && !deep && strings.Count(rel, "/")+1 >= maskDepth {
			return fs.SkipDir
		}
		return nil
	})
	return m
}

// look records an entry of a hidden directory.
func (m *mask) look(path, rel string, d fs.DirEntry) {
	if strings.Count(rel, "/") < maskDepth && len(m.Names) < maskNames {
		if name := rel; d.IsDir() {
			m.Names = append(m.Names, name+"/")
		} else {
			m.Names = append(m.Names, name)
		}
	}
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		if target, err := filepath.EvalSymlinks(path); err == nil {
			m.targets = append(m.targets, target)
		}
	case d.Type().IsRegular():
		if fi, err := d.Info(); err == nil && namesOf(fi) > 1 {
			m.note(fi)
		}
	}
}

func (m *mask) note(fi fs.FileInfo) {
	if id, ok := identity(fi); ok {
		m.linked = append(m.linked, named{id, namesOf(fi)})
	}
}

// outermost removes masks within other masks.
func outermost(masks []mask) []mask {
	return slices.DeleteFunc(slices.Clone(masks), func(m mask) bool {
		return slices.ContainsFunc(masks, func(outer mask) bool { return outer.Path != m.Path && disk.Within(outer.Path, m.Path) })
	})
}

// A Hiding determines which files are masked, by path and by identity. It recognizes a file behind
// symbolic links, hard links, and another mount of a directory that contains it; a missing file by
// its path. It is safe for concurrent use and caches results for directories.
type Hiding struct {
	root  string // the project, without symbolic links
	homes []string
	known hidden
	// deep returns the hard links and links far down in masked directories as well. It walks all of
	// them, so it is called only for the first file that may be one.
	deep   func() hidden
	mu     sync.Mutex
	dirs   map[string]bool // masked, or in one that is
	shared map[string]bool // see isShared
}

// A hidden is a set of masked files.
type hidden struct {
	paths map[string]bool // without symbolic links
	ids   map[fileID]bool // of paths, and of files in them that have other names
}

// Hiding returns a Hiding for these rules. Code that reads a file with an untrusted name must ask
// it first.
func (r rules) Hiding() *Hiding {
	known := hidden{make(map[string]bool), make(map[fileID]bool)}
	for _, path := range r.secrets() {
		known.note(path)
	}
	known = known.with(r.Find(false))
	return &Hiding{
		root: disk.Real(r.Root), homes: r.Homes(), known: known,
		deep: sync.OnceValue(func() hidden { return known.with(r.Find(true)) }), dirs: make(map[string]bool), shared: make(map[string]bool),
	}
}

// with returns h and masks.
func (h hidden) with(masks []mask) hidden {
	h = hidden{maps.Clone(h.paths), maps.Clone(h.ids)}
	for _, m := range masks {
		h.note(m.Path)
		for _, l := range m.linked {
			h.ids[l.id] = true
		}
	}
	return h
}

func (h hidden) note(path string) {
	h.paths[path] = true
	if fi, err := os.Lstat(path); err == nil {
		if id, ok := identity(fi); ok {
			h.ids[id] = true
		}
	}
}

// has reports whether a file or directory itself is masked.
func (h hidden) has(path string, fi fs.FileInfo) bool {
	if h.paths[path] {
		return true
	}
	if fi == nil {
		return false
	}
	id, ok := identity(fi)
	return ok && h.ids[id]
}

// Hides reports whether an absolute path without symbolic links is masked from cases.
func (h *Hiding) Hides(path string) bool {
	fi, err := os.Lstat(path)
	if err != nil {
		fi = nil
	}
	if h.known.has(path, fi) || h.hidesDir(filepath.Dir(path)) {
		return true
	}
	if fi == nil || namesOf(fi) == 1 && disk.Within(h.root, path) {
		return false
	}
	if public := fi.Mode().IsRegular() && fi.Mode().Perm()&0o004 != 0; public && h.isShared(filepath.Dir(path)) {
		return false // by any of its names everyone may read it
	}
	deep := h.deep()
	for up := path; up != filepath.Dir(up); up = filepath.Dir(up) {
		if up != path {
			fi = nil // hidesDir has checked the identities of the parents
		}
		if deep.has(up, fi) {
			return true
		}
	}
	return false
}

// isShared reports whether a directory is one in which packages install files and that everyone may
// read, as those above it: no link in a hidden directory makes a file in it a secret (see secretTarget).
func (h *Hiding) isShared(dir string) bool {
	h.mu.Lock()
	shared, known := h.shared[dir]
	h.mu.Unlock()
	if known {
		return shared
	}
	shared = inAny(published, dir) && !inAny(h.homes, dir)
	for up := dir; shared && up != filepath.Dir(up); up = filepath.Dir(up) {
		fi, err := os.Lstat(up)
		shared = err == nil && fi.IsDir() && fi.Mode().Perm()&0o004 != 0
	}
	h.mu.Lock()
	h.shared[dir] = shared
	h.mu.Unlock()
	return shared
}

// hidesDir reports whether a directory, or one that contains it, is masked.
func (h *Hiding) hidesDir(dir string) bool {
	h.mu.Lock()
	hides, known := h.dirs[dir]
	h.mu.Unlock()
	if known {
		return hides
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		fi = nil
	}
	hides = h.known.has(dir, fi) || dir != filepath.Dir(dir) && h.hidesDir(filepath.Dir(dir))
	if fi != nil {
		h.mu.Lock()
		h.dirs[dir] = hides
		h.mu.Unlock()
	}
	return hides
}

// otherNames are the paths, in HOME and the project, of files that also have a name in a hidden
// directory. The search runs only if there are such files.
type otherNames struct {
	asked map[fileID]bool
	paths []string
}

// searchAtMost bounds the entries examined for other names.
const searchAtMost = 300_000

// Everywhere adds masks for the other paths by which a case could reach the masked files; all are
// the mounts that the case sees.
func (r rules) Everywhere(masks []mask, all []mount, names []string) []mask {
	more := slices.Clone(names)
	for _, m := range masks {
		more = append(more, aliases(all, m.Path)...)
	}
	for _, path := range more {
		covered := slices.ContainsFunc(masks, func(m mask) bool { return disk.Within(m.Path, path) })
		if _, err := os.Lstat(path); err == nil && !covered && r.maskable(path) {
			masks = append(masks, newMask(path, false))
		}
	}
	return outermost(masks)
}

// Find searches for other names of the files in hidden directories that have some.
func (n *otherNames) Find(masks []mask, roots []string) {
	left, all, fresh := make(map[fileID]int), 0, false // names not found yet
	for i, m := range masks {
		if slices.ContainsFunc(masks[:i], func(before mask) bool { return disk.Within(before.Path, m.Path) }) {
			continue // its names are counted already
		}
		for _, l := range m.linked {
			fresh = fresh || !n.asked[l.id]
			if _, counted := left[l.id]; !counted {
				left[l.id] = l.names
				all += l.names
			}
			left[l.id]--
			all--
		}
	}
	if !fresh {
		return
	}
	n.asked, n.paths = make(map[fileID]bool), nil
	for id := range left {
		n.asked[id] = true
	}
	entries := searchAtMost
	for _, root := range slices.Backward(roots) { // the project before HOME
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if entries--; entries < 0 || all <= 0 {
				return fs.SkipAll
			}
			if slices.ContainsFunc(masks, func(m mask) bool { return m.Path == path }) {
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if id, ok := n.other(d, err); ok && left[id] > 0 {
				n.paths = append(n.paths, path)
				left[id]--
				all--
			}
			return nil
		})
	}
}

// other returns the identity of a file that may be another name of a hidden one.
func (n *otherNames) other(d fs.DirEntry, err error) (fileID, bool) {
	if err != nil || !d.Type().IsRegular() {
		return fileID{}, false
	}
	fi, err := d.Info()
	if err != nil || namesOf(fi) == 1 {
		return fileID{}, false
	}
	return identity(fi)
}
