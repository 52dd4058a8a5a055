package prove

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

// Case returns the finding as a case of a suite, a flow mapping of YAML in one line: a bypass must
// be stopped, a false block must pass. control is the ID of the case of Control.
func (f Finding) Case(h discover.Hook, registered, id, control string) string {
	head := caseHead(id, string(f.What), h, registered)
	switch f.What {
	case Injection:
		file := "{tmp}/hookwatch-executed"
		var value any = fmt.Sprintf(f.Value, file)
		for _, key := range slices.Backward(f.Field) {
			value = map[string]any{key: value}
		}
		return head + fmt.Sprintf(", tool: %s, payload: %s, expect: {files: [{path: %s, absent: true}]}}", text(f.Input.Tool), inJSON(value), text(file))
	case Choke:
		return ""
	case FalseBlock:
		return head + inputKeys(f.Input) + fmt.Sprintf(", control: %s, expect: {effect: proceeds}}", control)
	default:
		return head + inputKeys(f.Input) + fmt.Sprintf(", expect: {effect: %s}}", f.Of)
	}
}

// Control returns the case of the input that the finding started from, which must stay stopped.
func (f Finding) Control(h discover.Hook, registered, id string) string {
	return caseHead(id, "stopped", h, registered) + inputKeys(f.From) + fmt.Sprintf(", expect: {effect: %s}}", f.Of)
}

func caseHead(id, category string, h discover.Hook, registered string) string {
	return fmt.Sprintf("{id: %s, name: %s_%s, category: %s, registered: %s, event: %s", id, category, strings.ToLower(id), category, text(registered), h.Event)
}

// inputKeys returns the keys of a case that give the input.
func inputKeys(in conform.Input) string {
	switch {
	case in.Command != "":
		return fmt.Sprintf(", tool: %s, command: %s", text(in.Tool), text(in.Command))
	case in.File != "":
		file := in.File
		if !path.IsAbs(file) {
			file = "{project}/" + file
		}
		return fmt.Sprintf(", tool: %s, file_path: %s", text(in.Tool), text(file))
	default:
		return ", payload: {prompt: " + text(in.Prompt) + "}"
	}
}

// text returns a string of YAML, which includes those of JSON.
func text(s string) string { return inJSON(s) }

func inJSON(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // strings and maps of strings always encode
	return strings.TrimSpace(b.String())
}

// Append returns the lines by which a suite file gets cases for the findings, each with its
// control. Existing is the file's text; the lines start it if it is empty, and must be appended to
// it otherwise. Inputs that it has already are left out. Count is the number of cases.
func Append(existing, name string, guards []Guard, registered func(discover.Hook) string) (lines string, count int, err error) {
	var b strings.Builder
	indent, start, err := catalog.Continue(existing)
	if err != nil {
		return "", 0, err
	}
	if b.WriteString(start); existing == "" {
		b.WriteString("# Inputs that hookwatch prove found: what a guard must stop as well, and what it must let through.\n")
		fmt.Fprintf(&b, "suite: %s\ncases:\n", name)
	}
	next := catalog.Next(existing, "PV")
	put := func(c func(id string) string) string {
		id := fmt.Sprintf("PV%03d", next)
		line := c(id)
		if line == "" {
			return ""
		}
		_, input, _ := strings.Cut(line, "registered:")
		if before, _, found := strings.Cut(existing+b.String(), input); found {
			all := usedID.FindAllStringSubmatch(before, -1)
			return "PV" + all[len(all)-1][1]
		}
		fmt.Fprintf(&b, "%s- %s\n", indent, line)
		next++
		count++
		return id
	}
	for _, g := range guards {
		controls := map[conform.Input]string{}
		for _, f := range g.Findings {
			if _, known := controls[f.From]; !known && f.What != Injection {
				controls[f.From] = put(func(id string) string { return f.Control(g.Hook, registered(g.Hook), id) })
			}
			put(func(id string) string { return f.Case(g.Hook, registered(g.Hook), id, controls[f.From]) })
		}
	}
	if count == 0 {
		return "", 0, nil
	}
	return b.String(), count, nil
}

var usedID = regexp.MustCompile(`\bid: "?PV(\d+)`)

// Severity returns how serious a finding is.
func (f Finding) Severity() suites.Severity {
	switch {
	case f.What == Injection:
		return suites.Error
	case f.What == Bypass && f.Kind == Habit:
		return suites.Warning
	default:
		return suites.Info
	}
}
