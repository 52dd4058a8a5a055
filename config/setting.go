package config

import "go.yaml.in/yaml/v4"

// A key is one setting: everything that is known of it.
type key struct {
	path  string // in the file; a dot separates group and name
	def   any
	read  reader
	env   string // variable, without the HOOKWATCH_ prefix
	flag  string
	usage string // of the flag; a back-quoted word names its value

	consent rule // which values of a file a person has to agree to; nil: none
}

// A reader turns a value as written into the setting's type, or reports to the
// source what is wrong with it and gives nil.
type reader func(s *source, name string, n *yaml.Node) any

// A rule says why a value counts only once it is agreed to, and what holds until
// then; "" if it counts at once.
type rule func(value any, f facts) (why, instead string)

// facts are what the machine says about a configuration's values.
type facts struct {
	processors int
	leads      map[entry]lead
}

// An entry is one path of a key, as written.
type entry struct{ key, path string }

// A lead is where a path leads.
type lead struct {
	to  string // in truth, if that is out of the project
	why string // for a place of the project that is not for records
}
