package live

import (
	"slices"
	"strings"
)

// Registered are the forms in which the client may name a registered hook's command: as it
// runs, and as it is registered.
type Registered []string

// Match finds which of the registered hooks the hooks of the step were. The stream does
// not name them: the debug log does, where the client writes an entry for each command;
// else, when all of them ran, they are announced in the order in which they are
// registered. A hook that only the log names is returned without its streams.
func Match(s *Seen, registered []Registered) []Fired {
	lines := s.Fired()
	if len(s.Saw) > 0 || len(lines) == 0 {
		out := slices.Clone(s.Saw)
		for i := range out {
			out[i].Registered = place(registered, out[i].Command)
		}
		return append(out, s.logged(registered)...)
	}
	out := make([]Fired, len(lines))
	named := s.named(lines)
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

// logged are the hooks that only the log names.
func (s *Seen) logged(registered []Registered) []Fired {
	var out []Fired
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

// named are the commands of lines as the log has them: "" for those of which it can
// be one or another. Hooks of one firing may end in any order.
func (s *Seen) named(lines []HookLine) []string {
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

// ends is the order in which hooks ended, as places in lines.
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

// place is the index of the hook that has the command; -1 when none has.
func place(registered []Registered, command string) int {
	return slices.IndexFunc(registered, func(forms Registered) bool {
		return slices.ContainsFunc(forms, func(r string) bool { return strings.TrimSpace(r) == strings.TrimSpace(command) })
	})
}

// End is why the turn ended, as the client says it.
func (s *Seen) End() string {
	end := ""
	for _, l := range s.Lines {
		if l.Kind == Over {
			end = l.Reason
		}
	}
	return end
}

// What is kept of texts for the record.
const (
	mostTexts   = 12
	longestText = 2000
)

// Cut bounds texts: what holds words of hooks goes before all others, each text once.
func Cut(texts []string, hooks []HookLine) []string {
	said := readSaid(hooks)
	var telling, others []string
	for _, t := range texts {
		event := ""
		if len(hooks) > 0 {
			event = hooks[0].Event
		}
		if part := said.part(t, event); part != "" {
			if at := strings.Index(t, part); at > longestText/2 {
				t = "[...] " + t[at:]
			}
			telling = append(telling, t)
		} else {
			others = append(others, t)
		}
	}
	var out []string
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
