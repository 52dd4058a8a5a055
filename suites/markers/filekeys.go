package markers

import (
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// Keys of YAML and TOML are read line by line and are known as places only: a
// path such as "jobs.test" finds its line, and the whole file counts.
var (
	yamlKey   = pattern.Lazy(`^( *)((?:- +)*)(?:"([^"]+)"|'([^']+)'|([^\s#"'&*!|>%@\[\]{},:-][^#:]*?)) *:(?: |$)`)
	tomlKey   = pattern.Lazy(`^[ \t]*((?:[\w-]+|"[^"]+")(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"]+"))*)[ \t]*=`)
	tomlTable = pattern.Lazy(`^[ \t]*(\[\[?)[ \t]*([^\[\]]+?)[ \t]*\]`)
)

// yamlEntries are the keys of a YAML file with those that they are below, by
// their indentation. Items of a list have no number.
func yamlEntries(o *outline) []entry {
	type level struct {
		indent int
		name   string
		entry  int
	}
	var open []level
	var entries []entry
	closeFrom := func(indent, at int) {
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			entries[open[len(open)-1].entry].end = at
			open = open[:len(open)-1]
		}
	}
	for i, start := range o.lines.starts {
		m := yamlKey().FindStringSubmatch(string(o.src[start:o.lines.end(i+1)]))
		if m == nil {
			continue
		}
		indent := len(m[1]) + len(m[2])
		closeFrom(indent, start)
		name := m[3] + m[4] + m[5]
		if len(open) > 0 {
			name = open[len(open)-1].name + "." + name
		}
		open = append(open, level{indent, name, len(entries)})
		entries = append(entries, entry{rule: ByKey, name: name, start: start})
	}
	closeFrom(0, len(o.src))
	return entries
}

// tomlEntries are the tables and keys of a TOML file; of an array of tables
// with their number.
func tomlEntries(o *outline) []entry {
	var entries []entry
	table, at := "", -1
	seen := map[string]int{}
	for i, start := range o.lines.starts {
		end := o.lines.end(i + 1)
		line := string(o.src[start:end])
		if m := tomlTable().FindStringSubmatch(line); m != nil {
			table = unquoted(m[2])
			if m[1] == "[[" {
				seen[table]++
				table += "." + strconv.Itoa(seen[table]-1)
			}
			if at >= 0 {
				entries[at].end = start
			}
			at = len(entries)
			entries = append(entries, entry{rule: ByKey, name: table, start: start, end: len(o.src)})
		} else if m := tomlKey().FindStringSubmatch(line); m != nil {
			name := strings.TrimPrefix(table+"."+unquoted(m[1]), ".")
			entries = append(entries, entry{rule: ByKey, name: name, start: start, end: end})
		}
	}
	return entries
}

// unquoted is a dotted key without quotes and white space.
func unquoted(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"' \t", r) {
			return -1
		}
		return r
	}, key)
}
