package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"
)

// A ByteSize is a number of bytes.
type ByteSize int64

// The units of sizes are powers of 1000, those with an i of 1024.
const (
	KB  ByteSize = 1000
	MB           = 1000 * KB
	GB           = 1000 * MB
	KiB ByteSize = 1024
	MiB          = 1024 * KiB
	GiB          = 1024 * MiB
)

var sizeUnits = map[string]ByteSize{
	"b": 1, "kb": KB, "mb": MB, "gb": GB, "kib": KiB, "mib": MiB, "gib": GiB,
}

// What a value may hold: more is a mistake, or made to be a burden.
const (
	longestText = 4096 // as long as a path can be
	mostItems   = 1000
)

// anyText takes text, the empty one too.
func anyText(s *source, name string, n *yaml.Node) any {
	switch {
	case len(n.Value) > longestText:
		return s.add(n, fmt.Sprintf("%s: %d bytes of text, more than %d", name, len(n.Value), longestText), "")
	case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str":
		hint := ""
		if n.Kind == yaml.ScalarNode && n.Value != "" {
			hint = "quote it: " + quoted(n.Value)
		}
		return s.wrong(n, name, "text", hint)
	}
	return n.Value
}

// text takes text that is not empty.
func text(s *source, name string, n *yaml.Node) any {
	v := anyText(s, name, n)
	if v == "" {
		return s.add(n, name+": must not be empty", "leave it out to keep the default")
	}
	return v
}

// item takes text within a list, not an empty one.
func item(s *source, name string, n *yaml.Node) any {
	v := anyText(s, name, n)
	if v == "" {
		return s.add(n, name+": must not be empty", "")
	}
	return v
}

// glob takes a path or a pattern of paths.
func glob(s *source, name string, n *yaml.Node) any {
	v := item(s, name, n)
	if p, ok := v.(string); ok && !doublestar.ValidatePattern(p) {
		return s.add(n, fmt.Sprintf("%s: %s is no valid pattern", name, quoted(p)), "close what [ or { opens")
	}
	return v
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variable takes the name of an environment variable.
func variable(s *source, name string, n *yaml.Node) any {
	v := item(s, name, n)
	if p, ok := v.(string); ok && !variableName.MatchString(p) {
		return s.add(n, fmt.Sprintf("%s: %s is no variable's name", name, quoted(p)), "letters, digits and _ only")
	}
	return v
}

// choice takes one of the given words.
func choice(words ...string) reader {
	return func(s *source, name string, n *yaml.Node) any {
		want := "one of " + strings.Join(words, ", ")
		if n.Kind != yaml.ScalarNode {
			return s.wrong(n, name, want, "")
		}
		for _, w := range words {
			if n.Value == w {
				return w
			}
		}
		hint := ""
		if near := nearest(n.Value, words); near != "" {
			hint = "did you mean " + near + "?"
		}
		return s.wrong(n, name, want, hint)
	}
}

// list takes a list whose items read takes.
func list(read reader) reader {
	return func(s *source, name string, n *yaml.Node) any {
		if n.Kind != yaml.SequenceNode {
			hint := ""
			if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
				hint = fmt.Sprintf("put it in brackets: [%s]", shown(n.Value, shownText))
			}
			return s.wrong(n, name, "a list", hint)
		}
		if len(n.Content) > mostItems {
			return s.add(n, fmt.Sprintf("%s: %d entries, more than %d", name, len(n.Content), mostItems), "")
		}
		items := []string{}
		for i, item := range n.Content {
			if v, ok := read(s, fmt.Sprintf("%s[%d]", name, i), resolve(item)).(string); ok {
				items = append(items, v)
			}
		}
		return items
	}
}

// whole takes a whole number from 0.
func whole(s *source, name string, n *yaml.Node) any {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		return s.wrong(n, name, "a whole number", "")
	}
	i, err := strconv.Atoi(n.Value)
	if err != nil || i < 0 {
		return s.wrong(n, name, "a whole number, 0 or more", "")
	}
	return i
}

// truth takes true or false.
func truth(s *source, name string, n *yaml.Node) any {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		return s.wrong(n, name, "true or false", "")
	}
	return strings.EqualFold(n.Value, "true")
}

// duration takes a length of time with its unit, not a negative one.
func duration(s *source, name string, n *yaml.Node) any {
	const want = "a duration such as 30s, 500ms or 2m"
	if n.Kind != yaml.ScalarNode {
		return s.wrong(n, name, want, "")
	}
	d, err := time.ParseDuration(n.Value)
	switch {
	case n.ShortTag() == "!!int" && d == 0:
		return s.wrong(n, name, want, fmt.Sprintf("add a unit: %ss", shown(n.Value, shownText)))
	case err != nil:
		return s.wrong(n, name, want, "")
	case d < 0:
		return s.wrong(n, name, "a duration of 0s or more", "")
	}
	return d
}

// positive takes what read takes if it is more than no time.
func positive(read reader) reader {
	return func(s *source, name string, n *yaml.Node) any {
		v := read(s, name, n)
		if v == time.Duration(0) {
			return s.wrong(n, name, "a duration of more than 0s", "")
		}
		return v
	}
}

// String writes a size with its unit, as read takes it.
func (b ByteSize) String() string {
	for _, u := range []struct {
		name string
		size ByteSize
	}{{"GB", GB}, {"GiB", GiB}, {"MB", MB}, {"MiB", MiB}, {"KB", KB}, {"KiB", KiB}} {
		if b >= u.size && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

var sizePattern = regexp.MustCompile(`^([0-9]+) ?([A-Za-z]+)$`)

// size takes a number of bytes with its unit, more than none.
func size(s *source, name string, n *yaml.Node) any {
	const want = "a size such as 10MB"
	m := sizePattern.FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || m == nil {
		return s.wrong(n, name, want, "units: B, KB, MB, GB, KiB, MiB, GiB")
	}
	unit, known := sizeUnits[strings.ToLower(m[2])]
	count, err := strconv.ParseInt(m[1], 10, 64)
	if !known || err != nil || count == 0 || count > (1<<62)/int64(unit) {
		return s.wrong(n, name, want, "units: B, KB, MB, GB, KiB, MiB, GiB")
	}
	return ByteSize(count) * unit
}

// policies takes tools with what their absence means.
func policies(s *source, name string, n *yaml.Node) any {
	if n.Kind != yaml.MappingNode {
		return s.wrong(n, name, "tools with a policy", "write gates: {shellcheck: skip}")
	}
	if len(n.Content) > 2*mostItems {
		return s.add(n, fmt.Sprintf("%s: %d entries, more than %d", name, len(n.Content)/2, mostItems), "")
	}
	read := choice(string(GateFail), string(GateSkip))
	gates := map[string]GatePolicy{}
	s.each(n, func(k, v *yaml.Node) {
		if k.Value == "" {
			s.add(k, name+": a tool's name must not be empty", "")
			return
		}
		if p, ok := read(s, name+"."+shown(k.Value, shownText), v).(string); ok {
			gates[k.Value] = GatePolicy(p)
		}
	})
	return gates
}
