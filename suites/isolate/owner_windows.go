package isolate

// ownerOf is not known here.
func ownerOf(string) (uid int, known bool) { return 0, false }
