package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"hookwatch/suites/disk"
)

// pathKeys are the lists whose entries are read, from the project's root.
var pathKeys = []string{"hooks", "settings", "specs", "suites"}

// reach looks where the paths of a file lead, and of defaults that it leaves. What
// is not on its list lies in the project.
func (s *source) reach(root string) facts {
	f := facts{processors: runtime.NumCPU(), leads: map[entry]lead{}}
	real := disk.Lead(root)
	for _, key := range pathKeys {
		for _, path := range s.list(key) {
			if to := disk.Lead(from(root, fixed(path))); !(key == "suites" && isBuiltin(path)) && !disk.Within(real, to) {
				f.leads[entry{key, path}] = lead{to: to}
			}
		}
	}
	dir := s.text("results.dir")
	if l := s.recordsLead(root, real, from(root, dir)); l != (lead{}) {
		f.leads[entry{"results.dir", dir}] = l
	}
	return f
}

// recordsLead tells what speaks against records in a place of the project, or
// where it leads out.
func (s *source) recordsLead(root, real, dir string) lead {
	to := disk.Lead(dir)
	rel, err := filepath.Rel(real, to)
	if err != nil || !filepath.IsLocal(rel) {
		return lead{to: to}
	}
	if plain, err := filepath.Rel(root, dir); err != nil || plain != rel {
		return lead{to: to, why: "leads through a link, to " + to}
	}
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if strings.EqualFold(part, ".git") {
			return lead{to: to, why: "is git's own directory"}
		}
	}
	for _, hooks := range s.list("hooks") {
		if h := disk.Lead(from(root, hooks)); h != real && disk.Within(h, to) {
			return lead{to: to, why: "is a directory of hooks"}
		}
	}
	return lead{}
}

// projectLead tells where the root that a file names leads, if that is elsewhere:
// neither below the file, nor below the directory that a person started in, nor in
// the work tree of git that the file is part of.
func projectLead(root, file, start string) lead {
	to := disk.Lead(root)
	own := filepath.Dir(disk.Lead(file))
	for _, place := range []string{own, disk.Lead(start), workTree(own)} {
		if place != "" && disk.Within(place, to) {
			return lead{}
		}
	}
	return lead{to: to}
}

// workTree gives the top of the work tree of git that a real directory is part
// of; "" if there is none, or if it is one of the person's whole HOME.
func workTree(dir string) string {
	top := upwards(dir, func(d string) bool { return exists(filepath.Join(d, ".git")) })
	if home, err := os.UserHomeDir(); top == "" || err == nil && disk.Within(top, disk.Lead(home)) {
		return ""
	}
	return top
}

// expandHome puts the person's HOME for the ~ at the start of a path, as a shell
// does. The project has no directory of that name in mind.
func (s *source) expandHome() {
	for _, key := range append([]string{"project", "results.dir"}, pathKeys...) {
		switch v := s.values[key].(type) {
		case string:
			s.values[key] = s.inHome(key, v)
		case []string:
			for i := range v {
				v[i] = s.inHome(key, v[i])
			}
		}
	}
}

func (s *source) inHome(key, path string) string {
	below, ok := strings.CutPrefix(path, "~")
	if !ok || below != "" && below[0] != '/' {
		return path
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		s.Add(s.nodes[key], key+": ~ stands for nothing here: HOME is not set", "write the whole path")
		return path
	}
	return filepath.ToSlash(dir) + below
}
