package bench

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// An observed is the state of a path, or what an examination showed, as long as its signature is the same.
type observed struct {
	signature disk.Signature
	state     string
}

// missing is the state of a path at which there is nothing that a case can see.
const missing = ""

// state returns the state of a path of trace.Observed in a firing, and the time of its last change. For a
// link it is where that leads, because the content there is a path of its own.
func (k *Known) state(p string, in *suites.Firing) (state string, changed time.Time) {
	name, listed := strings.CutSuffix(p, "/")
	if state, replaced := k.replaced(name, listed, in); replaced {
		return state, changed
	}
	at := k.at(name)
	info, err := os.Lstat(at)
	if err != nil {
		return missing, disk.LastChange(at)
	}
	signature := disk.SignatureOf(info)
	changed = signature.LastChange()
	k.mu.Lock()
	known, ok := k.states[p]
	k.mu.Unlock()
	if ok && known.signature == signature {
		return known.state, changed
	}
	if state = k.look(at, info, listed); !signature.Racy(k.now()) {
		k.mu.Lock()
		k.states[p] = observed{signature, state}
		k.mu.Unlock()
	}
	return state, changed
}

// at returns the absolute path of a path of trace.Observed.
func (k *Known) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(k.Root, filepath.FromSlash(name))
}

// replaced returns the state of a path of the project if a firing has other files there.
func (k *Known) replaced(name string, listed bool, in *suites.Firing) (state string, replaced bool) {
	below := func(file string) bool { return strings.HasPrefix(file, name+"/") }
	i := slices.IndexFunc(in.Files, func(f suites.Fixture) bool { return f.Path == name })
	switch {
	case len(in.Files)+len(in.Removed) == 0 || filepath.IsAbs(name):
		return "", false
	case i >= 0:
		return stateOf(fs.FileMode(in.Files[i].Mode), []byte(in.Files[i].Content)), true
	case slices.ContainsFunc(in.Files, func(f suites.Fixture) bool { return below(f.Path) }):
		if listed {
			return k.names(name, in), true
		}
		return fs.ModeDir.String(), true
	case slices.ContainsFunc(in.Removed, func(r string) bool { return r == name || strings.HasPrefix(name, r+"/") }):
		return missing, true
	case listed && slices.ContainsFunc(in.Removed, below):
		return k.names(name, in), true
	}
	return "", false
}

// names returns the state of a listed directory in a firing that has other files there.
func (k *Known) names(dir string, in *suites.Firing) string {
	var names []string
	entries, _ := os.ReadDir(k.at(dir)) // none if only the firing has it
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, r := range in.Removed {
		if path.Dir(r) == dir {
			names = slices.DeleteFunc(names, func(name string) bool { return name == path.Base(r) })
		}
	}
	for _, f := range in.Files {
		if rest, ok := strings.CutPrefix(f.Path, dir+"/"); ok {
			first, _, _ := strings.Cut(rest, "/")
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return digestOf(slices.Compact(names))
}

// stateOf returns the state of a file, or of a link with its target as the content.
func stateOf(mode fs.FileMode, content []byte) string {
	if mode&fs.ModeSymlink != 0 {
		return "-> " + string(content)
	}
	return mode.Perm().String() + " " + suites.Digest(content)
}

// look returns the state of what is at an absolute path.
func (k *Known) look(name string, info fs.FileInfo, listed bool) string {
	mode := info.Mode()
	switch {
	case !k.Reader.Sees(name):
		return missing
	case listed:
		entries, err := os.ReadDir(name)
		if err != nil {
			return missing
		}
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Name()
		}
		return digestOf(names)
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(name)
		return cmp.Or(errorText(err), stateOf(mode, []byte(target)))
	case !mode.IsRegular():
		return mode.Type().String()
	case info.Size() > stateFile:
		return fmt.Sprint(disk.SignatureOf(info))
	}
	content, err := k.Reader.Anywhere().ReadFile(name, stateFile)
	return cmp.Or(errorText(err), stateOf(mode, content))
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return "unknown: " + err.Error()
}

// digestOf returns a digest of the names in a directory, sorted.
func digestOf(names []string) string { return suites.Digest([]byte(strings.Join(names, "\x00"))) }

// ownContent returns the content of a file of the project that a firing has instead of the project's; false if it has
// none.
func (k *Known) ownContent(at string, in *suites.Firing) ([]byte, bool) {
	rel, err := filepath.Rel(k.Root, at)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, false
	}
	rel = filepath.ToSlash(rel)
	i := slices.IndexFunc(in.Files, func(f suites.Fixture) bool { return f.Path == rel })
	if i < 0 {
		return nil, false
	}
	return []byte(in.Files[i].Content), true
}
