package cli

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
	"hookwatch/suites/printable"
)

// The lines around all that is wrong in a watching session, as the background tasks of editors read them:
// a list replaces the one before.
const (
	lineBegin = "hookwatch: begin"
	lineEnd   = "hookwatch: end"
)

var _ = register(&format{
	name: "line", help: "file:line:column: severity: text [rule] for editors: a line for each finding and failing case", layout: asLines, findingsOnly: true, checks: true,
	view: func(a *app, p *session.Project, _ notify.Options, watch bool) session.View {
		return session.Multi(&lineView{lines: lines{a.raw.Out, a.dir, disk.Real(p.Root())}, project: p, watch: watch, failed: map[suites.Key]string{}}, diagnostics{a.log()})
	},
	write: func(a *app, r result) error {
		v := &lineView{lines: lines{a.raw.Out, a.dir, r.top}}
		for _, f := range r.findings {
			if f.severity != suites.Info || a.verbose {
				v.write(v.of(f))
			}
		}
		return v.err
	},
})

// lines prints annotations whose files are below top, with paths from dir, which are absolute.
type lines struct {
	out      io.Writer
	dir, top string
}

// of returns the line of an annotation. One without a place is at the settings, because a line without a
// file is shown nowhere.
func (l lines) of(a annotation) string {
	file := filepath.FromSlash(a.at.File)
	if file == "" || catalog.IsBuiltin(a.at.File) {
		file, a.at = filepath.FromSlash(clients.Clients()[0].HookFile()), suites.Position{}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(l.top, file)
	}
	if within, err := filepath.Rel(disk.Real(l.dir), file); err == nil {
		file = within
	}
	at := suites.Position{File: filepath.ToSlash(file), Line: max(a.at.Line, 1), Column: max(a.at.Column, 1)}
	text := strings.Join(slices.DeleteFunc(append([]string{a.title}, strings.Split(a.text, "\n")...), func(s string) bool { return s == "" }), "; ")
	return printable.Field(at.String()+": "+string(a.severity)+": "+text+" ["+a.rule+"]") + "\n"
}

// A lineView prints failing cases: those of one run as they end, or those of a watching session after
// each run, together with the findings of check.
type lineView struct {
	lines
	project *session.Project
	watch   bool
	failed  map[suites.Key]string // lines of the cases that fail
	wrong   string                // lines of problems with files of the project
	last    string                // the list printed last
	err     error
}

func (v *lineView) Handle(e session.Event) {
	switch e := e.(type) {
	case session.Problems:
		v.wrong = ""
		for _, p := range e.List {
			v.wrong += v.of(annotation{rule: "configuration", severity: suites.Error, at: p.At, title: p.What, text: p.Hint})
		}
		v.list(v.wrong)
	case session.CaseDone:
		v.failed[e.Record.Key()] = v.failing(e)
		if !v.watch {
			v.write(v.failed[e.Record.Key()])
		}
	case session.Present:
		text, at := v.wrong, v.lines
		for _, k := range e.Failed {
			text += v.failed[k]
		}
		at.top = topOf(v.project)
		for _, f := range e.Findings {
			if f.Severity != suites.Info {
				text += at.of(annotate(v.project, f))
			}
		}
		v.list(text)
	}
}

// failing returns the line of a case, "" if it passed or was skipped.
func (v *lineView) failing(e session.CaseDone) string {
	a, failed := failure(e)
	if !failed {
		return ""
	}
	if strings.Trim(e.Effect, ": ") != "" { // a hook that was not fired has none
		a.text += "\nthe client: " + e.Effect
	}
	if e.Remedy != "" {
		a.text += "\nto do: " + e.Remedy
	}
	if unplaced := a.severity == suites.Error && a.at == e.Defined; unplaced && e.Script != "" && v.project.Exists(e.Script) { // the user has the hook open, not the suite
		a.at, a.text = suites.Position{File: e.Script}, a.text+"\ncase at "+e.At
	}
	return v.of(a)
}

// list prints all that is wrong in a watching session, unless it is what was printed last.
func (v *lineView) list(text string) {
	if text = lineBegin + "\n" + text + lineEnd + "\n"; v.watch && text != v.last {
		v.write(text)
		v.last = text
	}
}

func (v *lineView) write(text string) {
	_, err := v.out.Write([]byte(text)) // each line has been made printable
	v.err = cmp.Or(v.err, err)
}

func (v *lineView) Close() error { return v.err }
