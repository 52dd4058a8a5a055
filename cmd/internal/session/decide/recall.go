package decide

import "hookwatch/suites"

// Recall adopts the records; find returns the case with a key, or nil. Strings that the project
// already holds are not stored twice.
func (b *Book) Recall(records []suites.Record, find func(suites.Key) *suites.Case) {
	seen := make(texts)
	verdicts := make([]Verdict, len(records)) // in one allocation, apart from the records
	for i := range records {
		r := &records[i]
		key, v := r.Key(), &verdicts[i]
		*v = *Of(r)
		v.Run, v.At = seen.one(v.Run), seen.one(v.At)
		v.Digests.Inputs, v.Digests.Tools = seen.one(v.Digests.Inputs), seen.one(v.Digests.Tools)
		if c := find(key); c != nil {
			key = c.Key()
			if v.Digests.Case == c.Digest {
				v.Digests.Case = c.Digest
			}
		}
		b.Put(key, v)
	}
}

// texts holds one copy of each string, because records repeat many of them.
type texts map[string]string

func (t texts) one(s string) string {
	if first, ok := t[s]; ok {
		return first
	}
	t[s] = s
	return s
}
