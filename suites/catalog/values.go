package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
	"hookwatch/suites/yamlform"
)

func constant(text string) func(*definitions) string {
	return func(*definitions) string { return text }
}

// define turns a form's schema into a definition with this name.
func define[V any](name, doc string, f form[V]) form[V] {
	body := f.schema
	f.schema = func(d *definitions) string {
		return d.refer(name, func() string { return describe(doc, body(d)) })
	}
	return f
}

// writeEmpty writes the value even if it is empty.
func writeEmpty[V any](f form[V]) form[V] {
	f.empty = nil
	return f
}

func isZero[V comparable](v *V) bool {
	var zero V
	return *v == zero
}

// ofText returns a form for text that is read by read.
func ofText(schema func(*definitions) string, read func(r *reader, name string, n *yaml.Node) string) form[string] {
	return form[string]{
		read:   func(r *reader, name string, n *yaml.Node, v *string) { *v = read(r, name, n) },
		write:  func(v *string) *yaml.Node { return scalar(*v) },
		empty:  isZero[string],
		schema: schema,
	}
}

// matching is text that a regular expression matches; want describes it in messages.
func matching(expr func() *regexp.Regexp, want string) form[string] {
	return ofText(
		func(*definitions) string { return `"type": "string", "pattern": ` + quote(expr().String()) },
		func(r *reader, name string, n *yaml.Node) string { return r.matching(name, n, expr, want) })
}

var (
	suiteName     = pattern.Lazy(`^[a-z0-9-]{1,100}$`)
	fileName      = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	controlName   = pattern.Lazy(`^([a-z0-9-]{1,100}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	oneLine       = pattern.Lazy(`^[^\r\n]+$`)
	hookName      = pattern.Lazy(`^[^/~\r\n][^\r\n]*$`)
	variableName  = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)
	methodName    = pattern.Lazy(`^[A-Z]+$`)
	nameList      = pattern.Lazy(`^[A-Za-z0-9_]+(\|[A-Za-z0-9_]+)*$`)
	toolName      = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)
	versionNumber = pattern.Lazy(`^[0-9]+(\.[0-9]+)*$`)
	keyPath       = pattern.Lazy(`^[^.\s]+(\.[^.\s]+)*$`)
	// placeForm is a name, a file, or one of a few runners with the tool, because no other
	// program may be started.
	placeForm = pattern.Lazy(`^((npx|bunx|pnpm exec|uv run) [A-Za-z0-9][A-Za-z0-9._+-]*|[^\s-]\S*)$`)
)

const (
	wantEvent   = "an event's name such as PreToolUse"
	wantLine    = "a single line"
	wantProgram = "a program's name"
	wantVersion = "a version such as 2.12.0"
)

var (
	text    = define("text", "", ofText(constant(`"type": "string", "minLength": 1`), (*reader).text))
	anyText = ofText(constant(`"type": "string"`), func(r *reader, name string, n *yaml.Node) string { return r.AnyText(name, n) })
	line    = define("line", "", matching(oneLine, wantLine))
	// named is text of which files are named.
	named       = define("name", "", matching(fileName, "at most 100 letters, digits, dots, _ and -"))
	texts       = define("texts", "", list(text))
	variables   = list(matching(variableName, "a variable's name"))
	keys        = define("key_path", "", matching(keyPath, "keys joined by dots"))
	truth       = form[bool]{read: func(r *reader, name string, n *yaml.Node, v *bool) { *v = r.Truth(name, n) }, write: writeTruth, empty: isZero[bool], schema: constant(`"type": "boolean"`)}
	localPath   = define("local_path", "", ofText(constant(`"type": "string", "minLength": 1, "allOf": [{"not": {"pattern": "^/"}}, {"not": {"pattern": "^\\.\\.(/|$)"}}]`), (*reader).localPath))
	checkedFile = define("checked_file", "", ofText(func(d *definitions) string {
		return `"anyOf": [{` + localPath.schema(d) + `}, {"type": "string", "pattern": "^~/"}]`
	}, (*reader).checkFile))

	hookPath   = define("hook", "The hook's path from the project's root.", ofText(func(*definitions) string { return `"type": "string", "pattern": ` + quote(hookName().String()) }, (*reader).hookPath))
	registered = define("registered_hook", "Fire one registered hook by its own command line: its ID (hookwatch list --hooks), or what its command holds.", matching(oneLine, wantLine))
	tool       = define("tool", "The tool that the event is about.", ofText(line.schema, (*reader).tool))
	event      = define("event", "The event that fires the hook.", ofText(func(*definitions) string { return `"enum": ` + quote(eventNames()) }, (*reader).event))

	textOrTexts = define("text_or_texts", "", form[[]string]{
		read:   func(r *reader, name string, n *yaml.Node, v *[]string) { *v = r.textOrTexts(name, n) },
		write:  texts.write,
		empty:  texts.empty,
		schema: func(d *definitions) string { return `"anyOf": [{` + text.schema(d) + `}, {` + texts.schema(d) + `}]` },
	})
	patterns = func() form[[]string] {
		f := textOrTexts
		f.read = func(r *reader, name string, n *yaml.Node, v *[]string) { *v = r.patterns(name, n) }
		return f
	}()

	// files are contents by their paths.
	files = define("files", "Contents by slash path.", form[map[string]string]{
		read:  func(r *reader, name string, n *yaml.Node, v *map[string]string) { *v = r.files(name, n) },
		write: writeTexts,
		empty: func(v *map[string]string) bool { return len(*v) == 0 },
		schema: func(d *definitions) string {
			return `"type": "object", "propertyNames": {` + localPath.schema(d) + `}, "additionalProperties": {"type": "string"}`
		},
	})
	// environment is laid over the variables that are there already.
	environment = form[map[string]string]{
		read:  func(r *reader, name string, n *yaml.Node, v *map[string]string) { *v = r.variables(name, n, *v) },
		write: writeTexts,
		empty: func(v *map[string]string) bool { return len(*v) == 0 },
		schema: func(*definitions) string {
			return `"type": "object", "propertyNames": {"pattern": ` + quote(variableName().String()) + `}, "additionalProperties": {"type": "string"}`
		},
	}
	// jsonObject is a payload, or a part of one.
	jsonObject = form[json.RawMessage]{
		read:   func(r *reader, name string, n *yaml.Node, v *json.RawMessage) { _, *v = r.payload(name, n) },
		write:  func(v *json.RawMessage) *yaml.Node { return jsonNode(*v) },
		empty:  func(v *json.RawMessage) bool { return len(*v) == 0 },
		schema: constant(`"type": "object"`),
	}
)

// jsonValue is any JSON value.
var jsonValue = form[json.RawMessage]{
	read:   func(r *reader, _ string, n *yaml.Node, v *json.RawMessage) { *v = encode(r.json(n)) },
	write:  jsonObject.write,
	empty:  jsonObject.empty,
	schema: constant(""),
}

func eventNames() (names []string) {
	for _, e := range client.Events() {
		names = append(names, e.Name)
	}
	return names
}

func list[V any](item form[V]) form[[]V] {
	return form[[]V]{
		read: func(r *reader, name string, n *yaml.Node, v *[]V) {
			*v = nil
			r.List(name, n, func(c *yaml.Node) {
				var value V
				item.read(r, name, c, &value)
				*v = append(*v, value)
			})
		},
		write: func(v *[]V) *yaml.Node {
			out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			for i := range *v {
				out.Content = append(out.Content, item.write(&(*v)[i]))
			}
			return out
		},
		empty:  func(v *[]V) bool { return len(*v) == 0 },
		schema: func(d *definitions) string { return `"type": "array", "items": {` + item.schema(d) + `}` },
	}
}

// some rejects an empty list.
func some[V any](f form[[]V]) form[[]V] {
	read, schema := f.read, f.schema
	f.read = func(r *reader, name string, n *yaml.Node, v *[]V) {
		read(r, name, n, v)
		r.some(name, n)
	}
	f.schema = func(d *definitions) string { return `"minItems": 1, ` + schema(d) }
	return f
}

// some reports an empty list.
func (r *reader) some(name string, n *yaml.Node) {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.Add(n, name+": must not be empty", "")
	}
}

// optional is a value that may be missing, unlike an empty one.
func optional[V any](f form[V]) form[*V] {
	return form[*V]{
		read: func(r *reader, name string, n *yaml.Node, v **V) {
			*v = new(V)
			f.read(r, name, n, *v)
		},
		write:  func(v **V) *yaml.Node { return f.write(*v) },
		empty:  func(v **V) bool { return *v == nil },
		schema: f.schema,
	}
}

func choice[S ~string](words func() []S) form[S] {
	return form[S]{
		read: func(r *reader, name string, n *yaml.Node, v *S) {
			var known []string
			for _, w := range words() {
				known = append(known, string(w))
			}
			*v = S(r.Choice(name, n, known))
		},
		write:  func(v *S) *yaml.Node { return scalar(string(*v)) },
		empty:  isZero[S],
		schema: func(*definitions) string { return `"enum": ` + quote(words()) },
	}
}

func whole[I ~int](low, high int) form[I] {
	return form[I]{
		read:   func(r *reader, name string, n *yaml.Node, v *I) { *v = I(r.whole(name, n, low, high)) },
		write:  func(v *I) *yaml.Node { return number(strconv.Itoa(int(*v))) },
		empty:  isZero[I],
		schema: constant(fmt.Sprintf(`"type": "integer", "minimum": %d, "maximum": %d`, low, high)),
	}
}

// duration is a duration with its unit, at most ten minutes.
func duration(low time.Duration) form[time.Duration] {
	return ofDuration(func(r *reader, name string, n *yaml.Node) time.Duration { return r.duration(name, n, low) })
}

func ofDuration(read func(r *reader, name string, n *yaml.Node) time.Duration) form[time.Duration] {
	return define("duration", "", form[time.Duration]{
		read:   func(r *reader, name string, n *yaml.Node, v *time.Duration) { *v = read(r, name, n) },
		write:  func(v *time.Duration) *yaml.Node { return scalar(v.String()) },
		empty:  isZero[time.Duration],
		schema: constant(`"type": "string", "pattern": "^\\+?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$"`),
	})
}

// onlyTrue is a key that must be left out instead of being false; hint explains it.
func onlyTrue(hint string) form[bool] {
	f := truth
	f.read = func(r *reader, name string, n *yaml.Node, v *bool) {
		if *v = r.Truth(name, n); n.ShortTag() == "!!bool" && !*v {
			r.Wrong(n, name, "true", hint)
		}
	}
	f.schema = constant(`"const": true`)
	return f
}

// permissions are a file's permissions, in base 8.
var permissions = form[uint32]{
	read:   func(r *reader, name string, n *yaml.Node, v *uint32) { *v = r.mode(name, n) },
	write:  func(v *uint32) *yaml.Node { return number(fmt.Sprintf("%#o", *v)) },
	empty:  isZero[uint32],
	schema: constant(`"type": "integer", "minimum": 1, "maximum": 511`),
}

func words[S any](list ...S) func() []S { return func() []S { return list } }

func writeTruth(v *bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(*v)}
}

// writeTexts writes a map of texts, sorted by key.
func writeTexts(v *map[string]string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, name := range slices.Sorted(maps.Keys(*v)) {
		out.Content = append(out.Content, scalar(name), scalar((*v)[name]))
	}
	return out
}

// scalar returns the node of a text, in literal style if it has several lines.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.Contains(strings.TrimSuffix(text, "\n"), "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

func number(text string) *yaml.Node {
	tag := "!!int"
	if strings.ContainsAny(text, ".eE") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// jsonNode converts a JSON document to YAML with sorted keys. Invalid JSON becomes null, which
// cases from Load never have.
func jsonNode(raw json.RawMessage) *yaml.Node {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		v = nil
	}
	return valueNode(v)
}

func valueNode(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out.Content = append(out.Content, scalar(key), valueNode(v[key]))
		}
		return out
	case []any:
		out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			out.Content = append(out.Content, valueNode(item))
		}
		return out
	case string:
		return scalar(v)
	case json.Number:
		return number(v.String())
	case bool:
		return writeTruth(&v)
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
}

// clientName is the name of a client of which is known what it does; Claude Code's is left out.
var clientName = ofText(func(*definitions) string { return `"enum": ` + quote(clients.Names()) }, func(r *reader, name string, n *yaml.Node) string {
	if name := r.Choice(name, n, clients.Names()); name != clients.Claude {
		return name
	}
	return ""
})

// layer is the layer in which a case fires its hooks.
var layer = func() form[suites.Layer] {
	f := whole[suites.Layer](int(suites.Direct), int(suites.Live))
	f.schema = constant(`"enum": [1, 2]`)
	return f
}()

// json converts a YAML value to the value that encoding/json decodes from its JSON, and reports
// values that JSON cannot represent.
func (r *reader) json(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		r.Each(n, func(k, v *yaml.Node) { object[k.Value] = r.json(v) })
		return object
	case yaml.SequenceNode:
		array := make([]any, len(n.Content))
		for i, c := range n.Content {
			array[i] = r.json(c)
		}
		return array
	default:
		return r.jsonScalar(n)
	}
}

func (r *reader) jsonScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return n.Value // a date is text in JSON
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		var v any
		err := n.Load(&v)
		if f, ok := v.(float64); err != nil || ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			break
		}
		return v
	}
	r.Wrong(n, "payload", "a value that JSON has", "")
	return nil
}

// encode writes JSON as the client does, without escaping & and <.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("catalog: a value of YAML is not JSON: " + err.Error()) // excluded by json
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// payload reads a JSON object. Its keys are sorted, so that equal payloads are equal texts.
func (r *reader) payload(name string, n *yaml.Node) (map[string]any, json.RawMessage) {
	if !r.mapping(name, n) {
		return nil, nil
	}
	object, ok := r.json(n).(map[string]any)
	if !ok {
		return nil, nil
	}
	return object, encode(object)
}

// variables reads environment variables and adds them to a copy of those in over.
func (r *reader) variables(name string, n *yaml.Node, over map[string]string) map[string]string {
	if !r.mapping(name, n) {
		return over
	}
	v := make(map[string]string, len(over)+len(n.Content)/2)
	maps.Copy(v, over)
	r.Each(n, func(k, value *yaml.Node) {
		if !variableName().MatchString(k.Value) {
			r.Add(k, fmt.Sprintf("%s: %q is no variable's name", name, k.Value), "letters, digits and _ only")
			return
		}
		v[k.Value] = r.AnyText(name+"."+k.Value, value)
	})
	return v
}

// files reads contents by their paths.
func (r *reader) files(name string, n *yaml.Node) map[string]string {
	if !r.mapping(name, n) {
		return nil
	}
	v := make(map[string]string, len(n.Content)/2)
	r.Each(n, func(k, content *yaml.Node) {
		v[r.localPath(name, k)] = r.AnyText(name+"."+k.Value, content)
	})
	return v
}

// localPath reads a slash path that does not leave its starting directory.
func (r *reader) localPath(name string, n *yaml.Node) string {
	p := r.AnyText(name, n)
	if clean := path.Clean(p); clean == "." || path.IsAbs(p) || strings.HasPrefix(clean+"/", "../") {
		r.Wrong(n, name, "a path within the project", "")
	}
	return p
}

func (r *reader) hookPath(name string, n *yaml.Node) string {
	p := r.matching(name, n, oneLine, wantLine)
	if path.IsAbs(p) || strings.HasPrefix(p, "~") {
		r.Wrong(n, name, "a path from the project's root", "write it without "+p[:1]+", such as .claude/hooks/guard.sh")
	}
	return p
}

// checkFile reads the path of a file of the project, or below HOME.
func (r *reader) checkFile(name string, n *yaml.Node) string {
	if strings.HasPrefix(n.Value, "~/") {
		return r.matching(name, n, oneLine, wantLine)
	}
	return r.localPath(name, n)
}

// oldest is the maximum age of a fixture, twenty years.
const oldest = 175_200 * time.Hour

// age reads an age in whole seconds.
func (r *reader) age(name string, n *yaml.Node) time.Duration {
	d, err := time.ParseDuration(n.Value)
	isWhole := yamlform.IsScalar(n, "!!str") && err == nil && d%time.Second == 0
	if !isWhole || d < time.Second || d > oldest {
		r.Wrong(n, name, "an age from 1s to 175200h, such as 15m", "")
		return 0
	}
	return d
}

// mode reads permission bits in base 8.
func (r *reader) mode(name string, n *yaml.Node) uint32 {
	digits := strings.TrimPrefix(strings.TrimPrefix(n.Value, "0"), "o")
	v, err := strconv.ParseUint(digits, 8, 32)
	isOctal := yamlform.IsScalar(n, "!!int") && strings.HasPrefix(n.Value, "0") && err == nil
	if !isOctal || v == 0 || v > 0o777 {
		r.Wrong(n, name, "permissions such as 0755", "")
		return 0
	}
	return uint32(v)
}

func (r *reader) mapping(name string, n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		r.Wrong(n, name, "keys with values", "")
		return false
	}
	return true
}

// text reads text that is not empty.
func (r *reader) text(name string, n *yaml.Node) string { return r.Text(name, n, "") }

// command reads a command. A # in it must be quoted, because YAML drops the rest of the line.
func (r *reader) command(name string, n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Style == 0 {
		line := r.line(n.Line)
		rest, found := strings.CutPrefix(line[min(n.Column-1, len(line)):], n.Value)
		if found && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "#") {
			r.Add(n, name+": it ends before #, where YAML begins a comment", "quote the command, or put the comment on a line of its own")
		}
	}
	return r.AnyText(name, n)
}

// matching reads text of a certain form, which want describes.
func (r *reader) matching(name string, n *yaml.Node, form func() *regexp.Regexp, want string) string {
	v := r.text(name, n)
	if v != "" && !form().MatchString(v) {
		r.Wrong(n, name, want, "")
		return ""
	}
	return v
}

func (r *reader) event(name string, n *yaml.Node) string {
	v := r.text(name, n)
	if _, known := client.EventByName(v); v != "" && !known {
		r.Wrong(n, name, wantEvent, pattern.NearestHint(v, eventNames()))
		return ""
	}
	return v
}

// tool reads the name of a tool. MCP servers and other clients have unknown tools, so only a
// name similar to a known one is rejected as a typing error.
func (r *reader) tool(name string, n *yaml.Node) string {
	v := r.matching(name, n, oneLine, wantLine)
	var known []string
	for _, t := range client.Tools() {
		known = append(append(known, t.Name), t.Also...)
	}
	if slices.Contains(known, v) || strings.HasPrefix(v, "mcp__") {
		return v
	}
	if hint := pattern.NearestHint(v, known); hint != "" {
		r.Wrong(n, name, "a tool that the client has", hint)
		return ""
	}
	return v
}

// texts reads a list of texts that are not empty.
func (r *reader) texts(name string, n *yaml.Node) (v []string) {
	r.List(name, n, func(c *yaml.Node) { v = append(v, r.text(name, c)) })
	return v
}

// textOrTexts reads one text or a list of them.
func (r *reader) textOrTexts(name string, n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{r.text(name, n)}
	}
	return r.texts(name, n)
}

// whole reads an integer from low to high.
func (r *reader) whole(name string, n *yaml.Node, low, high int) int {
	v, err := strconv.Atoi(n.Value)
	isWhole := yamlform.IsScalar(n, "!!int") && err == nil
	if !isWhole || v < low || v > high {
		r.Wrong(n, name, fmt.Sprintf("a whole number from %d to %d", low, high), "")
		return 0
	}
	return v
}

// duration reads a duration with its unit, at most ten minutes.
func (r *reader) duration(name string, n *yaml.Node, low time.Duration) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if !yamlform.IsScalar(n, "!!str") || err != nil {
		r.Wrong(n, name, "a duration such as 30s", "")
		return 0
	}
	if d < low || d > 10*time.Minute {
		r.Wrong(n, name, fmt.Sprintf("a duration from %v to 10m", low), "")
		return 0
	}
	return d
}
