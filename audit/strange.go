package audit

import (
	"context"
	"io/fs"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/sweep"
)

// strange tells of what lies in a store that is a folder and is no object, whatever its
// name: no listing has it. Folders are told where an object should be. In a log that is a fault: nobody gets past it.
func (r *run) strange(ctx context.Context) error {
	folder, is := r.Store.(interface {
		Strange(ctx context.Context, each func(key string, mode fs.FileMode)) error
	})
	if !is {
		return nil
	}
	return folder.Strange(ctx, func(key string, mode fs.FileMode) {
		if room, in := leadsToLog(key, mode.IsDir()); in {
			r.tell(Fault{Name: Name(log.StrangeObject), Room: room, Key: key, Seen: objstore.KindOf(mode) + ", which hides what belongs there", Do: doOf(mode)})
			return
		}
		if mode.IsDir() {
			if _, ours := sweep.ParseKey(key); !ours {
				return
			}
		}
		r.tell(Fault{Name: ForeignObject, Key: key, Seen: objstore.KindOf(mode) + ", which is no object of the lake"})
	})
}

// leadsToLog tells whether an object of a log belongs at a key, or, unless it is a folder, a folder that leads to some,
// and of which room.
func leadsToLog(key string, folder bool) (Room, bool) {
	for _, below := range []string{"", "/00000000000000000001.json", "/log/00000000000000000001.json"} {
		if below != "" && folder {
			break
		}
		if k, ours := sweep.ParseKey(key + below); ours && k.Kind == sweep.LogPart {
			return Room{k.Area, k.Owner}, true
		}
	}
	return Room{}, false
}

// doOf says what helps besides moving it, where what belongs there may be found.
func doOf(mode fs.FileMode) string {
	if mode&fs.ModeSymlink == 0 {
		return ""
	}
	return "move the link out of the lake, and what it leads to into its place, if that is the lake's; or restore that from a copy"
}
