package process

// A Setup says how a Box is made. The zero value confines nothing.
type Setup struct {
	// Steps are carried out before anything starts, by process 1 of namespaces of
	// its own (see the supervisor); none means no namespaces. Those of Advance come
	// first: a Reserve carries them out before anybody asks for the box.
	Advance, Steps []Step
	// Limits hold with steps and without.
	Limits Limits
}

// A Step is one call that makes a sandbox: its name and arguments.
type Step []string

// A ConfineError says which step the system refused.
type ConfineError struct {
	Step Step // nil: the namespaces themselves
	Err  error
}

func (e *ConfineError) Error() string {
	if len(e.Step) == 0 {
		return "namespaces: " + e.Err.Error()
	}
	text := e.Step[0]
	for _, f := range e.Step[1:] {
		if f != "" {
			text += " " + f
		}
	}
	return text + ": " + e.Err.Error()
}

func (e *ConfineError) Unwrap() error { return e.Err }
