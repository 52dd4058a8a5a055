package record

import (
	"bytes"
	"encoding/json"

	"hookwatch/suites"
)

// Suffix is that of a file of records.
const Suffix = ".jsonl"

// Encode gives the record's line, its newline included.
func Encode(r *suites.Record) ([]byte, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return line.Bytes(), err
}

// EncodeAll gives the lines of all.
func EncodeAll(records []suites.Record) ([]byte, error) {
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	e.SetEscapeHTML(false)
	for i := range records {
		if err := e.Encode(&records[i]); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// EncodeDocument gives the text of a document that people may read.
func EncodeDocument(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return text.Bytes(), err
}
