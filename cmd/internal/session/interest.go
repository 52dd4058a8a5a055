package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/disk"
	"hookwatch/suites/markers"
	"hookwatch/suites/verdict"
	"hookwatch/watcher"
)

// FirstInterest returns the files to watch before the project is loaded: the configured
// places of its parts.
func FirstInterest(cfg *config.Config) watcher.Interest {
	r := newReader(cfg, nil)
	i := watcher.Interest{
		Files:  []string{configFile(cfg)},
		Ignore: func(file string, dir bool) bool { return isIgnored(cfg, file, dir) },
		Unread: func(real string) bool { return real != cfg.TrustFile() && r.World(real) != 0 },
	}
	if len(cfg.Asks) > 0 { // the user may agree to them at any time
		i.Files = append(i.Files, cfg.TrustFile())
	}
	for _, f := range cfg.Settings {
		i.Files = append(i.Files, cfg.Abs(f))
	}
	for _, d := range cfg.Hooks {
		i.Dirs = append(i.Dirs, cfg.Abs(d))
	}
	for _, glob := range slices.Concat(cfg.Specs, cfg.OwnSuites()) {
		base, pattern := doublestar.SplitPattern(glob)
		switch {
		case strings.ContainsAny(pattern, "*?[{"):
			i.Dirs = append(i.Dirs, cfg.Abs(base))
		default:
			i.Files = append(i.Files, cfg.Abs(glob))
		}
	}
	// Places outside of the project are not read, and so not watched either.
	i.Dirs = slices.DeleteFunc(i.Dirs, func(dir string) bool { return !inside(confinedReader(cfg), dir) })
	return i
}

// samePlaces reports whether two configurations name the same places for hooks, suites,
// spec documents and settings, so that the watcher need not change.
func samePlaces(a, b *config.Config) bool {
	one, other := FirstInterest(a), FirstInterest(b)
	return slices.Equal(one.Files, other.Files) && slices.Equal(one.Dirs, other.Dirs) && slices.Equal(a.Watch.Ignore, b.Watch.Ignore)
}

// interestOf returns the files to watch: the places of FirstInterest, and every file that a
// case depends on.
func interestOf(p *Project) watcher.Interest {
	i := FirstInterest(p.Config)
	elsewhere := false
	var listed []string
	for _, f := range slices.Concat(p.Graph.Files(), p.Registered.Files) {
		switch {
		case f == depend.Elsewhere:
			elsewhere = true
		case strings.HasSuffix(f, "/"):
			listed = append(listed, p.Config.Abs(f))
		default:
			i.Files = append(i.Files, p.Config.Abs(f))
		}
	}
	if elsewhere {
		addElsewhere(p, &i)
	}
	if len(listed) > 0 {
		addListed(&i, listed)
	}
	return i
}

// addListed adds the files directly in directories. Their subdirectories are ignored, because
// they may be large, unless something in them is of interest, too.
func addListed(i *watcher.Interest, dirs []string) {
	leading := make(map[string]bool) // directories above what is of interest
	for _, place := range slices.Concat(i.Files, i.Dirs, dirs) {
		for dir := filepath.Dir(place); !leading[dir]; dir = filepath.Dir(dir) {
			leading[dir] = true
		}
	}
	alone := make(map[string]bool)
	for _, dir := range dirs {
		alone[dir] = true
	}
	whole, ignore := i.Dirs, i.Ignore
	i.Dirs = slices.Concat(whole, dirs)
	i.Ignore = func(file string, isDir bool) bool {
		if ignore(file, isDir) {
			return true
		}
		return isDir && alone[filepath.Dir(file)] && !alone[file] && !leading[file] && !slices.ContainsFunc(whole, func(dir string) bool {
			return file == dir || strings.HasPrefix(file, dir+string(filepath.Separator))
		})
	}
}

// addElsewhere adds all files of the project except for ignored ones and the directories
// beyond the graph's limit. Files that no analysis has found are compared only by size and time, so
// that the watcher does not read them; the graph does.
func addElsewhere(p *Project, i *watcher.Interest) {
	first, ignore, unread := i.Dirs, i.Ignore, i.Unread
	placed := make(map[string]bool, len(i.Files))
	for _, f := range i.Files {
		placed[f] = true
	}
	in := func(dirs []string, file string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			return file == dir || strings.HasPrefix(file, dir+string(filepath.Separator))
		})
	}
	var beyond []string
	for _, dir := range p.Graph.Beyond() {
		beyond = append(beyond, p.Config.Abs(dir))
	}
	leadsTo := func(dir string) bool {
		return slices.ContainsFunc(first, func(f string) bool { return strings.HasPrefix(f, dir+string(filepath.Separator)) })
	}
	i.Dirs = append(slices.Clone(first), p.Config.Root)
	i.Ignore = func(file string, dir bool) bool {
		return ignore(file, dir) || in(beyond, file) && !in(first, file) && !placed[file] && !(dir && leadsTo(file))
	}
	i.Unread = func(real string) bool {
		return unread(real) || !placed[real] && !in(first, real)
	}
}

// other reports whether a file or directory may be read by hooks whose reads are unknown.
// Files that define the project, and scripts that are run as hooks, are excluded, because
// dependencies on them are known.
func (p *Project) other(rel string, isDir bool) bool {
	abs := p.Config.Abs(rel)
	if isDir {
		return !isIgnored(p.Config, abs, true)
	}
	return !p.entries[rel] && !slices.Contains(outputs, path.Ext(rel)) && !isIgnored(p.Config, abs, false) && !p.Shapes(abs)
}

// outputs are the extensions of files that programs write and that do not affect hooks.
var outputs = []string{".log", ".pyc"}

// entryScripts returns the scripts that are run as hooks.
func (p *loader) entryScripts() map[string]bool {
	entries := make(map[string]bool)
	for _, h := range p.Registered.Hooks {
		for _, s := range h.Scripts {
			entries[s] = true
		}
	}
	for _, c := range p.every {
		for _, s := range p.hooksOf(c) {
			entries[s] = true
		}
	}
	return entries
}

// late returns the files that cases depend on and that are not in FirstInterest, as slash
// paths from the root. They are watched only after Interest, so content that was read
// before may be outdated.
func late(p *Project) []string {
	first := FirstInterest(p.Config)
	var late []string
	for _, f := range p.Graph.Files() {
		if f == depend.Elsewhere {
			continue
		}
		abs := p.Config.Abs(f)
		below := func(dir string) bool { return strings.HasPrefix(abs, dir+string(filepath.Separator)) }
		if !slices.Contains(first.Files, abs) && !slices.ContainsFunc(first.Dirs, below) {
			late = append(late, f)
		}
	}
	return late
}

// isRecord reports whether an absolute path is that of hookwatch's records, or in their directory.
func isRecord(cfg *config.Config, file string) bool {
	return file == cfg.ResultsDir || strings.HasPrefix(file, cfg.ResultsDir+string(filepath.Separator))
}

// streamed describes standard output, to which hookwatch --format jsonl >FILE writes.
var streamed = sync.OnceValue(func() fs.FileInfo { fi, _ := os.Stdout.Stat(); return fi })

// isOutput reports whether a file is that of standard output: each line would count as a save, which prints more.
func isOutput(file string) bool {
	out := streamed()
	if out == nil || !out.Mode().IsRegular() {
		return false
	}
	fi, err := os.Stat(file)
	return err == nil && os.SameFile(fi, out)
}

// isIgnored reports whether the watcher ignores a path: files that hookwatch itself writes,
// files that are not sources, and the user's ignore patterns.
func isIgnored(cfg *config.Config, file string, isDir bool) bool {
	if isRecord(cfg, file) {
		return true
	}
	if own := filepath.Join(os.TempDir(), "hookwatch-"); strings.HasPrefix(file, own) && strings.HasPrefix(own, cfg.Root+string(filepath.Separator)) {
		return true // the sandboxes of cases, in a project that contains the temporary directory
	}
	if !isDir && (temporary(filepath.Base(file)) || isOutput(file)) {
		return true
	}
	if isDir && disk.IgnoredDir(filepath.Base(file)) {
		return true
	}
	if isDir && leadsOutside(cfg, file) {
		return true
	}
	if len(cfg.Watch.Ignore) == 0 {
		return false
	}
	rel, err := filepath.Rel(cfg.Root, file)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(cfg.Watch.Ignore, func(glob string) bool {
		ok, err := doublestar.Match(glob, filepath.ToSlash(rel))
		return err == nil && ok
	})
}

// leadsOutside reports whether a directory is a link that leads out of the project.
func leadsOutside(cfg *config.Config, dir string) bool {
	fi, err := os.Lstat(dir)
	if err != nil || fi.Mode()&os.ModeSymlink == 0 {
		return false
	}
	_, err = confinedReader(cfg).Resolve(dir)
	return disk.IsRefused(err)
}

// temporaries are names of temporary files of editors.
var temporaries = []string{"*~", "*.swp", "*.swx", "*.swo", "4913", ".#*", "#*#", "*___jb_tmp___", "*___jb_old___", "sed??????", "*.tmp"}

func temporary(name string) bool {
	return slices.ContainsFunc(temporaries, func(glob string) bool {
		ok, err := filepath.Match(glob, name)
		return err == nil && ok
	})
}

// SelectAffected returns the cases that a change of a file, or of a section of it, selects. It
// returns an error if the file is outside of the project and no case depends on it, or if
// it has no such section.
func SelectAffected(p *Project, path, section string) ([]verdict.Selected, error) {
	for _, c := range p.Every() {
		p.Graph.Inputs(c) // the graph follows files only after it is asked for a case's inputs
	}
	asked, err := askedSection(p, path, section)
	if err != nil {
		return nil, err
	}
	counts := p.Graph.Counts(path)
	places := map[string]markers.Resolution{}
	var selected []verdict.Selected
	for _, c := range p.Cases {
		var because []string
		inputs := p.Graph.Inputs(c)
		elsewhere := counts && !depend.Places(inputs, path)
		for _, in := range inputs {
			if in.Path == depend.Elsewhere && elsewhere {
				because = append(because, in.Because)
			}
			if in.Path == path && (section == "" || in.Section == "" || overlap(p, places, asked, in)) {
				because = append(because, in.Because)
			}
		}
		if c.At.File == path && section == "" {
			because = append(because, "its definition")
		}
		if len(because) > 0 {
			selected = append(selected, verdict.Selected{Case: c, Because: because})
		}
	}
	if len(selected) == 0 && !p.Follows(path) && (!filepath.IsLocal(filepath.FromSlash(path)) || !p.Exists(path)) {
		return nil, fmt.Errorf("%s is outside of the project, and no case depends on it%s", path, markers.Nearest(path, p.followedFiles()))
	}
	return selected, nil
}

// askedSection returns the section that the user names, or an error if there is none.
func askedSection(p *Project, path, section string) (markers.Resolution, error) {
	info, err := os.Stat(p.Config.Abs(path))
	switch {
	case err == nil && info.IsDir():
		return markers.Resolution{}, fmt.Errorf("%s is a directory; name a file in it", path)
	case errors.Is(err, fs.ErrNotExist) && !p.Follows(path):
		names := p.followedFiles()
		for _, c := range p.every {
			names = append(names, c.ID)
		}
		return markers.Resolution{}, fmt.Errorf("%s: neither a case's ID nor a file of the project%s", path, markers.Nearest(path, names))
	case section == "" || err != nil:
		return markers.Resolution{}, nil
	}
	found := p.Graph.Section(path, section)
	if !found.Found {
		return found, errors.New(cmp.Or(found.Why, path+" cannot be read"))
	}
	return found, nil
}

// overlap reports whether a change of the asked section may change an input. One of the
// two may be within the other.
func overlap(p *Project, places map[string]markers.Resolution, asked markers.Resolution, in suites.Input) bool {
	place, ok := places[in.Section]
	if !ok {
		place = p.Graph.Section(in.Path, in.Section)
		places[in.Section] = place
	}
	return asked.Found && place.Found && asked.Line <= place.EndLine && place.Line <= asked.EndLine
}

// Follows reports whether the project uses a file.
func (p *Project) Follows(path string) bool {
	return slices.Contains(p.followedFiles(), path)
}

// followedFiles returns the files that the project uses, sorted.
func (p *Project) followedFiles() []string {
	files := slices.Concat(slices.DeleteFunc(p.Graph.Files(), func(f string) bool { return f == depend.Elsewhere }), p.Graph.Specs(), p.scripts, p.Config.Settings)
	for _, s := range append(slices.Clone(p.sources), p.Config.Path) {
		if s != "" {
			files = append(files, p.Rel(s))
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
