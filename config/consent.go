package config

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites/yamlform"
)

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
	switch {
	case c.Distrust != "":
		how = c.Distrust
	case c.Lapsed != "":
		how = c.Lapsed + "; " + how
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
