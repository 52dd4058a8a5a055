package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// suiteAtMost bounds a suite file, in bytes: ten thousand plain cases are a third of
// it. suitesAtMost bounds all of them.
const (
	suiteAtMost  = 4 << 20
	suitesAtMost = 32 << 20
)

// manyFiles bounds what configured patterns may name in all.
const manyFiles = 10_000

// outsideHint says how a file outside of the project comes to be read.
const outsideHint = "copy it into the project, or name it in .hookwatch.yaml and agree to it with hookwatch trust"

// expand lists the files that patterns of the configuration name, as slash paths
// from the root, sorted. A name without wildcards is listed even if there is no
// such file, so that whoever opens it notices.
func (p *Project) expand(key string, patterns []string) ([]string, []suites.Problem) {
	var files []string
	var problems []suites.Problem
	for _, pattern := range patterns {
		if !strings.ContainsAny(pattern, `*?[{\`) {
			files = append(files, path.Clean(filepath.ToSlash(pattern)))
			continue
		}
		base, rest := doublestar.SplitPattern(pattern)
		found, err := p.Reader.Find(disk.Search{Base: p.Config.Abs(base), Pattern: rest, Skip: func(file string, dir bool) bool {
			return ignored(p.Config, file, dir)
		}})
		if err != nil {
			problems = append(problems, p.refused(key+": "+pattern, err))
		}
		for _, f := range found {
			files = append(files, path.Join(filepath.ToSlash(base), f))
		}
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) > manyFiles {
		problems = append(problems, suites.Problem{
			What: fmt.Sprintf("%s names %d files, of which at most %d are read", key, len(files), manyFiles), Hint: "narrow the patterns"})
		files = nil
	}
	return files, problems
}

// refused says of what the configuration names why it is not read, and what to do.
func (p *Project) refused(what string, err error) suites.Problem {
	problem := suites.Problem{At: suites.Position{File: p.Rel(ConfigFile(p.Config))}, What: what + ": " + err.Error()}
	if p.Config.Path == "" {
		problem.At.File = ""
	}
	if disk.ReasonOf(err) == disk.Outside {
		problem.Hint = outsideHint
	}
	return problem
}

// checkDirs refuses hook directories outside of the project: what lies in them is
// listed and followed.
func (p *Project) checkDirs() (problems []suites.Problem) {
	for _, dir := range p.Config.Hooks {
		if _, err := p.Reader.Resolve(p.Config.Abs(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, p.refused("hooks: "+dir, err))
		}
	}
	return problems
}
