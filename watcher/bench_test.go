package watcher

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkSaveToBatch measures the time from before a save until its batch is received,
// among 1,000 files, for each way of saving.
func BenchmarkSaveToBatch(b *testing.B) {
	saves := map[string]func(path string, content []byte) error{
		"InPlace": func(path string, content []byte) error { return os.WriteFile(path, content, 0o644) },
		"Rename": func(path string, content []byte) error {
			if err := os.WriteFile(path+".tmp", content, 0o644); err != nil {
				return err
			}
			return os.Rename(path+".tmp", path)
		},
	}
	for name, save := range saves {
		b.Run(name, func(b *testing.B) {
			w, root := watchThousand(b)
			path := filepath.Join(root, "7", "7")
			content := slices.Repeat([]byte("echo a line of a hook\n"), 1000)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				content = strconv.AppendInt(content[:22_000], int64(i), 10)
				want := digestOf(content, 0o644)
				began := time.Now()
				ok(b, save(path, content))
				for batch := range w.Batches() {
					if batch.Changes[0].Digest == want {
						break
					}
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkBaseline measures New on 1,000 files in 10 directories.
func BenchmarkBaseline(b *testing.B) {
	w, root := watchThousand(b)
	ok(b, w.Close())
	for b.Loop() {
		w, err := New(Options{Interest: Interest{Dirs: []string{root}}})
		ok(b, err)
		ok(b, w.Close())
	}
}

func watchThousand(b *testing.B) (*Watcher, string) {
	b.Helper()
	root := b.TempDir()
	for i := range 1000 {
		put(b, filepath.Join(root, strconv.Itoa(i%10), strconv.Itoa(i)), "echo "+strconv.Itoa(i))
	}
	w, err := New(Options{Interest: Interest{
		Dirs:   []string{root},
		Ignore: func(path string, _ bool) bool { return filepath.Ext(path) == ".tmp" },
	}})
	ok(b, err)
	b.Cleanup(func() { ok(b, w.Close()) })
	return w, root
}
