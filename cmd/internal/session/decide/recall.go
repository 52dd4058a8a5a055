package decide

import "hookwatch/suites"

// Recall takes over what is on record; find gives the case of a key, nil when there
// is none. Texts that the project has already are not kept twice.
func (b *Book) Recall(records []suites.Record, find func(suites.Key) *suites.Case) {
	seen := make(texts)
	verdicts := make([]Verdict, len(records)) // in one piece, apart from what was read
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

// texts holds one copy of each text, of which records repeat some in every line.
type texts map[string]string

func (t texts) one(s string) string {
	if first, ok := t[s]; ok {
		return first
	}
	t[s] = s
	return s
}
