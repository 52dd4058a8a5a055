package client

import "hookwatch/suites"

// A Kind is a kind of cause: why the client does with an output what it does. It
// is also the ID of the rule that explains it.
type Kind string

// A Cause is one kind with what it is about.
type Cause struct {
	Kind    Kind
	Event   string
	Key     string        // of the output
	Value   string        // what the hook said there
	Want    string        // what the client takes there
	Exit    int           // exit code, or the status of an http hook
	Signal  string        // that ended the hook
	Effect  suites.Effect // of a no
	Version Version       // of the client
	Count   int           // of hooks
}

// A causeRow is what is to be said of one kind. What its rule is about is the
// sentence with its parameters unnamed.
type causeRow struct {
	kind     Kind
	severity suites.Severity
	sentence string
	client   string
	remedy   string
	on       []Version
	loss     loss
}
