package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hookwatch/suites/depend/trace"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
)

func newVerifyCmd(a *app, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [SPEC...]",
		Short: "Resolve the markers of spec documents and cases",
		Long: `Resolve every [verify: source §section] marker of the spec documents and of the
cases to a file and a line, or say why it leads nowhere. With SPEC only those of
these documents, suite files or built-in suites (builtin:pm); without it also the
keys of the hooks' config.json that no script reads or that no case covers.
The exit code is 1 while a marker is unresolved, whatever verify: is set to.`,
		RunE: func(_ *cobra.Command, specs []string) error { return runVerify(a, *g, specs) },
	}
}

func runVerify(a *app, g globals, specs []string) error {
	p, err := loadMarked(g)
	if err != nil {
		return err
	}
	a.warn(p.Unread)
	sources := session.SourcesOf(p)
	keys := []session.ConfigKey{}
	if len(specs) == 0 {
		keys = append(keys, session.ConfigKeys(p)...)
	} else if sources, err = session.PickSources(p, sources, g.workDir, specs); err != nil {
		return err
	}
	found, err := session.Verify(p, sources)
	if err != nil {
		return err
	}
	doc := newVerifyDocument(found, keys)
	doc.Evidence(traceResults(g, p))
	err = a.print(doc, jsonLines(doc.Markers, ranIn{}), func(w io.Writer) {
		for i := range found {
			writef(w, "%s\n", verifiedLine(&found[i]))
		}
		keysText(w, keys)
	})
	if a.format.layout == asLines { // its lines are markers
		keysText(a.Err, keys)
	}
	if err != nil {
		return err
	}
	a.warn(doc.Odd())
	// Unknown IDs and the number of resolved markers follow, on stderr if the output is for programs.
	w, forPrograms := a.Out, a.format.layout != asText
	if forPrograms {
		w = a.Err
	}
	unresolved := sum(w, p, sources, found, forPrograms)
	a.warn(strangers(found))
	if unresolved > 0 {
		return fmt.Errorf("%d unresolved: %w", unresolved, errFailed)
	}
	return nil
}

// loadMarked loads a project without judging its markers, whether or not it has cases.
func loadMarked(g globals) (*session.Project, error) {
	g.judgesMarkers = true
	p, err := g.loadHooks()
	if err != nil || g.allCases() {
		return p, err
	}
	return p, p.Empty // an error if --suite or --filter matched nothing
}

// verifyDocument is the JSON document of verify.
type verifyDocument struct {
	Version int                 `json:"version"`
	Markers []marker            `json:"markers"`
	Keys    []session.ConfigKey `json:"keys"`
	// Unentered and Uncovered come from current traces: functions that a case's marker names but
	// the case never enters, and functions that no case enters.
	Unentered []session.Unentered `json:"unentered"`
	Uncovered []uncovered         `json:"uncovered"`
}

// uncovered is a function that no case enters.
type uncovered struct {
	Source   string `json:"source"`
	Function string `json:"function"`
	Line     int    `json:"line"`
}

// marker is one reference of a marker: its origin and its target.
type marker struct {
	Spec     string   `json:"spec"` // document, suite file, or builtin:SUITE
	Line     int      `json:"line"` // 0 if unknown
	Source   string   `json:"source"`
	Section  string   `json:"section"` // "" for the whole source
	IDs      []string `json:"ids"`     // cases that the claim is about
	Claim    string   `json:"claim"`   // text of the document about them
	Resolved bool     `json:"resolved"`
	At       string   `json:"at"`   // file:line; "" if it does not resolve
	Rule     string   `json:"rule"` // how it was resolved; "" if it was not
}

// newVerifyDocument converts markers and keys; Evidence adds results of traces.
func newVerifyDocument(found []session.Verified, keys []session.ConfigKey) *verifyDocument {
	doc := &verifyDocument{
		Version: 1, Markers: make([]marker, len(found)), Keys: keys,
		Unentered: []session.Unentered{}, Uncovered: []uncovered{},
	}
	for i, v := range found {
		doc.Markers[i] = marker{
			Spec: v.Spec, Line: v.Line, Source: v.Marker.Source, Section: v.Marker.Section,
			IDs: append([]string{}, v.IDs...), Claim: v.Claim, Resolved: v.Resolved, At: v.Marker.At, Rule: v.Rule,
		}
	}
	return doc
}

// Evidence adds results of traces.
func (d *verifyDocument) Evidence(unentered []session.Unentered, files []trace.Coverage) {
	d.Unentered = append(d.Unentered, unentered...)
	for _, f := range files {
		for _, fn := range f.Functions {
			if len(fn.Cases) == 0 {
				d.Uncovered = append(d.Uncovered, uncovered{f.Path, fn.Name, fn.Line})
			}
		}
	}
}

// Odd returns the results of traces as text, with the cases of a function in one line.
func (d *verifyDocument) Odd() []string {
	var out []string
	ids := map[string][]string{}
	for _, u := range d.Unentered {
		place := u.Path + " §" + u.Function
		if ids[place] == nil {
			out = append(out, place)
		}
		ids[place] = append(ids[place], u.ID)
	}
	for i, place := range out {
		out[i] = fmt.Sprintf("%s: markers of %s name it, and their cases never enter it", place, session.IDs(ids[place]))
	}
	for _, u := range d.Uncovered {
		out = append(out, fmt.Sprintf("%s:%d: no case enters %s", u.Source, u.Line, u.Function))
	}
	return out
}

// keysText prints keys that no script reads or no case covers; they do not affect the exit code.
func keysText(w io.Writer, keys []session.ConfigKey) {
	for _, k := range keys {
		what := "no case covers it"
		switch {
		case !k.Read && !k.Covered:
			what = "no script reads it, and no case covers it"
		case !k.Read:
			what = "no script reads it"
		}
		writef(w, "%s:%d  %s: %s\n", k.File, k.Line, k.Key, what)
	}
}

// sum prints the number of resolved markers and, if named is set, each unresolved one. It returns
// the number of unresolved markers.
func sum(w io.Writer, p *session.Project, from session.Sources, found []session.Verified, named bool) (unresolved int) {
	for _, v := range found {
		if v.Resolved {
			continue
		}
		if unresolved++; named {
			writef(w, "%s\n", verifiedLine(&v))
		}
	}
	if len(found) == 0 {
		writef(w, "no markers: looked for [verify: source §section] in %s, of %s\n", from, strings.Join(slices.Concat(p.Config.Specs, p.Config.Suites), ", "))
	} else {
		writef(w, "%s in %s: %d resolved, %d not\n", session.Count(len(found), "marker"), from, len(found)-unresolved, unresolved)
	}
	return unresolved
}

// verifiedLine describes one marker: its position, reference, target and cases.
func verifiedLine(v *session.Verified) string {
	means := v.Marker.At + " (" + v.Rule + ")"
	if !v.Resolved {
		means = "unresolved: " + v.Marker.Why
	}
	line := fmt.Sprintf("%s:%d  %s -> %s", v.Spec, v.Line, v.Marker.Ref(), means)
	if len(v.IDs) > 0 {
		line += "  " + session.IDs(v.IDs)
	}
	return line
}

// strangers returns a warning for each ID that no suite has, at the first marker that names it.
func strangers(found []session.Verified) []string {
	var warnings []string
	reported := map[string]bool{}
	for _, v := range found {
		var fresh []string
		for _, id := range v.Unknown {
			if !reported[id] {
				reported[id] = true
				fresh = append(fresh, id)
			}
		}
		if len(fresh) > 0 {
			warnings = append(warnings, fmt.Sprintf("%s:%d names %s, which no suite has", v.Spec, v.Line, session.IDs(fresh)))
		}
	}
	return warnings
}
