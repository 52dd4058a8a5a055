package live

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/client"
)

// Seen is the observed behavior of the client in one turn.
type Seen struct {
	Turn   Turn
	Lines  []Line
	Heard  []Heard
	Before []int  // for each prompt, the length of Requests before it
	Tested string // ID of the tested call; "" if it was not made
	Log    []Logged
	Nth    int     // the index of the event's firing in this turn that the step tests
	Saw    []Fired // recorded by witnesses, for an event for whose hooks the client prints nothing
}

// FiredLines returns the hooks of the firing that the step tests.
func (s *Seen) FiredLines() []HookLine {
	if len(s.Saw) > 0 {
		lines := make([]HookLine, len(s.Saw))
		for i, f := range s.Saw {
			lines[i] = f.HookLine
		}
		return lines
	}
	firings := s.firings()
	if s.Nth >= len(firings) {
		return nil
	}
	return firings[s.Nth]
}

// firings returns the hooks of the step's event, grouped by firing: hooks that ran in parallel
// belong together.
func (s *Seen) firings() (all [][]HookLine) {
	running := 0
	place := make(map[string]int) // index in the last firing, by ID
	for _, l := range s.Lines {
		h := l.Hook
		if h.Event != s.Turn.Event || s.Turn.Value != "" && h.Name != h.Event && h.Name != h.Event+":"+s.Turn.Value {
			continue
		}
		switch l.Kind {
		case HookStarted:
			if running == 0 {
				all = append(all, nil)
				place = make(map[string]int)
			}
			running++
			last := len(all) - 1
			place[h.ID] = len(all[last])
			all[last] = append(all[last], h)
		case HookEnded:
			at, started := place[h.ID]
			if !started { // not announced, as at a start
				all = append(all, []HookLine{h})
				place = make(map[string]int)
				continue
			}
			running--
			all[len(all)-1][at] = h
		}
	}
	return all
}

// Texts returns the texts sent to the model since the tested call or prompt.
func (s *Seen) Texts() (out []string) {
	for _, h := range s.requests() {
		out = append(out, h.Texts...)
	}
	return out
}

// requests returns the requests that can contain words of the step's hooks: those after the call or
// the prompt that triggers the event. There are none after the end of the session.
func (s *Seen) requests() []Heard {
	heard := s.Heard
	switch {
	case about(s.Turn.Event).Last:
		return nil
	case s.Turn.From < len(s.Before):
		heard = heard[s.Before[s.Turn.From]:]
	}
	return slices.DeleteFunc(slices.Clone(heard), func(h Heard) bool { return h.Origin == Nested || h.Origin == Check || s.Tested != "" && !h.After })
}

// first returns the texts of the client's first request of its own.
func (s *Seen) first() string {
	for _, h := range s.Heard {
		if h.Origin == Main {
			return strings.Join(h.Texts, "\n")
		}
	}
	return ""
}

// models returns the models of the client's first and last requests.
func (s *Seen) models() (first, last string) {
	for _, h := range s.Heard {
		if h.Origin == Main {
			first, last = cmp.Or(first, h.Model), h.Model
		}
	}
	return first, last
}

func (s *Seen) from(o Origin) (n int) {
	for _, h := range s.Heard {
		if h.Origin == o {
			n++
		}
	}
	return n
}

// FailureText returns the result of the tested call if it was an error, or the client's reason for
// refusing a request of hookwatch; "" if neither failed.
func (s *Seen) FailureText() string {
	if answered, ok := s.find(Answered); ok && answered.Failed {
		return answered.Text
	}
	for _, l := range s.Lines {
		if l.Kind == RequestAnswered && l.Failed {
			return l.Text
		}
	}
	return ""
}

// find returns the last line of a kind about the tested call.
func (s *Seen) find(k Kind) (found Line, ok bool) {
	for _, l := range s.Lines {
		if l.Kind == k && s.Tested != "" && l.ToolUse == s.Tested {
			found, ok = l, true
		}
	}
	return found, ok
}

// A Witness wraps a hook for which the client prints nothing: a shell that runs the hook's command,
// passes on its output and exit code, and records them.
type Witness struct {
	Event   string
	Dir     string // its own directory: contains the command, and later its output
	Command string
	line    string // the wrapping command line
}

// AddWitnesses returns the entries with a witness for each command of an unreported event.
func AddWitnesses(entries []client.Entry, dir string) ([]client.Entry, []Witness) {
	entries = slices.Clone(entries)
	var all []Witness
	for i := range entries {
		e := &entries[i]
		if !isUnreported(e.Event) || e.Args != nil || e.Command == "" {
			continue
		}
		w := Witness{Event: e.Event, Dir: path.Join(dir, strconv.Itoa(i)), Command: e.Command}
		w.line = w.fill("/bin/sh",
			`at=@DIR; @SHELL "$at/command" >"$at/stdout" 2>"$at/stderr"; code=$?; cat "$at/stdout"; cat "$at/stderr" >&2; echo "$code" >"$at/exit"; exit "$code"`)
		e.Command = w.line
		all = append(all, w)
	}
	return entries, all
}

// Entered is a file in the directory of a witness whose hook has started.
const Entered = "entered"

// NewWitness returns a witness that records the first firing, even of a hook that the client ends,
// until its files exit and Entered are empty.
func NewWitness(event, command, shell, dir string) Witness {
	w := Witness{Event: event, Dir: dir, Command: command}
	w.line = w.fill(shell, `at=@DIR; [ ! -s "$at/entered" ] || exec @SHELL "$at/command"; echo 1 >"$at/entered"; `+
		`@SHELL "$at/command" >"$at/stdout" 2>"$at/stderr"; code=$?; cat "$at/stdout"; cat "$at/stderr" >&2; echo "$code" >"$at/exit"; `+
		`[ "$code" != 137 ] || kill -KILL $$; exit "$code"`)
	return w
}

// Line returns the command line of the witness.
func (w Witness) Line() string { return w.line }

func (w Witness) fill(shell, line string) string {
	return strings.NewReplacer("@DIR", quote(w.Dir), "@SHELL", shell).Replace(line)
}

// Unmask returns a text sent to the model, with the registered command in place of the witness's.
func (w Witness) Unmask(text string) string { return strings.ReplaceAll(text, w.line, w.Command) }

// Saw returns the record of a witness; read returns a file in its directory. ok is false if the
// hook did not start, or it is not known whether it did.
func (w Witness) Saw(read func(name string) (string, bool)) (Fired, bool) {
	text, _ := read("exit")
	exit, err := strconv.Atoi(strings.TrimSpace(text))
	if entered, _ := read(Entered); err != nil && entered == "" {
		return Fired{}, false
	}
	out, _ := read("stdout")
	failed, _ := read("stderr")
	h := HookLine{ID: w.Dir, Event: w.Event, Name: w.Event, Stdout: out, Stderr: failed, Exit: &exit}
	if err != nil {
		h.Exit, h.Outcome = nil, "cancelled"
	}
	return Fired{HookLine: h, Command: w.Command, Registered: -1}, true
}

// Registered are the forms in which the client may name a registered hook's command: as run, and as
// registered.
type Registered []string

// Match identifies the registered hooks among the hooks of the step. The stream does not name them.
// The debug log does if the client writes an entry for each command; otherwise, if all of them ran,
// they are announced in the order of registration. A hook that only the log names is returned
// without its streams.
func Match(s *Seen, registered []Registered) []Fired {
	lines := s.FiredLines()
	if len(s.Saw) > 0 || len(lines) == 0 {
		out := slices.Clone(s.Saw)
		for i := range out {
			out[i].Registered = place(registered, out[i].Command)
		}
		return append(out, s.loggedOnly(registered)...)
	}
	out := make([]Fired, len(lines))
	named := s.commandsOf(lines)
	for i, l := range lines {
		out[i] = Fired{HookLine: l, Registered: -1}
		switch {
		case named[i] != "":
			out[i].Command, out[i].Registered = named[i], place(registered, named[i])
		case len(lines) == len(registered):
			out[i].Command, out[i].Registered = registered[i][0], i
		}
	}
	return out
}

// loggedOnly returns the hooks that only the log names.
func (s *Seen) loggedOnly(registered []Registered) (out []Fired) {
	for _, l := range s.Log {
		if slices.ContainsFunc(s.Saw, func(f Fired) bool { return f.Command == l.Command }) {
			continue
		}
		h := HookLine{Event: l.Event, Exit: l.Exit}
		if l.Exit == nil {
			h.Outcome = "cancelled"
		}
		out = append(out, Fired{HookLine: h, Command: l.Command, Registered: place(registered, l.Command)})
	}
	return out
}

// commandsOf returns the commands of lines according to the log; "" if a line's entry is uncertain,
// because hooks of one firing may end in any order.
func (s *Seen) commandsOf(lines []HookLine) []string {
	out := make([]string, len(lines))
	if len(s.Log) < len(lines) {
		return out
	}
	before := 0 // logged hooks of firings before this one
	for _, firing := range s.firings()[:s.Nth] {
		before += len(firing)
	}
	if before+len(lines) > len(s.Log) {
		return out
	}
	log := s.Log[before : before+len(lines)]
	order := s.ends(lines)
	for i, at := range order {
		if l := lines[at]; l.Exit != nil && log[i].Exit != nil && *l.Exit == *log[i].Exit {
			out[at] = log[i].Command
		}
	}
	return out
}

// ends returns the order in which hooks ended, as indexes of lines.
func (s *Seen) ends(lines []HookLine) (order []int) {
	for _, l := range s.Lines {
		if l.Kind != HookEnded {
			continue
		}
		if at := slices.IndexFunc(lines, func(h HookLine) bool { return h.ID == l.Hook.ID }); at >= 0 {
			order = append(order, at)
		}
	}
	return order
}

// place returns the index of the hook with the command; -1 if there is none.
func place(registered []Registered, command string) int {
	return slices.IndexFunc(registered, func(forms Registered) bool {
		return slices.ContainsFunc(forms, func(r string) bool { return strings.TrimSpace(r) == strings.TrimSpace(command) })
	})
}

// End returns the client's reason for the end of the turn.
func (s *Seen) End() string {
	end := ""
	for _, l := range s.Lines {
		if l.Kind == Over {
			end = l.Reason
		}
	}
	return end
}

// Limits of the texts in the record.
const (
	mostTexts   = 12
	longestText = 2000
)

// Cut limits texts: those with words of hooks come first, and each text occurs once.
func Cut(texts []string, hooks []HookLine) (out []string) {
	output := readOutputs(hooks)
	var telling, others []string
	for _, t := range texts {
		event := ""
		if len(hooks) > 0 {
			event = hooks[0].Event
		}
		if part := output.part(t, event); part != "" {
			if at := strings.Index(t, part); at > longestText/2 {
				t = "[...] " + t[at:]
			}
			telling = append(telling, t)
		} else {
			others = append(others, t)
		}
	}
	for _, t := range slices.Concat(telling, others) {
		if len(t) > longestText {
			t = strings.ToValidUTF8(t[:longestText], "") + " [...]"
		}
		if len(out) < mostTexts && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
