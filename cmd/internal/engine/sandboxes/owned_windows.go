package sandboxes

import "io/fs"

func owned(fs.FileInfo) bool { return true }

func openToOthers(fs.FileInfo) bool { return false }

func openToAll(fs.FileInfo) bool { return false }
