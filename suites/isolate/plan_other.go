//go:build !linux

package isolate

import (
	"errors"

	"hookwatch/suites/process"
)

// NewPlan plans nothing here: there are no namespaces.
func NewPlan(o Options) *Plan { return &Plan{o: o} }

// Advance is nothing here.
func (p *Plan) Advance() []process.Step { return nil }

// Open always fails here.
func (p *Plan) Open(func(process.Setup) (*process.Box, error), string, []string, ...string) (*Sandbox, error) {
	return nil, &process.ConfineError{Err: errors.ErrUnsupported}
}

// Bounds are none here.
func (s *Sandbox) Bounds() []Bound { return nil }

// Fresh is nothing here.
func (p *Plan) Fresh() bool { return true }

// Notes are nothing here.
func (p *Plan) Notes() []string { return nil }
