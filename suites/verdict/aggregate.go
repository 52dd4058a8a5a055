package verdict

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"hookwatch/suites"
)

// Tally counts records by status.
func Tally(records []suites.Record) suites.Tally {
	var t suites.Tally
	for i := range records {
		t.Add(records[i].Status())
	}
	return t
}

// TallyByAgent counts records by agent and status. It calls agentOf because a record does not
// contain its agent.
func TallyByAgent(records []suites.Record, agentOf func(*suites.Record) string) map[string]suites.Tally {
	tallies := map[string]suites.Tally{}
	for i := range records {
		agent := agentOf(&records[i])
		t := tallies[agent]
		t.Add(records[i].Status())
		tallies[agent] = t
	}
	return tallies
}

// CheckCounts compares the number of records of each agent with the expected number, and returns
// a line for each agent with too few or too many. Cases without a record are unknown failures.
func CheckCounts(records []suites.Record, agentOf func(*suites.Record) string, expected map[string]int) []string {
	tallies := TallyByAgent(records, agentOf)
	var lines []string
	for _, agent := range slices.Sorted(maps.Keys(expected)) {
		want, have := expected[agent], tallies[agent].Total()
		switch {
		case have == want:
		case have == 0:
			lines = append(lines, fmt.Sprintf("%s: no records, want %d: %s", agent, want, unknown(want)))
		case have < want:
			lines = append(lines, fmt.Sprintf("%s: %d records, want %d: %s", agent, have, want, unknown(want-have)))
		default:
			lines = append(lines, fmt.Sprintf("%s: %d records, want %d: %d too many", agent, have, want, have-want))
		}
	}
	return lines
}

func unknown(n int) string {
	if n == 1 {
		return "1 unknown failure"
	}
	return fmt.Sprintf("%d unknown failures", n)
}

// adrFilter is the aggregation that the format's own document prescribes for its records. It has
// no unproven, aborted or version skip. Next to Tally it shows how other tools interpret the
// same files.
const adrFilter = `. as $all |
  ($all | map(select(.pass == false)) | length) as $fails |
  ($all | map(select(.pass == true and (.note | test("absent|BIOME_ABSENT") | not))) | length) as $pass |
  ($all | map(select(.pass == true and (.note | test("absent|BIOME_ABSENT")))) | length) as $skipped |
  {
    passed: $pass,
    failed: $fails,
    skipped: $skipped,
    failures: (
      $all | map(select(.pass == false)) |
      map({hook, test_name, note})
    ),
    skips: (
      $all | map(select(.pass == true and (.note | test("absent|BIOME_ABSENT")))) |
      map({hook, test_name, note})
    )
  }`

var adrQuery = sync.OnceValues(func() (*Query, error) { return CompileQuery(adrFilter) })

// ADRAggregate runs adrFilter. The result has passed, failed and skipped as int, and failures
// and skips as lists of hook, test_name and note.
func ADRAggregate(records []suites.Record) (map[string]any, error) {
	q, err := adrQuery()
	if err != nil {
		return nil, err
	}
	var result map[string]any
	err = q.Run(context.Background(), records, func(v any) error {
		result, _ = v.(map[string]any)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("aggregate: %w", err)
	}
	return result, nil
}
