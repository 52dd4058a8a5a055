package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hookwatch/suites"
)

// decode reads one record. What hookwatch writes takes the first way; the second
// is for other tools, which write numbers as text, booleans as numbers, or null.
func decode(line []byte) (suites.Record, error) {
	var strict struct {
		suites.Record
		Pass *bool `json:"pass"` // shadows the record's, to tell false from missing
	}
	err := json.Unmarshal(line, &strict)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) || err == nil && strict.Pass == nil {
		return decodeLoose(line)
	}
	if err != nil {
		return suites.Record{}, err
	}
	strict.Record.Pass = *strict.Pass
	return strict.Record, checkRecord(&strict.Record)
}

func checkRecord(r *suites.Record) error {
	if r.TestName == "" && r.ID == "" {
		return errors.New("not a test record: it has neither test_name nor id")
	}
	return nil
}

func decodeLoose(line []byte) (suites.Record, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return suites.Record{}, errors.New("not a test record: not a JSON object")
	}
	var r suites.Record
	for name, into := range map[string]*string{
		"hook": &r.Hook, "test_name": &r.TestName, "category": &r.Category, "input_summary": &r.InputSummary,
		"expected_decision": &r.ExpectedDecision, "actual_decision": &r.ActualDecision,
		"actual_output": &r.ActualOutput, "actual_stderr": &r.ActualStderr, "note": &r.Note,
		"timestamp": &r.Timestamp, "id": &r.ID, "suite": &r.Suite, "run_id": &r.RunID,
		"client": &r.Client, "isolation": &r.Isolation,
	} {
		*into = looseText(fields[name])
	}
	r.ExpectedExit, r.ActualExit = looseInt(fields["expected_exit"]), looseInt(fields["actual_exit"])
	if ms := looseInt(fields["duration_ms"]); ms != nil {
		r.DurationMS = int64(*ms)
	}
	if layer := looseInt(fields["layer"]); layer != nil {
		r.Layer = suites.Layer(*layer)
	}
	if json.Unmarshal(fields["digests"], &r.Digests) != nil {
		r.Digests = suites.Digests{}
	}
	pass, err := looseBool(fields["pass"])
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
