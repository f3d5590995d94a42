package audit_test

import (
	"strings"
	"sync"
	"testing"

	"strandline/audit"
	"strandline/internal/objstore"
	"strandline/internal/objstore/storetest"
)

// Others may remove a file between an audit's finding it and its opening it: it is no
// file that can't be read.
func TestAFileThatIsRemovedOnceItIsFoundIsNoFault(t *testing.T) {
	lake, job := built(t)
	folder, err := objstore.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lake.put(t, folder)
	var removed sync.Map // by folder
	found, _ := audited(t, storetest.Finding{Folder: folder, After: func(key string) {
		part := key[:strings.LastIndex(key, "/")]
		if _, known := removed.LoadOrStore(part, true); !known {
			if err := folder.Delete(t.Context(), key); err != nil {
				t.Error(err)
			}
		}
	}}, true, job)
	parts := 0
	removed.Range(func(any, any) bool { parts++; return true })
	if parts < 3 {
		t.Errorf("files of %d parts were found only", parts)
	}
	for _, f := range found {
		if f.Level != audit.LevelNote {
			t.Errorf("%s %s: %s", f.Name, f.Key, f.Seen)
		}
	}
}
