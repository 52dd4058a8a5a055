package conform

import (
	"hookwatch/suites"
	"hookwatch/suites/symptom"
)

// served fires a hook that asks a server on its own machine, which no probe has, with
// one in its place: whatever it asks for over HTTP, an empty object is the answer. The
// real server says more, so only what the client makes of the output is judged.
func (q *Inquiry) served(f firing) []Probe {
	if !asksHere(q.text) {
		return nil
	}
	p := q.probe(f, func(r suites.Result) {
		if _, kind := symptom.Absent(r); kind != symptom.Nothing && r.Exit != 0 {
			return // it did not come to ask
		}
		q.dropped(firing{event: f.event, value: "its server there, answering {}"}, nil, r, suites.Warning)
	})
	p.around(func(s *suites.Surroundings) { s.Server = []suites.Route{{Reply: "{}"}} })
	p.Case.Env = map[string]string{"no_proxy": "", "NO_PROXY": "", "NODE_USE_ENV_PROXY": "1"}
	for _, name := range []string{"http_proxy", "HTTP_PROXY"} {
		p.Case.Env[name] = "{server}" // what programs send their requests to, whichever port they are for
	}
	return []Probe{p}
}
