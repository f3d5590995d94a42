package ingest

import (
	"io/fs"
	"syscall"
)

// fileInode is the file behind a name.
type fileInode struct {
	device, number uint64
	changed        int64 // ns since 1970
}

func inodeOf(info fs.FileInfo) fileInode {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileInode{}
	}
	return fileInode{device: uint64(s.Dev), number: s.Ino, changed: s.Ctim.Nano()}
}
