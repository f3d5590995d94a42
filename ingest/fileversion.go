package ingest

import (
	"io/fs"
	"strconv"
	"time"
)

// fileVersion tells the contents that one path has had apart without reading them:
// every write, and every other file under the name, makes another. It has the time of
// the last change of the inode where the system tells it, since a modification time
// can be set back.
type fileVersion struct {
	size     int64 // bytes
	modified int64 // ns since 1970
	inode    fileInode
}

func versionOf(info fs.FileInfo) fileVersion {
	return fileVersion{size: info.Size(), modified: info.ModTime().UnixNano(), inode: inodeOf(info)}
}

// VersionOf tells the contents that one file has had apart without reading them.
func VersionOf(info fs.FileInfo) string { return versionOf(info).String() }

// String names the version in the landing log.
func (v fileVersion) String() string {
	text := strconv.AppendInt([]byte("file "), v.size, 10)
	for _, n := range []int64{v.modified, v.inode.changed, int64(v.inode.number)} {
		text = strconv.AppendInt(append(text, '.'), n, 36)
	}
	return string(text)
}

// movedFrom tells whether v may be what was under another name: a rename keeps all
// but the time of change.
func (v fileVersion) movedFrom(before fileVersion) bool {
	v.inode.changed = before.inode.changed
	return v == before
}

// coarsest is how far apart two writes may be that a file system gives one time.
const coarsest = 2 * time.Second

// tells says whether every write from a time on makes another version. One that follows
// another closely may not, nor one whose modification time was set back where nothing
// else is known.
func (v fileVersion) tells(from time.Time) bool {
	newest := time.Unix(0, max(v.modified, v.inode.changed))
	return v.inode.changed != 0 && from.Sub(newest).Abs() > coarsest
}
