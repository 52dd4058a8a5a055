package cli

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
)

func TestJUnit(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := newJUnit(&out, func(e session.CaseDone) string { return notify.Failure(e, notify.Options{}) })
	handle(v, sampleSession())
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.xml", out.String())
	for d := xml.NewDecoder(&out); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
