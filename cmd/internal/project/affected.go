package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/markers"
	"hookwatch/suites/plan"
)

// Affected lists the cases that a change of a file, or of a section of it,
// selects. It fails when the file lies outside of the project and no case depends on
// it, or has no such section.
func (p *Project) Affected(path, section string) ([]plan.Selected, error) {
	asked, err := p.asked(path, section)
	if err != nil {
		return nil, err
	}
	counts := p.Graph.Counts(path)
	places := map[string]markers.Resolution{}
	var selected []plan.Selected
	for _, c := range p.Cases {
		var because []string
		inputs := p.Graph.Inputs(c)
		elsewhere := counts && !depend.Places(inputs, path)
		for _, in := range inputs {
			if in.Path == depend.Elsewhere && elsewhere {
				because = append(because, in.Because)
			}
			if in.Path == path && (section == "" || in.Section == "" || p.overlap(places, asked, in)) {
				because = append(because, in.Because)
			}
		}
		if c.At.File == path && section == "" {
			because = append(because, "its definition")
		}
		if len(because) > 0 {
			selected = append(selected, plan.Selected{Case: c, Because: because})
		}
	}
	if len(selected) == 0 && !p.Follows(path) && (!filepath.IsLocal(filepath.FromSlash(path)) || !p.Exists(path)) {
		return nil, fmt.Errorf("%s lies outside of the project, and no case depends on it%s", path, markers.Nearest(path, p.followed()))
	}
	return selected, nil
}

// asked finds the section that a person names, or says why there is none.
func (p *Project) asked(path, section string) (markers.Resolution, error) {
	info, err := os.Stat(p.Config.Abs(path))
	switch {
	case err == nil && info.IsDir():
		return markers.Resolution{}, fmt.Errorf("%s is a directory; name a file in it", path)
	case errors.Is(err, fs.ErrNotExist) && !p.Follows(path):
		names := p.followed()
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

// overlap reports whether a change of the section that was asked for may change
// an input. One of the two may lie in the other.
func (p *Project) overlap(places map[string]markers.Resolution, asked markers.Resolution, in suites.Input) bool {
	place, ok := places[in.Section]
	if !ok {
		place = p.Graph.Section(in.Path, in.Section)
		places[in.Section] = place
	}
	return asked.Found && place.Found && asked.Line <= place.EndLine && place.Line <= asked.EndLine
}

// follows reports whether the project has to do with a file.
func (p *Project) Follows(path string) bool {
	return slices.Contains(p.followed(), path)
}

// followed lists the files that the project has to do with, sorted.
func (p *Project) followed() []string {
	files := slices.Concat(slices.DeleteFunc(p.Graph.Files(), func(f string) bool { return f == depend.Elsewhere }), p.Graph.Specs(), p.scripts, p.Config.Settings)
	for _, s := range append(slices.Clone(p.sources), p.Config.Path) {
		if s != "" {
			files = append(files, p.Rel(s))
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
