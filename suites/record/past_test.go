package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPast checks that the rolling log, the archive and the present state are combined
// without duplicates.
func TestPast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := func(id, run, at string) string {
		return `{"hook":"h","test_name":"` + id + `","pass":true,"note":"","timestamp":"` + at + `","id":"` + id + `","suite":"s","run_id":"` + run + `"}` + "\n"
	}
	const first, second, third = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
	for name, content := range map[string]string{
		"rolling/s-agent.jsonl":                                   line("A", "2", second) + line("B", "2", second) + line("A", "3", third) + "torn",
		"archive/20260101T000000Z/s-agent-20260101T000000Z.jsonl": line("A", "1", first) + `{"hook":"h","test_name":"old","pass":true,"note":"","timestamp":"` + first + `"}` + "\n",
		"archive/20260102T000000Z/s-agent-20260102T000000Z.jsonl": line("A", "2", second) + line("B", "2", second),
		"archive/20260102T000000Z/environment.json":               `{"run_id":"2","tools":[{"name":"jq","path":"/jq"}]}`,
		"s-agent-20260102T000000Z.jsonl":                          line("A", "3", third) + line("B", "2", second),
		"environment.json":                                        `{"run_id":"3","tools":[{"name":"jq"}]}`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := reader(t, dir).Past()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range p.Records {
		got = append(got, r.TestName+r.RunID)
	}
	if text := strings.Join(got, " "); text != "A1 old A2 B2 A3" {
		t.Errorf("records: %s", text)
	}
	if len(p.Environments) != 2 || p.Environments[0].RunID != "3" || p.Environments[1].RunID != "2" {
		t.Errorf("environments: %+v", p.Environments)
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "rolling/s-agent.jsonl:4") {
		t.Errorf("warnings: %v", p.Warnings)
	}
	if empty, err := reader(t, filepath.Join(dir, "nowhere")).Past(); err != nil || len(empty.Records) != 0 {
		t.Errorf("nothing on record: %+v, %v", empty, err)
	}
}
