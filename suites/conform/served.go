package conform

import (
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/conform/intent"
)

// served fires a hook that asks a server on its own machine, which no probe has, with
// one in its place: whatever it asks for over HTTP, an empty object is the answer. The
// real server says more, so only what the client makes of the output is judged.
func (q *Inquiry) served(f firing) []Probe {
	if !intent.AsksHere(q.text) {
		return nil
	}
	p := q.probe(f, func(r suites.Result) {
		q.dropped(firing{event: f.event, value: "its server there, answering {}"}, r, suites.Warning)
	})
	p.around(func(s *suites.Surroundings) { s.Server = []suites.Route{{Reply: "{}"}} })
	p.Case.Env = map[string]string{"no_proxy": "", "NO_PROXY": "", "NODE_USE_ENV_PROXY": "1"}
	for _, name := range []string{"http_proxy", "HTTP_PROXY"} {
		p.Case.Env[name] = "{server}" // what programs send their requests to, whichever port they are for
	}
	return []Probe{p}
}

// hurried fires a hook that did not end, with a clock that does not wait for it: sleep
// ends at once. So what it says when it gives up waiting is seen.
func (q *Inquiry) hurried() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	f := typical(q.hook, q.tree)[0]
	p := q.probe(f, func(r suites.Result) {
		q.dropped(firing{event: f.event, value: "the end of its waiting"}, r, suites.Warning)
		q.broken = true
	})
	p.around(func(s *suites.Surroundings) {
		s.Programs = []suites.Program{{Name: "sleep", Script: "exit 0\n"}}
	})
	return []Probe{p}
}

// waits reports whether a hook sleeps by a program that another can stand in for.
func (q *Inquiry) waits() bool {
	return intent.Calls(strings.ReplaceAll(q.text, "\n", " "), "sleep")
}
