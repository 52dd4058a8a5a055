package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hookwatch/suites"
)

// unmarshal is encoding/json's, in one pass rather than two: a start reads the records
// of all cases, and these are most of what it reads. It takes what encoding/json takes:
// names in another case, names that come twice, text that is no UTF-8. What is no JSON
// is an error that tells the byte, from 1.
func unmarshal(text []byte, into any) error {
	err := jsonv2.Unmarshal(text, into,
		jsonv2.MatchCaseInsensitiveNames(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if broken := (*jsontext.SyntacticError)(nil); errors.As(err, &broken) {
		return fmt.Errorf("byte %d: %w", broken.ByteOffset+1, broken.Err)
	}
	return err
}

// decode reads one record. What hookwatch writes takes the first way; the second
// is for other tools, which write numbers as text, booleans as numbers, or null.
func decode(line []byte) (suites.Record, error) {
	var strict struct {
		suites.Record
		Pass *bool `json:"pass"` // shadows the record's, to tell false from missing
	}
	err := unmarshal(line, &strict)
	if wrong := (*jsonv2.SemanticError)(nil); errors.As(err, &wrong) || err == nil && strict.Pass == nil {
		return decodeLoose(line)
	}
	if err != nil {
		return suites.Record{}, err
	}
	strict.Record.Pass = *strict.Pass
	return strict.Record, checkRecord(&strict.Record)
}

// checkRecord refuses what is no record, and cuts lists that no record of
// hookwatch's has so long.
func checkRecord(r *suites.Record) error {
	if len(r.Changes) > suites.MaxChanges {
		r.Changes = slices.Clone(r.Changes[:suites.MaxChanges])
	}
	if len(r.Stopped) > suites.MaxChanges {
		r.Stopped = slices.Clone(r.Stopped[:suites.MaxChanges])
	}
	if r.TestName == "" && r.ID == "" {
		return errors.New("not a test record: it has neither test_name nor id")
	}
	return nil
}

// A looseRecord is a record of which only the fields' names are sure. What it has
// besides is not held.
type looseRecord struct {
	Hook             json.RawMessage `json:"hook"`
	TestName         json.RawMessage `json:"test_name"`
	Category         json.RawMessage `json:"category"`
	InputSummary     json.RawMessage `json:"input_summary"`
	ExpectedDecision json.RawMessage `json:"expected_decision"`
	ExpectedExit     json.RawMessage `json:"expected_exit"`
	ActualDecision   json.RawMessage `json:"actual_decision"`
	ActualExit       json.RawMessage `json:"actual_exit"`
	ActualOutput     json.RawMessage `json:"actual_output"`
	ActualStderr     json.RawMessage `json:"actual_stderr"`
	Pass             json.RawMessage `json:"pass"`
	Note             json.RawMessage `json:"note"`
	Timestamp        json.RawMessage `json:"timestamp"`
	DurationMS       json.RawMessage `json:"duration_ms"`
	ID               json.RawMessage `json:"id"`
	Suite            json.RawMessage `json:"suite"`
	Layer            json.RawMessage `json:"layer"`
	RunID            json.RawMessage `json:"run_id"`
	Digests          json.RawMessage `json:"digests"`
	Client           json.RawMessage `json:"client"`
	Isolation        json.RawMessage `json:"isolation"`
}

func decodeLoose(line []byte) (suites.Record, error) {
	var fields looseRecord
	err := unmarshal(line, &fields)
	if wrong := (*jsonv2.SemanticError)(nil); errors.As(err, &wrong) {
		return suites.Record{}, errors.New("not a test record: not a JSON object")
	}
	if err != nil {
		return suites.Record{}, err
	}
	r := suites.Record{
		Hook: looseText(fields.Hook), TestName: looseText(fields.TestName), Category: looseText(fields.Category),
		InputSummary: looseText(fields.InputSummary), ExpectedDecision: looseText(fields.ExpectedDecision),
		ActualDecision: looseText(fields.ActualDecision), ActualOutput: looseText(fields.ActualOutput),
		ActualStderr: looseText(fields.ActualStderr), Note: looseText(fields.Note), Timestamp: looseText(fields.Timestamp),
		ID: looseText(fields.ID), Suite: looseText(fields.Suite), RunID: looseText(fields.RunID),
		Client: looseText(fields.Client), Isolation: looseText(fields.Isolation),
	}
	r.ExpectedExit, r.ActualExit = looseInt(fields.ExpectedExit), looseInt(fields.ActualExit)
	if ms := looseInt(fields.DurationMS); ms != nil {
		r.DurationMS = int64(*ms)
	}
	if layer := looseInt(fields.Layer); layer != nil {
		r.Layer = suites.Layer(*layer)
	}
	if json.Unmarshal(fields.Digests, &r.Digests) != nil {
		r.Digests = suites.Digests{}
	}
	pass, err := looseBool(fields.Pass)
	if err != nil {
		return suites.Record{}, err
	}
	r.Pass = pass
	return r, checkRecord(&r)
}

// looseText gives a string as it is, null as nothing and anything else as JSON.
func looseText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

// looseInt gives a whole number, also one written as text; else nil.
func looseInt(raw json.RawMessage) *int {
	number, err := strconv.ParseFloat(strings.TrimSpace(looseText(raw)), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53 {
		return nil
	}
	n := int(number)
	return &n
}

func looseBool(raw json.RawMessage) (bool, error) {
	switch text := strings.ToLower(strings.TrimSpace(looseText(raw))); text {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	case "":
		return false, errors.New(`not a test record: it has no "pass"`)
	default:
		return false, fmt.Errorf(`"pass" is %.40q, want true or false`, text)
	}
}
