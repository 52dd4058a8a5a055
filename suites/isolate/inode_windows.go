package isolate

import "io/fs"

type fileID struct{ device, inode uint64 }

func identity(fs.FileInfo) (fileID, bool) { return fileID{}, false }

func namesOf(fs.FileInfo) int { return 1 }
