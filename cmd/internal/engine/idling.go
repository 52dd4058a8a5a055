package engine

import (
	"context"

	"hookwatch/suites"
	"hookwatch/suites/tracing"
)

// An idling engine makes the traces that are missing, one at a time, until
// something is saved.
type idling struct {
	untraced map[suites.Key]bool // cases that may lack a trace
	done     chan *tracedRun
	cancel   context.CancelFunc // of what is running; nil when nothing is
	ctx      context.Context
	by       *tracing.Scripts
}

// lack notes cases whose traces have to be looked for.
func (i *idling) lack(cases []*suites.Case) {
	if i.untraced == nil {
		i.untraced = make(map[suites.Key]bool)
	}
	for _, c := range cases {
		i.untraced[c.Key()] = true
	}
}

// stop stops what can wait: what is to be done now needs the machine.
func (i *idling) stop() {
	i.by = nil // files may have changed
	if i.cancel != nil {
		i.cancel()
	}
}
