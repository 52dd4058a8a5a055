package config

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/config/trust"
	"hookwatch/suites/yamlform"
)

// An Ask is a value of a project's file that weakens protection or reaches out of
// the project. It counts only once a person has agreed to exactly this.
type Ask struct {
	trust.Value
	File    string // "" for a default that leads out by a link
	Line    int
	Column  int
	Why     string // what it would mean
	Instead string // what holds until it is agreed to
	Agreed  bool

	entry bool // of a list
}

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

// outright is for a key whose values are never a project's to decide; its value
// is an entry or, for a key without a list, a text.
func outright(why, instead string) rule {
	return func(value any, _ facts) (string, string) {
		if value == "" {
			return "", ""
		}
		return why, instead
	}
}

// among is for some of the words of a key.
func among(whys map[string]string, instead string) rule {
	return func(value any, _ facts) (string, string) {
		word, _ := value.(string)
		return whys[word], instead
	}
}

// above is for a limit, which a project may narrow.
func above[T int | ByteSize](most T, why string) rule {
	return func(value any, _ facts) (string, string) {
		if n, ok := value.(T); ok && n > most {
			return why, written(most)
		}
		return "", ""
	}
}

// jobsPerProcessor is how many cases at a time a project may ask for.
const jobsPerProcessor = 8

func manyJobs(value any, f facts) (why, instead string) {
	if n, _ := value.(int); n > jobsPerProcessor*f.processors {
		return fmt.Sprintf("far more at a time than %d processors carry", f.processors), "0, one a processor"
	}
	return "", ""
}

// astray is for paths that lead out of the project.
func astray(key, instead string) rule {
	return func(value any, f facts) (string, string) {
		path, _ := value.(string)
		switch l := f.leads[entry{key, path}]; {
		case l.why != "":
			return l.why, instead
		case l.to != "":
			return "leads out of the project, to " + l.to, instead
		}
		return "", ""
	}
}

// asks lists what of the file's values, and of defaults that lead out by a link,
// is to be agreed to, but for keys to be skipped.
func (s *source) asks(f facts, skip func(key string) bool) []Ask {
	var out []Ask
	for _, k := range keys {
		if k.consent == nil || skip(k.path) {
			continue
		}
		value := s.value(k.path)
		items, isList := value.([]string)
		if !isList {
			out = s.appendAsk(out, k, value, f, -1)
		}
		for i, item := range items {
			out = s.appendAsk(out, k, item, f, i)
		}
	}
	return out
}

// appendAsk looks at one value: the i-th entry where the key has a list, else -1.
func (s *source) appendAsk(out []Ask, k key, value any, f facts, i int) []Ask {
	why, instead := k.consent(value, f)
	if why == "" {
		return out
	}
	a := Ask{Why: why, Instead: instead, entry: i >= 0}
	a.Key, a.Value.Value = k.path, written(value)
	a.To = f.leads[entry{k.path, a.Value.Value}].to
	if n := s.nodes[k.path]; n != nil {
		if a.entry && i < len(n.Content) {
			n = n.Content[i]
		}
		a.File, a.Line, a.Column = s.File, n.Line, n.Column
	}
	return append(out, a)
}

// written is a value in the one form that is shown and digested.
func written(value any) string { return fmt.Sprint(value) }

// withhold leaves what is not agreed to out of the values.
func (s *source) withhold(asks []Ask) {
	for _, a := range asks {
		if a.Agreed {
			continue
		}
		items, set := s.values[a.Key].([]string)
		switch {
		case !a.entry:
			delete(s.values, a.Key)
			continue
		case !set:
			k, _ := find(a.Key)
			items, _ = k.def.([]string)
		}
		s.values[a.Key] = slices.DeleteFunc(slices.Clone(items), func(item string) bool { return item == a.Value.Value })
	}
}

// Pending are the asks that nobody has agreed to.
func (c *Config) Pending() []Ask {
	return slices.DeleteFunc(slices.Clone(c.Asks), func(a Ask) bool { return a.Agreed })
}

// Notice is one line that says what was asked for and is not agreed to, and how
// to agree; "" if there is nothing.
func (c *Config) Notice() string {
	pending := c.Pending()
	if len(pending) == 0 {
		return ""
	}
	who := "the project"
	if i := slices.IndexFunc(pending, func(a Ask) bool { return a.File != "" }); i >= 0 {
		who = pending[i].File
	}
	how := "hookwatch trust shows and agrees to exactly these"
	if c.Distrust != "" {
		how = c.Distrust
	}
	return fmt.Sprintf("%s asks for %s; the safe defaults are used (%s)", who, Summary(pending), how)
}

// shownEntries is how much of a list a line shows.
const shownEntries = 4

// Summary names asks in one line, those of one key together.
func Summary(asks []Ask) string {
	var parts []string
	for len(asks) > 0 {
		n := slices.IndexFunc(asks, func(a Ask) bool { return a.Key != asks[0].Key })
		if n < 0 {
			n = len(asks)
		}
		parts = append(parts, asks[0].Key+": "+together(asks[:n]))
		asks = asks[n:]
	}
	return strings.Join(parts, ", ")
}

func together(asks []Ask) string {
	if !asks[0].entry {
		return yamlform.Shown(asks[0].Value.Value, shownText)
	}
	var items []string
	for _, a := range asks[:min(len(asks), shownEntries)] {
		items = append(items, yamlform.Shown(a.Value.Value, shownText))
	}
	if more := len(asks) - len(items); more > 0 {
		items = append(items, fmt.Sprintf("and %d more", more))
	}
	return "[" + strings.Join(items, ", ") + "]"
}
