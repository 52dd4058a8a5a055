package conform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// contents judges the text of the scripts that hooks run.
func (t Tree) contents() (all []Finding) {
	hooks := t.hooks()
	var seen []string
	for _, h := range hooks {
		for _, s := range h.Scripts {
			if slices.Contains(seen, s) || !isCode(s) {
				continue
			}
			seen = append(seen, s)
			text := t.read(s)
			for _, f := range append(judgeText(h, s, text), t.misspelt(h, s)...) {
				all = append(all, f.forEvent(h.Event))
			}
			running := slices.DeleteFunc(slices.Clone(hooks), func(o discover.Hook) bool { return !slices.Contains(o.Scripts, s) })
			all = append(all, unknownFields(running, s, withoutComments(text))...)
		}
	}
	return all
}

// unknownFields judges the fields that a script certainly reads under a wrong name, for the hooks
// that run it. Each finding lists the hooks whose events send the intended field.
func unknownFields(hooks []discover.Hook, name, code string) (all []Finding) {
	for _, u := range Certain(code) {
		var found []Finding
		for _, h := range hooks {
			here := u
			if about, _ := client.EventByName(h.Event); about.Tool && u.Meant == "tool_response" && sends(h.Event, "error") {
				here.Meant = "error" // because a failed call has no response
			}
			if sends(h.Event, here.Meant) {
				found = append(found, misread(h.ID, misreading{name, code, here}))
			}
		}
		if len(found) == 0 {
			f := misread(hooks[0].ID, misreading{name, code, u})
			f.What = fmt.Sprintf("%s reads %s, which %s does not send", name, u.Name, hooks[0].Event)
			f.Remedy = "register the script for an event that sends " + u.Meant + ", and read that"
			found = append(found, f)
		}
		all = append(all, MergeFindings(found)...)
	}
	return all
}

// sends reports whether the payload of an event has a field.
func sends(event, field string) bool {
	about, _ := client.EventByName(event)
	in := client.PayloadInput{Event: event, Prompt: "p", Value: client.UsualMatcher(event), Cwd: "/", SessionID: "s", TranscriptPath: "/t", AgentID: "a", AgentType: "a"}
	if about.Tool {
		in.Tool, in.Command = "Bash", "true"
	}
	payload, err := client.Payload(in)
	var sent map[string]json.RawMessage
	if err != nil || json.Unmarshal(payload, &sent) != nil {
		return false
	}
	_, ok := sent[field]
	return ok
}

// misspelt judges variables that a shell script reads under a name that nothing sets.
func (t Tree) misspelt(h discover.Hook, name string) (all []Finding) {
	if !strings.HasSuffix(name, ".sh") {
		return nil
	}
	var others []string
	for _, s := range h.Scripts {
		if s != name && strings.HasSuffix(s, ".sh") {
			others = append(others, t.read(s))
		}
	}
	code := t.read(name)
	for _, m := range Misspellings(code, others...) {
		f := FindingOf("unset-variable", h.ID, place(name, code, m.At), fmt.Sprintf("%s reads %s, which nothing sets; it sets %s", name, m.Name, m.Meant), suites.Warning)
		f.Effect, f.Remedy = "it is empty, unless the environment happens to have it", "read "+m.Meant
		all = append(all, f)
	}
	return all
}

func isCode(s string) bool {
	return !slices.ContainsFunc([]string{".json", ".md", ".yaml", ".yml", ".toml", ".txt"}, func(end string) bool { return strings.HasSuffix(s, end) })
}

func judgeText(h discover.Hook, name, text string) (all []Finding) {
	hook := h.ID
	code := withoutComments(text)
	for _, v := range Variables(code, strings.HasSuffix(name, ".sh")) {
		all = append(all, FindingOf("unset-variable", hook, place(name, code, v.At), name+" reads "+v.Name+", which is never set", suites.Warning))
	}
	if !strings.HasSuffix(name, ".sh") {
		return all
	}
	if strings.Contains(code, "claude") {
		if at := startsClient().FindStringIndex(code); at != nil {
			all = append(all, FindingOf("starts-client", hook, place(name, code, at[0]), name+" runs claude"))
		}
	}
	return append(all, notPortable(hook, name, code)...)
}

// A misreading is a script's use of a field that the client sends under another name.
type misreading struct {
	script string
	code   string
	use    Use
}

// misread returns the finding for a field that a script reads under a wrong name.
func misread(hook string, m misreading) Finding {
	f := FindingOf("unknown-field", hook, place(m.script, m.code, m.use.At), m.script+" reads "+m.use.Name+"; the client sends "+m.use.Meant)
	f.Remedy = "read " + m.use.Meant
	return f
}

// notPortable judges the first construct of a shell script that some systems do not support. It
// skips scripts that query the system, and lines that try another form next.
func notPortable(hook, name, code string) []Finding {
	if asksSystem().MatchString(code) {
		return nil
	}
	for _, at := range systems().FindAllStringIndex(code, -1) {
		use := strings.Trim(code[at[0]:at[1]], "\n ;&|(")
		program, options, _ := strings.Cut(use, " ")
		line := lineAt(code, at[0])
		if strings.Contains(line, "||") && strings.Count(line, program+" ") > 1 {
			continue
		}
		f := FindingOf("not-portable", hook, place(name, code, at[0]), name+" uses "+strings.TrimRight(use, `'" `))
		switch {
		case program != "sed":
		case emptySuffix().MatchString(options):
			f.What = name + " uses sed -i '', which is the form of macOS"
			f.Effect = "GNU sed takes '' for its script and the script for a file: on Linux it fails, and the call proceeds"
			f.Remedy = "write sed -i.bak, and remove the backup"
		default:
			f.What = name + " uses sed -i without a suffix"
			f.Effect = "on macOS sed takes what follows for the suffix: it fails, or leaves a backup, and the call proceeds"
			f.Remedy = "write sed -i.bak, and remove the backup"
		}
		return []Finding{f}
	}
	return nil
}

var (
	// systems matches options and programs that only GNU has, and sed -i in either form.
	systems = pattern.Lazy(`(?m)\bgrep\s+-[a-zA-Z]*P|\bsed\s+(?:-[a-zA-Z]+\s+)*-i\s+(?:''|""|-[a-zA-Z]|['"s])|\bdate\s+(?:-d|--date)|(?:^|[;&|]|[^(]\()\s*(?:timeout\s+(?:-[a-zA-Z-]|[\d"$])|(?:flock|tac)\s)`)

	emptySuffix = pattern.Lazy(`-i\s+(?:''|"")$`)
	asksSystem  = pattern.Lazy(`(?i)\bOSTYPE\b|\buname\b|\bdarwin\b`)
)

// lineAt returns the line of a text at an offset.
func lineAt(text string, at int) string {
	line, _, _ := strings.Cut(text[at:], "\n")
	return text[strings.LastIndexByte(text[:at], '\n')+1:at] + line
}

// startsClient matches a shell's call of the client.
var startsClient = pattern.Lazy(`(?m)(^|[;&|(]|\$\()\s*(exec |timeout \d+\w? |nohup )*claude\s+(-p|--print)\b`)

func place(name, text string, at int) suites.Position {
	line := strings.Count(text[:at], "\n") + 1
	return suites.Position{File: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}
