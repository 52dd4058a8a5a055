package record

// replace puts data at path, whole or not at all.
func replace(path string, data []byte) error { return replaceUnsynced(path, data) }
