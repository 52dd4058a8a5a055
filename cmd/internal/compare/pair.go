package compare

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
)

// A Registration is a hook that one side alone registers, or both otherwise.
type Registration struct {
	Hook  string `json:"hook"`
	Event string `json:"event"`
	At    string `json:"at"`
	What  string `json:"what"` // added, removed, matcher, moved, changed
	Base  string `json:"base,omitempty"`
	Head  string `json:"head,omitempty"`

	Place suites.Position `json:"-"`
}

// A pair is one hook on both sides; one of them is nil if only the other registers it.
type pair [2]*discover.Hook

func (p pair) any() *discover.Hook { return cmp.Or(p[1], p[0]) }

// distance orders pairs by how close a change is: to the registration or the scripts of a hook, or
// elsewhere.
func (p pair) distance(differing map[string]bool) int {
	if p[0] == nil || p[1] == nil || registered(p[0]) != registered(p[1]) {
		return 0
	}
	if slices.ContainsFunc(slices.Concat(p[0].Scripts, p[1].Scripts), func(s string) bool { return differing[s] }) {
		return 0
	}
	return 1
}

// pairs matches the hooks of both sides by their IDs, then by event and command, script, name of
// the script, and position.
func (x *Comparison) pairs() (all []pair) {
	rest := [2][]discover.Hook{slices.Clone(x.Sides[0].hooks), slices.Clone(x.Sides[1].hooks)}
	script := func(i int, h discover.Hook) string {
		const most = 1 << 20
		of := x.Sides[i].Project
		text, err := of.Reader.ReadFile(of.Config.Abs(h.Scripts[0]), most)
		if err != nil || len(text) == 0 {
			return h.ID // equal to no other
		}
		return string(text)
	}
	sameCommand := func(a, b discover.Hook) bool { return a.Command == b.Command && slices.Equal(a.Args, b.Args) }
	for _, same := range []func(a, b discover.Hook) bool{
		func(a, b discover.Hook) bool { return a.ID == b.ID },
		func(a, b discover.Hook) bool { return sameCommand(a, b) && a.Matcher == b.Matcher },
		sameCommand,
		func(a, b discover.Hook) bool {
			return len(a.Scripts) > 0 && len(b.Scripts) > 0 && (path.Base(a.Scripts[0]) == path.Base(b.Scripts[0]) || script(0, a) == script(1, b))
		},
		func(a, b discover.Hook) bool {
			return a.Source == b.Source || a.Matcher == b.Matcher && stem(a) == stem(b)
		},
	} {
		rest[0] = slices.DeleteFunc(rest[0], func(base discover.Hook) bool {
			j := slices.IndexFunc(rest[1], func(h discover.Hook) bool { return h.Event == base.Event && h.Client == base.Client && same(base, h) })
			if j < 0 {
				return false
			}
			head := rest[1][j]
			all = append(all, pair{&base, &head})
			rest[1] = slices.Delete(rest[1], j, j+1)
			return true
		})
	}
	for i, hooks := range rest {
		for _, h := range hooks {
			var p pair
			p[i] = &h
			all = append(all, p)
		}
	}
	return all
}

// stem returns the name of a hook's script without its ending.
func stem(h discover.Hook) string {
	if len(h.Scripts) == 0 {
		return h.Command
	}
	base := path.Base(h.Scripts[0])
	return strings.TrimSuffix(base, path.Ext(base))
}

// registration reports how the registration of a hook differs between the sides.
func registration(p pair) (r Registration, changed bool) {
	base, head := p[0], p[1]
	r = Registration{Hook: p.any().ID, Event: p.any().Event, At: p.any().Source.String(), What: "changed", Place: p.any().Source}
	switch {
	case base == nil:
		r.What = "added"
	case head == nil:
		r.What = "removed"
	case base.Matcher != head.Matcher:
		r.What = "matcher"
	case !slices.Equal(base.Scripts, head.Scripts):
		r.What = "moved"
	}
	r.Base, r.Head = registered(base), registered(head)
	return r, r.Base != r.Head
}

// registered describes a registration in a line; "" if there is none.
func registered(h *discover.Hook) string {
	if h == nil {
		return ""
	}
	text := h.Event
	if h.Matcher != "" {
		text += " " + h.Matcher
	}
	text += ": " + strings.Join(append([]string{cmp.Or(h.Command, h.Type)}, h.Args...), " ")
	if h.If != "" {
		text += " if " + h.If
	}
	if h.Timeout != client.DefaultTimeout(h.Event, h.Type) {
		text += " timeout " + h.Timeout.String()
	}
	if h.Entry.Async {
		text += " async"
	}
	if h.Entry.OnFailure != "" {
		text += " onFailure " + h.Entry.OnFailure
	}
	if h.Dead {
		text += " (dropped by the client)"
	}
	if !h.Scope.IsEverywhere() {
		text += " (" + string(h.Scope) + ")"
	}
	return text
}

// place returns the position of the script of a hook, or of its registration.
func place(h *discover.Hook) suites.Position {
	if len(h.Scripts) > 0 {
		return suites.Position{File: h.Scripts[0], Line: 1}
	}
	return h.Source
}

// lacks lists the programs that a hook calls and this machine lacks.
func (x *Comparison) lacks(p pair) string {
	var names []string
	for i, h := range p {
		if h == nil {
			continue
		}
		s := x.Sides[i]
		called := depend.CalledBy(strings.Join(append([]string{h.Command}, h.Args...), " "))
		for _, script := range h.Scripts {
			for _, names := range s.Project.Graph.Called(script) {
				called = append(called, names...)
			}
		}
		for _, name := range called {
			if !s.tree.Installed(name) && s.Runner.StandIns[name] == "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
