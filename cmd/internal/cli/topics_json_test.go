package cli

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// sampled holds the types of the samples in the topic json, by its headings.
var sampled = map[string]reflect.Type{
	"A record":           reflect.TypeFor[suites.Record](),
	"--once and run":     reflect.TypeFor[runDocument](),
	"list":               reflect.TypeFor[listDocument](),
	"show":               reflect.TypeFor[showDocument](),
	"list --suites":      reflect.TypeFor[suitesDocument](),
	"verify":             reflect.TypeFor[verifyDocument](),
	"why":                reflect.TypeFor[whyDocument](),
	"why ID":             reflect.TypeFor[whyCase](),
	"coverage":           reflect.TypeFor[coverageDocument](),
	"report":             reflect.TypeFor[reportDocument](),
	"fire":               reflect.TypeFor[fireDocument](),
	"fire --explain":     reflect.TypeFor[launchesDocument](),
	"check --live":       reflect.TypeFor[liveDocument](),
	"doctor":             reflect.TypeFor[doctorDocument](),
	"trust":              reflect.TypeFor[trustDocument](),
	"trust --list":       reflect.TypeFor[trustList](),
	"compare":            reflect.TypeFor[compareDocument](),
	"history":            reflect.TypeFor[historyDocument](),
	"history --slow":     reflect.TypeFor[timesDocument](),
	"explain":            reflect.TypeFor[explainDocument](),
	"explain --list":     reflect.TypeFor[rulesDocument](),
	"check":              reflect.TypeFor[checkDocument](),
	"prove":              reflect.TypeFor[proveDocument](),
	"prove --order":      reflect.TypeFor[orderDocument](),
	"record":             reflect.TypeFor[recordDocument](),
	"replay":             reflect.TypeFor[replayDocument](),
	"sessions":           reflect.TypeFor[sessionsDocument](),
	"diff":               reflect.TypeFor[diffDocument](),
	"score":              reflect.TypeFor[scoreDocument](),
	"contract":           reflect.TypeFor[contractDocument](),
	"list --hooks":       reflect.TypeFor[hooksDocument](),
	"contract --against": reflect.TypeFor[againstDocument](),
}

// sampledEvents holds those of the samples under the heading Events.
var sampledEvents = map[string]reflect.Type{
	"started":     reflect.TypeFor[lineStarted](),
	"problems":    reflect.TypeFor[lineProblems](),
	"warning":     reflect.TypeFor[lineWarning](),
	"changed":     reflect.TypeFor[lineChanged](),
	"run_started": reflect.TypeFor[lineRunStarted](),
	"case":        reflect.TypeFor[lineCase](),
	"run_done":    reflect.TypeFor[lineRunDone](),
	"transitions": reflect.TypeFor[lineTransitions](),
	"rested":      reflect.TypeFor[lineHead](),
}

// TestTopicJSON checks that the samples have no field that the program does not print, and
// together have all fields that it prints.
func TestTopicJSON(t *testing.T) {
	t.Parallel()
	shown := fieldsShown{}
	headings := map[string]bool{}
	for _, section := range strings.Split(topicText(t, "json"), "\n## ")[1:] {
		heading, _, _ := strings.Cut(section, "\n")
		for _, sample := range blocks(section, "json") {
			headings[heading] = true
			shown.samples(t, heading, sample)
		}
	}
	for heading := range sampled {
		if !headings[heading] {
			t.Errorf("there is no sample of %s", heading)
		}
	}
	for event, of := range sampledEvents {
		if shown[of] == nil {
			t.Errorf("there is no sample of the event %s", event)
		}
	}
	shown.complete(t)
	agents := fieldsShown{} // whose sample is short
	for _, sample := range blocks(topicText(t, "agents"), "jsonl") {
		agents.samples(t, "Events", sample)
	}
	if len(agents) < 5 {
		t.Errorf("the topic agents shows the types %v", agents)
	}
	for _, topic := range allTopics() {
		if topic.Name != "json" && topic.Name != "agents" && len(blocks(topic.text(), "json"))+len(blocks(topic.text(), "jsonl")) > 0 {
			t.Errorf("%s has JSON that no test reads", topic.Name)
		}
	}
}

// fieldsShown holds the fields of each type that occur in a sample.
type fieldsShown map[reflect.Type]map[string]bool

// samples reads the documents of a block; under the heading Events they are events.
func (f fieldsShown) samples(t *testing.T, heading, text string) {
	t.Helper()
	values := json.NewDecoder(strings.NewReader(text))
	for {
		var raw json.RawMessage
		if err := values.Decode(&raw); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", heading, err)
		}
		of := sampled[heading]
		if heading == "Events" {
			var head lineHead
			if err := json.Unmarshal(raw, &head); err != nil {
				t.Fatal(err)
			}
			of = sampledEvents[head.Event]
		}
		if of == nil {
			t.Fatalf("%s: of no known type: %s", heading, raw)
		}
		strict := json.NewDecoder(strings.NewReader(string(raw)))
		strict.DisallowUnknownFields()
		if err := strict.Decode(reflect.New(of).Interface()); err != nil {
			t.Errorf("%s: %v in %s", heading, err, raw)
		}
		f.see(of, raw)
	}
}

// see records the fields of a value and of all values in it.
func (f fieldsShown) see(of reflect.Type, raw json.RawMessage) {
	switch of.Kind() {
	case reflect.Pointer:
		f.see(of.Elem(), raw)
	case reflect.Slice:
		var elements []json.RawMessage
		_ = json.Unmarshal(raw, &elements)
		f.of(of.Elem())
		for _, e := range elements {
			f.see(of.Elem(), e)
		}
	case reflect.Struct:
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			return // encoded as a text, such as a time
		}
		for _, field := range jsonFields(of) {
			if value, ok := fields[field.name]; ok {
				f.of(of)[field.name] = true
				f.see(field.of, value)
			}
		}
	}
}

func (f fieldsShown) of(t reflect.Type) map[string]bool {
	if t.Kind() == reflect.Struct && f[t] == nil {
		f[t] = map[string]bool{}
	}
	return f[t]
}

// complete reports the fields that no sample has.
func (f fieldsShown) complete(t *testing.T) {
	t.Helper()
	for of, shown := range f {
		for _, field := range jsonFields(of) {
			if !shown[field.name] {
				t.Errorf("no sample shows the field %s of %v", field.name, of)
			}
		}
	}
}

// A jsonField is a field as it is encoded in JSON.
type jsonField struct {
	name string
	of   reflect.Type
}

// jsonFields returns the fields of a struct, including those of embedded structs.
func jsonFields(of reflect.Type) []jsonField {
	var all []jsonField
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "" && name != "-" {
			all = append(all, jsonField{name, f.Type})
		}
	}
	return all
}

// TestTopicJSONAsRun checks that a real run prints the events in the topic.
func TestTopicJSONAsRun(t *testing.T) {
	t.Parallel()
	_, out, stderr := call(t, guarded(t), "", "--once", "--format", "jsonl")
	var events []string
	for line := range strings.Lines(out) {
		var head lineHead
		if err := json.Unmarshal([]byte(line), &head); err != nil {
			t.Fatal(err)
		}
		strict := json.NewDecoder(strings.NewReader(line))
		strict.DisallowUnknownFields()
		of := sampledEvents[head.Event]
		if of == nil {
			t.Fatalf("the topic has no event %s", head.Event)
		}
		if err := strict.Decode(reflect.New(of).Interface()); err != nil {
			t.Errorf("%v in %s", err, line)
		}
		events = append(events, head.Event)
	}
	if !slices.Contains(events, "run_done") {
		t.Errorf("events %v, %s", events, stderr)
	}
}
