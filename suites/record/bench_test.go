package record

import (
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites"
)

// benchRecords returns the records of a run of many cases, of usual size.
func benchRecords(n int) []suites.Record {
	records := make([]suites.Record, n)
	for i := range records {
		records[i] = rec("r1", fmt.Sprintf("pm/P%05d", i), "")
		records[i].ActualStderr = strings.Repeat("[hook:block] use uv instead\n", 20)
	}
	return records
}

func benchStore(b *testing.B) *Store {
	b.Helper()
	s, err := Open(Options{Place: at(b.TempDir())})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func BenchmarkAppend(b *testing.B) {
	s := benchStore(b)
	if err := s.Begin(Run{ID: "r1"}); err != nil {
		b.Fatal(err)
	}
	r := benchRecords(1)[0]
	for b.Loop() {
		if err := s.Append(r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSelected measures a run of one case in a project of 10,000, and of all.
func BenchmarkSelected(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, all := benchStore(b), benchRecords(10_000)
			for _, records := range [][]suites.Record{all, all[:n]} {
				b.ResetTimer()
				for i := range b.N {
					err := s.Begin(Run{ID: "r1", Full: i < 0})
					if err == nil {
						err = s.EndSelected(records, nil, suites.Environment{})
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkOpen opens and closes a directory of 10,000 cases.
func BenchmarkOpen(b *testing.B) {
	s := benchStore(b)
	dir := s.o.Dir
	if err := s.Begin(Run{ID: "r1"}); err != nil {
		b.Fatal(err)
	}
	if err := s.EndSelected(benchRecords(10_000), nil, suites.Environment{}); err != nil {
		b.Fatal(err)
	}
	_ = s.Close()
	for b.Loop() {
		s, err := Open(Options{Place: at(dir)})
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

// BenchmarkEvidence writes and reads evidence of a case.
func BenchmarkEvidence(b *testing.B) {
	s := benchStore(b)
	k := suites.Key{Suite: "pm", ID: "P01"}
	for b.Loop() {
		if err := s.KeepEvidence(k, &Evidence{}); err != nil {
			b.Fatal(err)
		}
		s.Evidence(k)
	}
}
